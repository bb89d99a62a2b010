#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// A statement that the server runs after another one, in one pipeline.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresPipelineTests {
        private static func run(_ body: (PostgresConnection, PostgresServer) throws -> Void) throws
        {
            try PostgresServer.run { server in
                let connection = try PostgresConnection(
                    PostgresAddress(server.address), timeout: .seconds(20), end: PostgresEnd())
                try connection.runScript(
                    """
                    CREATE TABLE first (
                        number bigint CONSTRAINT once UNIQUE DEFERRABLE INITIALLY DEFERRED);
                    CREATE TABLE behind (number bigint PRIMARY KEY);
                    """)
                try body(connection, server)
            }
        }

        private static let insertion = "INSERT INTO first VALUES ($1) RETURNING number"
        private static let insertionBehind = "INSERT INTO behind VALUES ($1)"

        private static func insert(
            _ number: Int64, then next: Int64, _ connection: PostgresConnection
        ) throws -> Int64 {
            try connection.run(
                insertion, [.integer(number)], then: insertionBehind, [.integer(next)]
            ).integer(0, 0)
        }

        @Test func bothRunAndTheConnectionGoesOn() throws {
            try Self.run { (connection, server) throws in
                for number: Int64 in 1...20 {
                    #expect(try Self.insert(number, then: number, connection) == number)
                    if number.isMultiple(of: 3) {
                        let found = try connection.run("SELECT count(*) FROM first")
                        #expect(found.integer(0, 0) == number)
                    }
                }
                // After the answer that no caller has waited for.
                #expect(try connection.run("SELECT count(*) FROM behind").integer(0, 0) == 20)
                #expect(!connection.isBroken)
                #expect(try server.psql("SELECT count(*) FROM behind") == "20\n")
            }
        }

        @Test func pipelinedStatementsAreOneRoundTrip() throws {
            try Self.run { (connection, _) throws in
                // The first call prepares both.
                _ = try Self.insert(1, then: 1, connection)
                let before = connection.roundTrips
                _ = try Self.insert(2, then: 2, connection)
                #expect(connection.roundTrips == before + 1)
                _ = try Self.insert(3, then: 3, connection)
                #expect(connection.roundTrips == before + 2)
            }
        }

        @Test func aFailingFollowUpDoesNotUndoTheStatement() throws {
            try Self.run { (connection, _) throws in
                #expect(try Self.insert(1, then: 1, connection) == 1)
                #expect(try Self.insert(2, then: 1, connection) == 2)
                #expect(try connection.run("SELECT count(*) FROM first").integer(0, 0) == 2)
                #expect(try connection.run("SELECT count(*) FROM behind").integer(0, 0) == 1)
                #expect(!connection.isBroken)
            }
        }

        /// The row arrives before the transaction has ended, and does not determine its outcome.
        @Test func aCommitThatFailsIsNotTakenForItsRow() throws {
            try Self.run { (connection, _) throws in
                #expect(try Self.insert(1, then: 1, connection) == 1)
                #expect {
                    _ = try Self.insert(1, then: 2, connection)
                } throws: { error in
                    guard case PostgresConnection.Failure.undone(let state, _) = error else {
                        return false
                    }
                    return state == "23505"
                }
                #expect(try connection.run("SELECT count(*) FROM first").integer(0, 0) == 1)
                #expect(try connection.run("SELECT count(*) FROM behind").integer(0, 0) == 2)
            }
        }

        @Test(arguments: ["SELECT no_function($1)", "NO STATEMENT $1"])
        func aStatementThatTheServerDoesNotKnowIsLeftOut(_ unknown: String) throws {
            try Self.run { (connection, _) throws in
                for number: Int64 in 1...2 {
                    let before = connection.roundTrips
                    let found = try connection.run(
                        Self.insertion, [.integer(number)], then: unknown, [.integer(1)])
                    #expect(found.integer(0, 0) == number)
                    // It is not tried again, which would take another one.
                    if number == 2 { #expect(connection.roundTrips == before + 1) }
                }
                #expect(try connection.run("SELECT count(*) FROM first").integer(0, 0) == 2)
            }
        }

        /// After an error that did not last, the hosts were not notified of any further append on
        /// the connection.
        @Test func aStatementThatCouldNotBePreparedIsTriedBehindTheNext() throws {
            try Self.run { (connection, _) throws in
                let insertion = "INSERT INTO later VALUES ($1)"
                for number: Int64 in 1...3 {
                    let found = try connection.run(
                        Self.insertion, [.integer(number)], then: insertion, [.integer(number)])
                    #expect(found.integer(0, 0) == number)
                    if number == 1 { try connection.runScript("CREATE TABLE later (n bigint)") }
                }
                #expect(try connection.run("SELECT sum(n)::bigint FROM later").integer(0, 0) == 5)
                #expect(!connection.isBroken)
            }
        }

        /// Each append on an engine that says so by this code needed a new connection.
        @Test func aStatementThatTheServerDoesNotSupportBreaksNoConnection() throws {
            try Self.run { (connection, _) throws in
                let found = try connection.run(
                    Self.insertion, [.integer(1)], then: "SELECT $1 FROM other.public.first",
                    [.integer(1)])
                #expect(found.integer(0, 0) == 1)
                #expect(!connection.isBroken)
            }
        }

        /// The answer of a question may be consumed by the next call if no caller waits for it.
        @Test func aQuestionIsAnsweredBehindTheCommit() throws {
            try Self.run { (connection, _) throws in
                for number: Int64 in 1...6 {
                    let found = try connection.run(
                        Self.insertion, [.integer(number)],
                        asking: "SELECT count(*) FROM first",
                        then: Self.insertionBehind, [.integer(number)])
                    #expect(found.integer(0, 0) == number)
                    if number.isMultiple(of: 2) {
                        #expect(try connection.followUpAnswer().integer(0, 0) == number)
                    }
                }
                #expect(try connection.run("SELECT count(*) FROM behind").integer(0, 0) == 6)
                _ = try connection.run("SELECT 1", asking: "SELECT 2::bigint")
                #expect(try connection.followUpAnswer().integer(0, 0) == 2)
                #expect(try connection.run("SELECT 3::bigint").integer(0, 0) == 3)
                #expect(!connection.isBroken)
            }
        }

        @Test func aQuestionThatFailsLeavesTheOutcomeOpen() throws {
            try Self.run { (connection, _) throws in
                #expect(try Self.insert(1, then: 1, connection) == 1)
                let question = "SELECT 1 / count(*) FROM behind WHERE number = 7"
                let found = try connection.run(
                    Self.insertion, [.integer(2)], asking: question)
                #expect(found.integer(0, 0) == 2)
                #expect {
                    _ = try connection.followUpAnswer()
                } throws: { error in
                    guard case PostgresConnection.Failure.unanswered(let why) = error else {
                        return false
                    }
                    return why == "division by zero"
                }
                #expect(connection.isBroken)
            }
        }

        @Test func aConnectionThatEndsBehindTheAnswerIsNotUsedAgain() throws {
            try Self.run { (connection, server) throws in
                #expect(try Self.insert(1, then: 1, connection) == 1)
                _ = try server.psql("SELECT pg_terminate_backend(\(connection.process))")
                while connection.takeInput() { Platform.pause(for: .milliseconds(1)) }
                #expect(throws: PostgresConnection.Failure.self) {
                    try connection.run("SELECT 1")
                }
                #expect(connection.isBroken)
                #expect(try server.psql("SELECT count(*) FROM first") == "1\n")
            }
        }
    }
#endif
