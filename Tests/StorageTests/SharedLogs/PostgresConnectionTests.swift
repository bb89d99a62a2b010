#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// Slow answers, and sessions that a pooler exchanges.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresConnectionTests {
        private static func run(
            timeout: Duration = .seconds(20), _ body: (PostgresConnection) throws -> Void
        ) throws {
            try PostgresServer.run { server in
                let connection = try PostgresConnection(
                    PostgresAddress(server.address), timeout: timeout, end: PostgresEnd())
                try body(connection)
            }
        }

        /// The answer arrives in pieces, and takes longer in total than the timeout.
        @Test func anAnswerThatGoesOnComingIsWaitedFor() throws {
            try Self.run(timeout: .seconds(2)) { (connection) throws in
                let found = try connection.run(
                    "SELECT pg_sleep(0.1), repeat('x', 20000) FROM generate_series(1, 40)")
                #expect(found.rows == 40)
                #expect(!connection.isBroken)
            }
        }

        /// The timeout of transactions, since version 17, ended reads of large entries on a slow
        /// connection.
        @Test func noTimeoutOfTheServerEndsAStatement() throws {
            try Self.run { (connection) throws in
                let names = "('statement_timeout', 'transaction_timeout')"
                try connection.runScript(
                    """
                    SELECT set_config(name, '60000', false) FROM pg_settings
                    WHERE name IN \(names)
                    """)
                try PostgresDurability.secure(connection, .singleServer)
                let found = try connection.run(
                    "SELECT name FROM pg_settings WHERE setting <> '0' AND name IN \(names)")
                #expect(found.rows == 0)
            }
        }

        static let replacement =
            "DEALLOCATE ALL; PREPARE \(PostgresName.of(second)) AS SELECT 3"
        static let second = "SELECT 2"

        /// A pooler may give each transaction another session: the prepared statements are gone, or
        /// exist already.
        @Test(arguments: ["DEALLOCATE ALL", replacement])
        func aSessionOfOthersIsSaidToBePooled(_ script: String) throws {
            try Self.run { (connection) throws in
                _ = try connection.read("SELECT 1")
                try connection.runScript(script)
                let statement = script == Self.replacement ? Self.second : "SELECT 1"
                #expect {
                    _ = try connection.read(statement)
                } throws: { error in
                    guard case SharedLogError.refused(let why) = error else { return false }
                    return why.contains("pooler")
                }
                #expect(connection.isBroken)
            }
        }

        /// Statements had numbers. A session of a pooler could have another statement with the same
        /// number, which was executed instead.
        @Test func aNameIsThatOfOneStatement() {
            let names = ["SELECT 1", "SELECT 2", "SELECT 1 "].map { PostgresName.of($0) }
            #expect(Set(names).count == 3)
            #expect(PostgresName.of("SELECT 1") == names[0])
            #expect(names.allSatisfy { $0.utf8.count < 64 })
        }
    }
#endif
