#if PostgreSQL
    import StorageHarness

    @testable import Storage

    extension PostgresServer {
        /// Settings with which commits wait for the standby of ``startArchive()``.
        static let archiveSettings = ["synchronous_standby_names": "archive"]

        /// Gives `body` a server whose commits wait for a standby.
        static func runWithArchive(
            settings: [String: String] = [:], _ body: (PostgresServer) throws -> Void
        ) throws {
            let all = settings.merging(archiveSettings) { one, _ in one }
            try PostgresServer.run(settings: all) { server in
                try server.startArchive()
                try body(server)
            }
        }

        /// Gives `body` two servers that accept writes and do not replicate each other, and a log
        /// that knows both. It has begun on the first one, however slow that is: the second one is
        /// frozen.
        ///
        /// - Parameters:
        ///   - durability: that of the log.
        ///   - secondHasStandby: whether the second server has a standby if the log needs one.
        ///   - secondHasLog: whether it has the log, as a standby that is promoted.
        ///   - timeout: how long the servers may take to answer.
        ///   - body: called with the first server, the second one, and the log.
        static func runTwo(
            _ durability: SharedLogDurability, secondHasStandby: Bool = true,
            secondHasLog: Bool = true, timeout: Duration = .seconds(600),
            _ body: (PostgresServer, PostgresServer, PostgresSharedLog) throws -> Void
        ) throws {
            let needsStandbys = durability == .quorum
            let settings = needsStandbys ? archiveSettings : [:]
            try PostgresServer.run(settings: settings) { first in
                try PostgresServer.run(settings: settings) { second in
                    if needsStandbys { try first.startArchive() }
                    if needsStandbys, secondHasStandby { try second.startArchive() }
                    if secondHasLog { try second.openLog(durability) }
                    try second.freeze()
                    let log = try openLog(
                        "host=\(first.folder),\(second.folder) dbname=postgres user=postgres",
                        durability, timeout: timeout)
                    try body(first, second, log)
                }
            }
        }

        /// A log that knows only this server.
        @discardableResult
        func openLog(_ durability: SharedLogDurability) throws -> PostgresSharedLog {
            try Self.openLog(address, durability)
        }

        static func openLog(
            _ address: String, _ durability: SharedLogDurability, timeout: Duration = .seconds(600)
        ) throws -> PostgresSharedLog {
            try PostgresSharedLog(
                address, realm: "realm", durability: durability, timeout: timeout)
        }
    }
#endif
