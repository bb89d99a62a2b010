#if ServiceLifecycle
    public import ServiceLifecycle

    /// A realm in a group of services: opened when the group runs or a caller asks for it, closed
    /// after every write that has begun when the group shuts down.
    ///
    ///     let database = RealmService(configuration)
    ///     let server = Server(database)         // takes `try await database.realm`
    ///     let group = ServiceGroup(services: [database, server], logger: logger)
    ///
    /// Stands before the services that use it: a group shuts down the last ones first.
    public actor RealmService: Service {
        private let configuration: Realm.Configuration
        private var opening: Task<Realm, any Error>?

        /// A service for the realm of `configuration`, which is not opened yet.
        public init(_ configuration: Realm.Configuration = .default) {
            self.configuration = configuration
        }

        /// The realm, opened if it was not.
        ///
        /// - Throws: why it cannot be opened. A later access tries again.
        public var realm: Realm {
            get async throws {
                let task =
                    opening ?? Task { [configuration] in try await Realm.open(configuration) }
                opening = task
                do {
                    return try await task.value
                } catch {
                    if opening == task { opening = nil }
                    throw error
                }
            }
        }

        /// Opens the realm, and closes it when the group shuts down or the task is cancelled.
        ///
        /// - Throws: why the realm cannot be opened, or closed.
        public func run() async throws {
            let realm = try await realm
            // Cancelled or not, there is a realm to close.
            try? await gracefulShutdown()
            try await realm.close()
        }
    }
#endif
