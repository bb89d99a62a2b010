#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// Lists of servers that all accept writes, without standbys by which one could prove that it
    /// is the primary: all connections of a process lead to the same one.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresSingleServerTests {
        private static let listening = """
            SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
            AND (query LIKE 'LISTEN %' OR query LIKE '%AS wanted(name, place)%')
            """

        /// It listened on the server that answered first, which has no news, and stayed there.
        @Test func theListenerUsesTheServerOfTheCalls() throws {
            try PostgresServer.runTwo(.singleServer) { first, second, log in
                try second.thaw()
                PostgresPreference.note(1, of: log.address)
                // It begins to listen, and therefore checks the log.
                #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                #expect(try first.psql(Self.listening) == "1\n")
            }
        }

        /// The connection that listens stayed on the server that the calls had left.
        @Test func theListenerFollowsTheCalls() throws {
            try PostgresServer.runTwo(.singleServer) { first, second, log in
                #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                try second.thaw()
                try log.pool.withConnection(endingWith: log.end, log.connect) {
                    (connection) throws(SharedLogError) in
                    _ = try? first.psql("SELECT pg_terminate_backend(\(connection.process))")
                    while connection.takeInput() { Platform.pause(for: .milliseconds(1)) }
                }
                try first.freeze()
                #expect(try log.head().next == .first)
                try first.thaw()
                var rounds = 0
                while try second.psql(Self.listening) != "1\n", rounds < 600 {
                    rounds += 1
                    Platform.pause(for: .milliseconds(100))
                }
                #expect(rounds < 600)
            }
        }

        /// They were lost on the server that answered first.
        @Test func messagesAreSentToTheServerOfTheCalls() throws {
            try PostgresServer.runTwo(.singleServer) { first, second, log in
                let other = try first.openLog(.singleServer)
                // It begins to listen.
                #expect(try other.wait(for: .first, atMost: .seconds(60)).isEmpty)
                try second.thaw()
                PostgresPreference.note(1, of: log.address)
                try log.send([7])
                var messages: [[UInt8]] = []
                for _ in 0..<3 where messages.isEmpty {
                    messages = try other.wait(for: .first, atMost: .seconds(20))
                }
                #expect(messages == [[7]])
            }
        }

        /// A second call at the same time went to the server that answered first. There the log
        /// lacked entries, and was reported to have diverged.
        @Test func callsAtOnceUseOneServer() throws {
            try PostgresServer.runTwo(.singleServer) { first, second, log in
                try second.thaw()
                PostgresPreference.note(1, of: log.address)
                let isAppended = try log.pool.withConnection(endingWith: log.end, log.connect) {
                    (_) throws(SharedLogError) in try log.append([1], at: .first)
                }
                #expect(isAppended)
                #expect(try first.psql("SELECT count(*) FROM realmactors_log") == "1\n")
            }
        }

        /// It used the other server at the same time.
        @Test func noCallUsesAnotherServerWhileOneMayStillBeUsed() throws {
            try PostgresServer.runTwo(.singleServer) { first, second, log in
                try second.thaw()
                try first.freeze()
                #expect(throws: SharedLogError.self) { try log.connect() }
                #expect(log.pool.idleCount == 1)
                try first.thaw()
                #expect(try log.append([1], at: .first))
                #expect(try first.psql("SELECT count(*) FROM realmactors_log") == "1\n")
            }
        }

        /// Another server was tried first from then on.
        @Test func oneBrokenConnectionDoesNotEndTheUseOfAServer() throws {
            try PostgresServer.run { server in
                let log = try PostgresServer.openLog(
                    "host=\(server.folder),/nowhere dbname=postgres user=postgres", .singleServer)
                #expect(throws: SharedLogError.self) {
                    try log.reading("SELECT pg_terminate_backend(pg_backend_pid())", [])
                }
                #expect(PostgresPreference.order(of: log.address) == [0, 1])
                #expect(try log.append([1], at: .first))
            }
        }
    }
#endif
