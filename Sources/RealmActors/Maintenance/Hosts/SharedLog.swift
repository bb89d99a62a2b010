package import Storage

extension Realm {
    /// A log on an engine that several hosts reach and that replicates it: the authoritative state
    /// of a realm that all of them write.
    ///
    ///     configuration.sharedLog = .postgres(
    ///         "host=db1,db2 dbname=app", realm: "orders", durability: .quorum)
    public struct SharedLog: Sendable {
        /// What an engine must have done before a write counts as done.
        public enum Durability: Sendable, Hashable {
            /// A second machine has it on its disk.
            case quorum
            /// The one server has it on its disk.
            case singleServer
        }

        /// The name of the realm in the engine; nil for one in this process.
        let name: String?
        /// Connects. Blocks: not for the cooperative pool.
        let connect: @Sendable () throws -> any Storage.SharedLog
        /// Connects to an existing log, for reading only. Blocks likewise.
        let look: @Sendable () throws -> any Storage.SharedLog

        /// An image is due when so many bytes of log lie after the newest one, and more than half
        /// of the realm has.
        package var imageBytesMin = SharedRealm.imageBytesMinByDefault

        /// An engine in this process, for tests.
        package init(
            named name: String? = nil,
            connect: @escaping @Sendable () throws -> any Storage.SharedLog
        ) {
            self.name = name
            self.connect = connect
            look = connect
        }

        /// One that is made on first use, unless it is only read.
        init(
            named name: String,
            connect: @escaping @Sendable (Bool) throws -> any Storage.SharedLog
        ) {
            self.name = name
            self.connect = { try connect(true) }
            look = { try connect(false) }
        }

        /// A log in a PostgreSQL database, 12 or later. Needs the package trait `PostgreSQL`.
        ///
        /// - Parameters:
        ///   - connection: a connection string of libpq. Passwords belong into `PGPASSWORD` or a
        ///     password file; no error shows them, nor this string.
        ///   - realm: the name of the realm in the database.
        ///   - durability: refused at opening where the server's settings do not give it.
        public static func postgres(
            _ connection: String, realm: String, durability: Durability
        ) -> SharedLog {
            #if PostgreSQL
                SharedLog(named: realm) { (makesLog: Bool) in
                    do {
                        return try PostgresSharedLog(
                            connection, realm: realm,
                            durability: durability == .quorum ? .quorum : .singleServer,
                            makesLog: makesLog)
                    } catch let error as SharedLogError {
                        throw StorageError(error)
                    }
                }
            #else
                SharedLog(named: realm) { (_: Bool) in
                    throw RealmError.sharedLogNotEnabled(trait: "PostgreSQL")
                }
            #endif
        }

        /// The SQL statements that make the tables of ``postgres(_:realm:durability:)``, for a role
        /// that may make tables where that of the service may not. The latter then needs `SELECT`,
        /// `INSERT`, `UPDATE` and `DELETE` on them.
        ///
        /// For any number of realms. Where the tables are there already, the statements change
        /// nothing, but only their owner may run them. Needs no package trait and no connection.
        public static var postgresTableDefinitions: String { PostgresSchema.statements }
    }
}

extension Realm.SharedLog {
    /// How it differs from the log that another configuration of its folder has; nil if it does
    /// not, as far as the names say.
    func difference(from other: Realm.SharedLog) -> String? {
        // By their bytes, as the engines distinguish them.
        guard let name, let otherName = other.name, !name.utf8.elementsEqual(otherName.utf8)
        else { return nil }
        return "it is the realm '\(name)' of its shared log"
    }
}
