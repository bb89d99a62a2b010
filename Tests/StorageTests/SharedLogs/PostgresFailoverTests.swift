#if PostgreSQL
    import Foundation
    import StorageHarness
    import Testing

    @testable import Storage

    /// What a log does that knows several servers, of which one may have taken over.
    @Suite(.enabled(if: PostgresServer.isInstalled), .serialized) struct PostgresFailoverTests {
        private static func servers(_ string: String) throws -> [PostgresAddress.Server] {
            try PostgresAddress(string).servers
        }

        private static func server(
            _ host: String?, _ port: String? = nil, at address: String? = nil
        ) -> PostgresAddress.Server {
            PostgresAddress.Server(host: host, hostAddress: address, port: port)
        }

        @Test func aConnectionStringListsServers() throws {
            #expect(try Self.servers("host=a,b") == [Self.server("a"), Self.server("b")])
            #expect(
                try Self.servers("host=a,b port=1,2") == [
                    Self.server("a", "1"), Self.server("b", "2"),
                ])
            #expect(
                try Self.servers("postgresql://a:1,b:2/orders")
                    == [Self.server("a", "1"), Self.server("b", "2")])
            // This has an empty list of ports.
            #expect(
                try Self.servers("postgresql://a,b/orders")
                    == [Self.server("a", ""), Self.server("b", "")])
            #expect(
                try Self.servers("hostaddr=10.0.0.1,10.0.0.2 port=7")
                    == [
                        Self.server(nil, "7", at: "10.0.0.1"),
                        Self.server(nil, "7", at: "10.0.0.2"),
                    ])
        }

        /// libpq knows the others, or what is wrong with them.
        @Test(arguments: [
            "dbname=orders", "host=a", "host=a,b port=1,2,3", "host=a,b hostaddr=10.0.0.1",
            "host=a,b service=orders", "host=a,b target_session_attrs=any",
        ])
        func otherwiseTheLibraryChoosesTheServer(_ string: String) throws {
            #expect(try Self.servers(string).isEmpty)
            #expect(PostgresPreference.order(of: try PostgresAddress(string)) == [nil])
        }

        /// libpq ignores an empty parameter, and keeps the list of the string: it reported that the
        /// lists do not match, and no server was reached.
        @Test(arguments: [
            "postgresql://postgres@%2Fnowhere,FOLDER/postgres?application_name=it%27s%20%5C",
            "postgresql://postgres@%2Fnowhere:1,FOLDER/postgres?application_name=it%27s%20%5C",
            """
            host=/nowhere,FOLDER hostaddr=127.0.0.1, port=1, user=postgres dbname=postgres
            application_name='it\\'s \\\\'
            """,
        ])
        func aListMayHaveEmptyEntries(_ string: String) throws {
            try PostgresServer.run { server in
                let isURI = string.hasPrefix("postgresql")
                let folder = isURI ? server.folder.replacing("/", with: "%2F") : server.folder
                let address = try PostgresAddress(string.replacing("FOLDER", with: folder))
                #expect(address.servers.count == 2)
                let connection = try PostgresConnection(
                    address, timeout: .seconds(20), end: PostgresEnd())
                #expect(connection.server == 1)
                let name = try connection.read("SELECT current_setting('application_name')")
                #expect(name.text(0, 0) == "it's \\")
            }
        }

        @Test func theServerThatWasThePrimaryLastIsTriedFirst() throws {
            let address = try PostgresAddress("host=first,second,third")
            #expect(PostgresPreference.order(of: address) == [0, 1, 2])
            PostgresPreference.note(1, of: address)
            #expect(PostgresPreference.order(of: address) == [1, 2, 0])
            // Another one has failed.
            PostgresPreference.avoid(0, of: address)
            #expect(PostgresPreference.order(of: address) == [1, 2, 0])
            PostgresPreference.avoid(1, of: address)
            PostgresPreference.avoid(2, of: address)
            #expect(PostgresPreference.order(of: address) == [0, 1, 2])
        }

        /// Each attempt waited for it until its limit.
        @Test func aServerThatDoesNotAnswerIsPassedOver() throws {
            try PostgresServer.run { silent in
                try PostgresServer.run { server in
                    try silent.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(silent.folder),\(server.folder) dbname=postgres user=postgres"
                            + " connect_timeout=600",
                        realm: "realm", durability: .singleServer, timeout: .seconds(600))
                    #expect(try log.append([1], at: .first))
                    try silent.thaw()
                }
            }
        }

        @Test func allServersAreNamedThatCannotBeReached() throws {
            let address = try PostgresAddress("host=/nowhere,/nowhere/else")
            let error = try #require(throws: SharedLogError.self) {
                try PostgresConnection(address, timeout: .seconds(20), end: PostgresEnd())
            }
            #expect("\(error)".contains("/nowhere/.s"))
            #expect("\(error)".contains("/nowhere/else/.s"))
        }

        /// As a standby has it that is promoted.
        @discardableResult
        private static func makeLog(
            on server: PostgresServer, _ durability: SharedLogDurability = .quorum
        ) throws -> PostgresSharedLog {
            try PostgresSharedLog(
                server.address, realm: "realm", durability: durability, timeout: .seconds(600))
        }

        /// A former primary that hangs delayed each call by the whole timeout.
        @Test func aCallEndsOnceAnotherServerIsThePrimary() throws {
            let settings = ["synchronous_standby_names": "archive"]
            try PostgresServer.run(settings: settings) { former in
                try PostgresServer.run(settings: settings) { promoted in
                    try former.startArchive()
                    try promoted.startArchive()
                    try Self.makeLog(on: promoted)
                    // The log begins on the first server, however slow that is.
                    try promoted.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(former.folder),\(promoted.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .quorum, timeout: .seconds(600))
                    #expect(try log.append([1], at: .first))
                    try former.freeze()
                    try promoted.thaw()
                    let error = SharedLogError.outcomeUnknown("Another server is the primary now.")
                    #expect(throws: error) { try log.append([2], at: LogSlot(2)) }
                    // These two do not replicate each other.
                    #expect(try log.head().next == .first)
                    #expect(try log.append([3], at: .first))
                    try former.thaw()
                }
            }
        }

        /// The connection that listens was not ended, where no call was under way: a former primary
        /// that hangs delayed the news by the whole timeout.
        @Test func aWatchEndsOnceAnotherServerIsThePrimary() throws {
            let settings = ["synchronous_standby_names": "archive"]
            try PostgresServer.run(settings: settings) { former in
                try PostgresServer.run(settings: settings) { promoted in
                    try former.startArchive()
                    try promoted.startArchive()
                    try Self.makeLog(on: promoted)
                    // The log begins on the first server, however slow that is.
                    try promoted.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(former.folder),\(promoted.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .quorum, timeout: .seconds(600))
                    #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                    try former.freeze()
                    try promoted.thaw()
                    // Watches end with the former connection.
                    _ = try? log.wait(for: .first, atMost: .seconds(600))
                    // The connections for calls have left the server as well.
                    #expect(try log.append([2], at: .first))
                    #expect(try log.wait(for: .first, atMost: .seconds(600)).isEmpty)
                    try former.thaw()
                }
            }
        }

        /// A host that only follows stayed on a former primary that answered, cut off from its
        /// standbys, until another of its calls failed there.
        @Test func aFollowerLeavesAServerThatHasLostItsStandbys() throws {
            let settings = ["synchronous_standby_names": "archive"]
            try PostgresServer.run(settings: settings) { former in
                try PostgresServer.run(settings: settings) { promoted in
                    try former.startArchive()
                    try promoted.startArchive()
                    let other = try Self.makeLog(on: promoted)
                    // The log begins on the first server, however slow that is.
                    try promoted.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(former.folder),\(promoted.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .quorum, timeout: .seconds(600))
                    #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                    #expect(try log.entries(from: .first, bytesMax: 9).isEmpty)
                    try promoted.thaw()
                    try former.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_replication")
                    #expect(try other.append([1], at: .first))
                    // Ends with the former connection.
                    _ = try? log.wait(for: .first, atMost: .seconds(60))
                    #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1]])
                }
            }
        }

        /// The connection that listens stayed on the server that the calls had left.
        @Test func theListenerFollowsTheCalls() throws {
            try PostgresServer.run { former in
                try PostgresServer.run { promoted in
                    try Self.makeLog(on: promoted, .singleServer)
                    // The log begins on the first server, however slow that is.
                    try promoted.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(former.folder),\(promoted.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .singleServer, timeout: .seconds(600))
                    #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                    try promoted.thaw()
                    // The former server is taken if it answers first.
                    repeat {
                        PostgresPreference.avoid(0, of: log.address)
                    } while try log.connect().server != 1
                    #expect(log.pool.idleCount == 0)
                    // It begins to listen there, and therefore checks the log.
                    #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                    let listening = """
                        SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                        AND (query LIKE 'LISTEN %' OR query LIKE '%AS wanted(name, place)%')
                        """
                    var rounds = 0
                    while try promoted.psql(listening) != "1\n", rounds < 50 {
                        rounds += 1
                        // A listener that reached the former one leaves it with the next call.
                        if rounds % 10 == 0 { _ = try log.connect() }
                        Platform.pause(for: .milliseconds(100))
                    }
                    #expect(rounds < 50)
                }
            }
        }

        /// It would be taken for a log that has lost all of its entries.
        @Test func aServerOnWhichTheLogIsMadeReplacesNone() throws {
            try PostgresServer.run { primary in
                try PostgresServer.run { other in
                    // The log begins on the first server, however slow that is.
                    try other.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(primary.folder),\(other.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .singleServer, timeout: .seconds(600))
                    try other.thaw()
                    try primary.freeze()
                    PostgresPreference.avoid(0, of: log.address)
                    #expect(try log.connect().server == 1)
                    #expect(log.pool.idleCount == 1)
                    try primary.thaw()
                }
            }
        }

        /// The end of a log counted as a failure of its server: the next connection tried another
        /// one first.
        @Test func aLogThatEndsDoesNotAvoidItsServer() throws {
            try PostgresServer.run { server in
                let log = try PostgresSharedLog(
                    "host=\(server.folder),/nowhere dbname=postgres user=postgres",
                    realm: "realm", durability: .singleServer, timeout: .seconds(600))
                let hasEnded = Tally()
                // The lock is held until the log is closed.
                let isOver =
                    "EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'closed')"
                server.hold("BEGIN; UPDATE realmactors_head SET next = next;", until: isOver) {
                    inParallel(2) { thread in
                        if thread == 0 {
                            defer { hasEnded.add() }
                            #expect(throws: SharedLogError.self) { try log.connect() }
                            return
                        }
                        let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                        while try server.psql(waiting) == "0\n", hasEnded.count == 0 {
                            Platform.pause(for: .milliseconds(10))
                        }
                        log.close()
                    }
                    // Waits for the lock, so that it is seen.
                    try server.psql(
                        "SET application_name = 'closed'; UPDATE realmactors_head SET next = next")
                }
                #expect(PostgresPreference.order(of: log.address) == [0, 1])
            }
        }

        /// Two proxies may lead to one server. Each of its slow calls was ended again and again.
        @Test func aServerOfTwoNamesDoesNotReplaceItself() throws {
            try PostgresServer.run(settings: ["synchronous_standby_names": "archive"]) { server in
                try server.startArchive()
                let log = try PostgresSharedLog(
                    "host=\(server.folder),\(server.folder)/. dbname=postgres user=postgres",
                    realm: "realm", durability: .quorum, timeout: .seconds(20))
                #expect(try log.reading("SELECT pg_sleep(3)", []).rows == 1)
                #expect(try log.append([1], at: .first))
            }
        }

        /// Where connecting took longer than a second, the server was taken for unreachable by its
        /// first name, and the call was ended.
        @Test func aServerOfTwoNamesThatIsReachedSlowlyDoesNotReplaceItself() throws {
            let settings = ["synchronous_standby_names": "archive", "pre_auth_delay": "2"]
            try PostgresServer.run(settings: settings) { server in
                try server.startArchive()
                let log = try PostgresSharedLog(
                    "host=\(server.folder),\(server.folder)/. dbname=postgres user=postgres"
                        + " connect_timeout=60",
                    realm: "realm", durability: .quorum, timeout: .seconds(60))
                #expect(try log.reading("SELECT pg_sleep(6)", []).rows == 1)
                #expect(try log.append([1], at: .first))
            }
        }

        /// A thread that was suspended after its server had answered ended the calls on the next
        /// primary.
        @Test func aProofFromBeforeAFailoverEndsNoCall() throws {
            try PostgresServer.run(settings: ["synchronous_standby_names": "archive"]) { server in
                try server.startArchive()
                let log = try PostgresSharedLog(
                    "host=\(server.folder),/nowhere dbname=postgres user=postgres",
                    realm: "realm", durability: .quorum, timeout: .seconds(20))
                let connection = try log.pool.connections.connect(endingWith: log.end)
                #expect(try log.prove(listening: connection))
                PostgresPreference.note(1, of: log.address)
                connection.retireAsSuperseded()
                let error = SharedLogError.unavailable("Another server is the primary now.")
                #expect(throws: error) { try log.prove(listening: connection) }
                #expect(PostgresPreference.order(of: log.address) == [1, 0])
            }
        }

        /// The session was configured again before each proof, while notifications waited.
        @Test func aFurtherProofDoesNotConfigureTheSessionAgain() throws {
            try PostgresServer.run(settings: ["synchronous_standby_names": "archive"]) { server in
                try server.startArchive()
                let log = try Self.makeLog(on: server)
                let connection = try log.pool.connections.connect(endingWith: log.end)
                #expect(try log.prove(listening: connection))
                try connection.readScript("SET lock_timeout = '7s'")
                #expect(try log.prove(listening: connection))
                let found = try connection.read("SELECT current_setting('lock_timeout')")
                #expect(found.text(0, 0) == "7s")
            }
        }

        /// Of two proxies of one server, one may die without a word: calls through it waited for
        /// the whole timeout.
        @Test func aCallEndsOnceItsServerIsReachedInAnotherWayOnly() throws {
            try PostgresServer.run(settings: ["synchronous_standby_names": "archive"]) { server in
                try server.startArchive()
                let ways = ["/way", "/other"].map { server.folder + $0 }
                for way in ways {
                    try FileManager.default.createSymbolicLink(
                        atPath: way, withDestinationPath: server.folder)
                }
                let log = try PostgresSharedLog(
                    "host=\(ways[0]),\(ways[1]) dbname=postgres user=postgres",
                    realm: "realm", durability: .quorum, timeout: .seconds(600))
                let used = try #require(PostgresPreference.order(of: log.address)[0])
                try FileManager.default.removeItem(atPath: ways[used])
                let error = SharedLogError.unavailable("Another server is the primary now.")
                #expect(throws: error) { try log.reading("SELECT pg_sleep(600)", []) }
                #expect(try log.append([1], at: .first))
            }
        }

        /// The end of the log that used it last took the signal away.
        @Test func aSupersededConnectionEndsTheCallOfTheNextLog() throws {
            try PostgresServer.run { server in
                let (one, other) = (PostgresEnd(), PostgresEnd())
                let connection = try PostgresConnection(
                    PostgresAddress(server.address), timeout: .seconds(20), end: one)
                one.signal()
                connection.supersede()
                connection.end = other
                let error = SharedLogError.unavailable("Another server is the primary now.")
                #expect(throws: error) { try connection.read("SELECT pg_sleep(60)") }
                #expect(connection.isBroken && !connection.wasCutOff)
            }
        }

        /// While data was transferred, another primary was looked for twice a second.
        @Test func aServerThatTransfersDataIsNotLate() throws {
            try PostgresServer.run { server in
                let connection = try PostgresConnection(
                    PostgresAddress(server.address), timeout: .seconds(20), end: PostgresEnd())
                let calls = Tally()
                connection.whenLate = { _ in calls.add() }
                _ = try connection.read(
                    "SELECT pg_sleep(0.1), repeat('x', 20000) FROM generate_series(1, 40)")
                // Twice a second it would be eight times; a busy machine may be late.
                #expect(calls.count <= 4)
                let before = calls.count
                _ = try connection.read("SELECT pg_sleep(2)")
                #expect(calls.count > before)
            }
        }

        /// It would be taken for a log that has lost all of its entries.
        @Test func aServerWithoutTheLogEndsNoCall() throws {
            let settings = ["synchronous_standby_names": "archive"]
            try PostgresServer.run(settings: settings) { primary in
                try PostgresServer.run(settings: settings) { other in
                    try primary.startArchive()
                    try other.startArchive()
                    // The log begins on the first server, however slow that is.
                    try other.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(primary.folder),\(other.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .quorum, timeout: .seconds(3))
                    #expect(try log.append([1], at: .first))
                    try primary.freeze()
                    try other.thaw()
                    let error = SharedLogError.outcomeUnknown("The server does not respond.")
                    #expect(throws: error) { try log.append([2], at: LogSlot(2)) }
                    #expect(try other.psql("SELECT to_regclass('realmactors_log')") == "\n")
                    try primary.thaw()
                }
            }
        }

        /// Another server that accepts writes, but has no standby, may be a former primary.
        @Test func aServerWithoutStandbysEndsNoCall() throws {
            let settings = ["synchronous_standby_names": "archive"]
            try PostgresServer.run(settings: settings) { primary in
                try PostgresServer.run(settings: settings) { lonely in
                    try primary.startArchive()
                    // The log begins on the first server, however slow that is.
                    try lonely.freeze()
                    let log = try PostgresSharedLog(
                        "host=\(primary.folder),\(lonely.folder) dbname=postgres user=postgres",
                        realm: "realm", durability: .quorum, timeout: .seconds(3))
                    #expect(try log.append([1], at: .first))
                    try primary.freeze()
                    try lonely.thaw()
                    let error = SharedLogError.outcomeUnknown("The server does not respond.")
                    #expect(throws: error) { try log.append([2], at: LogSlot(2)) }
                    try primary.thaw()
                }
            }
        }
    }
#endif
