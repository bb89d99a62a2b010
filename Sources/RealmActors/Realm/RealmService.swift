#if ServiceLifecycle
    public import ServiceLifecycle

    /// A realm in a service group: opened when the group runs or a caller needs it; closed when the
    /// group shuts down, after the writes that have begun.
    ///
    ///     let database = RealmService(configuration)
    ///     let server = Server(database)         // takes `try await database.realm`
    ///     let group = ServiceGroup(services: [database, server], logger: logger)
    ///
    /// List it before the services that use it: a group shuts down its services in reverse order.
    public actor RealmService: Service {
        private let configuration: Realm.Configuration
        private var opening: Task<Realm, any Error>?

        /// Makes a service for the realm of `configuration`, without opening it.
        public init(_ configuration: Realm.Configuration = .default) {
            self.configuration = configuration
        }

        /// The realm, opened if it was not.
        ///
        /// - Throws: the error of an opening that failed. A later access tries again.
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
        /// - Throws: the error of opening or closing the realm.
        public func run() async throws {
            let realm = try await realm
            // Ignores cancellation: the realm must be closed in any case.
            try? await gracefulShutdown()
            try await realm.close()
        }
    }
#endif
