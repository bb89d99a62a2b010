package import Storage

extension Realm {
    /// A log on an engine that several hosts can reach: the authoritative state of a realm that all
    /// of them write.
    ///
    ///     configuration.sharedLog = .postgres(
    ///         "host=db1,db2 dbname=app", realm: "orders", durability: .quorum)
    public struct SharedLog: Sendable {
        /// What the engine must have stored when a write returns.
        public enum Durability: Sendable, Hashable {
            /// A second machine has the commit on its disk.
            case quorum
            /// A single server has the commit on its disk.
            case singleServer
        }

        /// What a connection to an engine is for.
        enum Access {
            /// Creates the log if it is missing.
            case hosting
            /// Reads an existing log.
            case restoring
            /// Reads an existing log, without a proof that the server keeps what is read.
            case inspecting
        }

        /// The name of the realm in the engine; nil for one in this process.
        let name: String?
        /// Makes the connection of ``connect(for:)``.
        private let engine: @Sendable (Access) throws -> any Storage.SharedLog

        /// An image is due when the log after the newest one has this many bytes, and more than
        /// half of the realm's.
        package var imageBytesMin = SharedRealm.imageBytesMinByDefault

        /// An engine in this process, for tests.
        package init(
            named name: String? = nil,
            connect: @escaping @Sendable () throws -> any Storage.SharedLog
        ) {
            self.name = name
            engine = { _ in try connect() }
        }

        /// A log that is created on first use, unless it is only read.
        init(
            named name: String,
            engine: @escaping @Sendable (Access) throws -> any Storage.SharedLog
        ) {
            self.name = name
            self.engine = engine
        }

        /// Connects. Blocks: not for the cooperative pool.
        func connect(for access: Access = .hosting) throws -> any Storage.SharedLog {
            try engine(access)
        }

        /// A log in a PostgreSQL database, 12 or later. Needs the package trait `PostgreSQL`.
        ///
        /// - Parameters:
        ///   - connection: a connection string of libpq. Put passwords into `PGPASSWORD` or a
        ///     password file; no error shows them or this string.
        ///   - realm: the name of the realm in the database.
        ///   - durability: refused at opening if the server's settings do not provide it.
        public static func postgres(
            _ connection: String, realm: String, durability: Durability
        ) -> SharedLog {
            #if PostgreSQL
                SharedLog(named: realm) { (access: Access) in
                    let required: SharedLogDurability =
                        durability == .quorum ? .quorum : .singleServer
                    do {
                        return try PostgresSharedLog(
                            connection, realm: realm,
                            durability: access == .inspecting ? nil : required,
                            makesLog: access == .hosting)
                    } catch let error as SharedLogError {
                        throw StorageError(error)
                    }
                }
            #else
                SharedLog(named: realm) { (_: Access) in
                    throw RealmError.sharedLogNotEnabled(trait: "PostgreSQL")
                }
            #endif
        }

        /// The SQL statements that create the tables of ``postgres(_:realm:durability:)``, to be
        /// run by a role that may create tables if that of the service may not. The service then
        /// needs `SELECT`, `INSERT`, `UPDATE` and `DELETE` on them.
        ///
        /// The tables serve any number of realms. If they exist already, the statements change
        /// nothing, but only their owner may run them. Needs no package trait and no connection.
        public static var postgresTableDefinitions: String { PostgresSchema.statements }
    }
}

extension Realm.SharedLog {
    /// The difference from the log in another configuration of the folder; nil if the names are
    /// equal.
    func difference(from other: Realm.SharedLog) -> String? {
        // By their bytes, as in the engines.
        guard let name, let otherName = other.name, !name.utf8.elementsEqual(otherName.utf8)
        else { return nil }
        return "it is the realm '\(name)' of its shared log"
    }
}
