#if PostgreSQL
    import StorageHarness
    import Synchronization
    import Testing

    @testable import Storage

    /// A shared log on a server that the test starts.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresSharedLogTests {
        private static func open(
            _ server: PostgresServer, _ realm: String = "realm",
            _ durability: SharedLogDurability = .singleServer,
            timeout: Duration = .seconds(20)
        ) throws -> PostgresSharedLog {
            try PostgresSharedLog(
                server.address, realm: realm, durability: durability, timeout: timeout)
        }

        /// One server for all checks, with a realm for each.
        @Test func conforms() throws {
            try PostgresServer.run { server in
                for conformance in SharedLogConformance.all {
                    var ends: [PostgresSharedLog] = []
                    try conformance.check {
                        let end = try Self.open(server, conformance.name)
                        ends.append(end)
                        return end
                    }
                    for end in ends { end.close() }
                }
            }
        }

        /// Many hosts that open concurrently create the tables once.
        @Test func hostsThatComeFirstAtOnceAgree() throws {
            try PostgresServer.run { server in
                let address = server.address
                let wins = Tally()
                inParallel(6) { host in
                    let log = try PostgresSharedLog(
                        address, realm: "one", durability: .singleServer)
                    if try log.append([UInt8(host)], at: .first) { wins.add() }
                }
                #expect(wins.count == 1)
            }
        }

        @Test func aRestartIsSurvived() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                #expect(try log.append([1], at: .first))
                _ = try log.wait(for: LogSlot(2), atMost: .zero)
                try server.stop()
                #expect(throws: SharedLogError.self) { try log.head() }
                do throws(SharedLogError) {
                    _ = try log.append([2], at: LogSlot(2))
                    Issue.record("There is no server.")
                } catch {
                    guard case .unavailable = error else { throw error }
                }
                #expect(throws: SharedLogError.self) {
                    while try log.wait(for: LogSlot(2), atMost: .seconds(60)).isEmpty {}
                }
                try server.start()
                #expect(try log.append([2], at: LogSlot(2)))
                #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2]])
                _ = try log.wait(for: LogSlot(3), atMost: .zero)
                try log.send([7])
                #expect(try log.wait(for: LogSlot(3), atMost: .seconds(60)) == [[7]])
            }
        }

        /// On an engine without LISTEN, the heads are polled.
        @Test func anEngineWithoutNotificationsIsAsked() throws {
            try PostgresServer.run { server in
                let (log, other) = (try Self.open(server), try Self.open(server))
                log.pool.listener.stopListening()
                #expect(try log.wait(for: .first, atMost: .milliseconds(30)).isEmpty)
                log.wake()
                #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                inParallel(2) { thread in
                    if thread == 0 {
                        let messages = try log.wait(for: .first, atMost: .seconds(60))
                        #expect(messages.isEmpty)
                        let next = try log.head().next
                        #expect(next == LogSlot(2))
                    } else {
                        Platform.pause(for: .milliseconds(50))
                        let isFirst = try other.append([1], at: .first)
                        #expect(isFirst)
                    }
                }
                let hasEnded = Tally()
                inParallel(2) { thread in
                    if thread == 0 {
                        #expect(throws: SharedLogError.closed) {
                            try log.wait(for: LogSlot(2), atMost: .seconds(60))
                        }
                        hasEnded.add()
                    } else {
                        Platform.pause(for: .milliseconds(50))
                        log.close()
                    }
                }
                #expect(hasEnded.count == 1)
            }
        }

        @Test func channelsOfRealmsDiffer() {
            let one = PostgresChannel(realm: "one")
            #expect(one.name != PostgresChannel(realm: "other").name)
            #expect(one.name == PostgresChannel(realm: "one").name)
            #expect(one.name.utf8.count < 64)
            for notification: PostgresChannel.Notification in [
                .entry(LogSlot(7)), .message([]), .message([0, 255]),
            ] {
                let payload = notification.payload
                #expect(PostgresChannel.Notification(payload: payload) == notification)
            }
            // The last one crashed the process, since no slot follows it: any role may send it.
            for payload in ["", "e", "ex", "m!", "7", "e\(UInt64.max)"] {
                #expect(PostgresChannel.Notification(payload: payload) == nil)
            }
        }

        @Test func anUnsafeServerIsRefused() throws {
            let cases: [([String: String], SharedLogDurability, String)] = [
                (["fsync": "off"], .singleServer, "fsync = off"),
                (["full_page_writes": "off"], .singleServer, "full_page_writes = off"),
                (["synchronous_commit": "off"], .singleServer, "synchronous_commit = off"),
                (["synchronous_commit": "local"], .quorum, "synchronous_commit = local"),
                ([:], .quorum, "synchronous_standby_names = ''"),
                // It waits for no standby, without a warning.
                (
                    ["synchronous_standby_names": "nobody", "max_wal_senders": "0"], .quorum,
                    "max_wal_senders = 0"
                ),
            ]
            for (settings, durability, setting) in cases {
                try PostgresServer.run(settings: settings) { server in
                    #expect(throws: SharedLogError.unsafe(setting: setting)) {
                        try Self.open(server, "realm", durability)
                    }
                }
            }
        }

        @Test func settingsOfQuorumsAreChecked() {
            func judge(_ commit: String, _ names: String) -> String? {
                PostgresDurability.unsafeSetting(
                    in: [
                        "fsync": "on", "full_page_writes": "on", "synchronous_commit": commit,
                        "synchronous_standby_names": names,
                    ], .quorum)
            }
            #expect(judge("on", "ANY 1 (a, b)") == nil)
            #expect(judge("remote_apply", "*") == nil)
            #expect(judge("remote_write", "*") == "synchronous_commit = remote_write")
            #expect(judge("on", "  ") == "synchronous_standby_names =   ")
        }

        /// The settings of the role do not affect an append that has to wait.
        @Test func settingsOfTheRoleDoNotCount() throws {
            try PostgresServer.run { server in
                try server.psql("CREATE ROLE app LOGIN SUPERUSER")
                for setting in [
                    "statement_timeout = 200", "lock_timeout = 200",
                    "default_transaction_isolation = 'serializable'",
                    "client_min_messages = error",
                ] { try server.psql("ALTER ROLE app SET \(setting)") }
                let address = server.address.replacing("user=postgres", with: "user=app")
                let log = try PostgresSharedLog(
                    address, realm: "realm", durability: .singleServer)
                let update = "BEGIN; UPDATE realmactors_head SET barrier = barrier + 1;"
                server.hold(update) {
                    let isFirst = try log.append([1], at: .first)
                    #expect(isFirst)
                }
                #expect(try log.head().next == LogSlot(2))
                let level = try log.reading("SELECT current_setting('client_min_messages')", [])
                #expect(level.text(0, 0) == "warning")
            }
        }

        @Test func aRoleThatMayNotMakeTablesUsesThoseThatAreThere() throws {
            try PostgresServer.run { server in
                try server.psql("CREATE ROLE app LOGIN")
                let address = server.address.replacing("user=postgres", with: "user=app")
                func open() throws -> PostgresSharedLog {
                    try PostgresSharedLog(address, realm: "realm", durability: .singleServer)
                }
                do {
                    _ = try open()
                    Issue.record("It may not make tables.")
                } catch SharedLogError.refused(let why) {
                    #expect(why.contains("42501"))
                }
                try server.psql(PostgresSchema.statements)
                try server.psql("GRANT ALL ON ALL TABLES IN SCHEMA public TO app")
                #expect(try open().append([1], at: .first))
            }
        }

        /// Two hosts open concurrently for the first time, each with a role of its own.
        @Test func tablesThatAnotherRoleIsMakingAreWaitedFor() throws {
            try PostgresServer.run { server in
                try server.psql("CREATE ROLE app LOGIN")
                try server.psql("GRANT CREATE ON SCHEMA public TO app")
                let address = server.address.replacing("user=postgres", with: "user=app")
                let tables = """
                    \(PostgresSchema.lock) \(PostgresSchema.statements)
                    GRANT ALL ON ALL TABLES IN SCHEMA public TO app;
                    """
                server.hold(tables) {
                    let log = try PostgresSharedLog(
                        address, realm: "realm", durability: .singleServer)
                    let isFirst = try log.append([1], at: .first)
                    #expect(isFirst)
                }
            }
        }

        /// The next call got a connection with a failed transaction.
        @Test func tablesThatCouldNotBeMadeLeaveNoTransaction() throws {
            try PostgresServer.run { server in
                try server.psql("CREATE ROLE app LOGIN")
                let address = server.address.replacing("user=postgres", with: "user=app")
                func makeTables() throws {
                    try server.psql(PostgresSchema.statements)
                    try server.psql("GRANT ALL ON ALL TABLES IN SCHEMA public TO app")
                }
                func open(_ realm: String) throws -> PostgresSharedLog {
                    try PostgresSharedLog(address, realm: realm, durability: .singleServer)
                }
                try makeTables()
                let one = try open("one")
                try server.psql("DROP TABLE realmactors_head, realmactors_log, realmactors_image")
                #expect(throws: SharedLogError.self) { try open("other") }
                try makeTables()
                let other = try open("other")
                #expect(other.pool === one.pool)
                #expect(try other.append([1], at: .first))
            }
        }

        @Test func aLogOfAnotherFormatIsRefused() throws {
            try PostgresServer.run { server in
                _ = try Self.open(server)
                try server.psql("UPDATE realmactors_head SET format = 2")
                #expect(
                    throws: SharedLogError.refused(
                        "The log of the realm has format 2, which is not known.")
                ) { try Self.open(server) }
            }
        }

        @Test func aHeadThatMakesNoSenseIsRefused() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                let refusal = SharedLogError.refused("The head row of the realm is invalid.")
                for (first, next) in [(7, 1), (0, 1), (1, 0), (1, -1)] {
                    try server.psql(
                        "UPDATE realmactors_head SET first = \(first), next = \(next)")
                    #expect(throws: refusal, "\(first), \(next)") { try log.head() }
                }
                try server.psql("UPDATE realmactors_head SET first = 1, next = 1")
                #expect(try log.head().next == .first)
            }
        }

        @Test func aManuallyRemovedEntryIsDetected() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                for slot in 1...3 { _ = try log.append([1], at: LogSlot(UInt64(slot))) }
                try server.psql("DELETE FROM realmactors_log WHERE slot = 2")
                #expect(try log.entries(from: .first, bytesMax: 9).count == 1)
                #expect(throws: SharedLogError.refused("The entry of slot 2 is missing.")) {
                    try log.entries(from: LogSlot(2), bytesMax: 9)
                }
            }
        }
    }

    /// Messages do not disclose credentials.
    @Suite(.enabled(if: PostgresServer.isInstalled)) struct PostgresPasswordTests {
        private static let password = "hunter2-and-more"

        private static func message(_ address: String) -> String {
            do {
                _ = try PostgresSharedLog(address, realm: "realm", durability: .singleServer)
                return "no error"
            } catch {
                return "\(error)"
            }
        }

        @Test(arguments: [
            "host=127.0.0.1 port=1 password=\(password)", "postgresql://me:\(password)@127.0.0.1:1",
            "host=/nowhere/\(password) password=\(password)", "\(password)",
            "password='\(password)",
            "host=127.0.0.1 port=1 \(password)=1", "host=127.0.0.1 port=\(password)",
            "host=\(password) port=1 password=\(password) connect_timeout=2",
        ])
        func noMessageHasIt(_ address: String) {
            let message = Self.message(address)
            #expect(message != "no error")
            #expect(
                !message.contains(Self.password) || !address.contains("password="), "\(message)")
            #expect(!message.contains(address))
        }

        /// The part of a password after a character that must be encoded is parsed as a host or a
        /// port, which was quoted.
        @Test(arguments: [
            "postgresql://me:\(password)@127.0.0.1:1", "postgresql://me:\(password)/x@127.0.0.1:1",
            "postgresql://me:x@\(password)@127.0.0.1:1/db",
            "postgresql://me:x@y,\(password)@127.0.0.1:1",
            "postgresql://me:x@y:\(password)@127.0.0.1:1",
            "postgresql://me:x@\(password)/y@127.0.0.1:1",
            "postgres://me:x@\(password):1/y@127.0.0.1:1",
        ])
        func noMessageHasThePasswordOfAURI(_ address: String) {
            let message = Self.message(address)
            #expect(message != "no error")
            #expect(!message.contains(Self.password), "\(message)")
        }

        @Test(arguments: [
            "host=/run/postgresql@15", "host=@socket", "postgresql://a:5432,b:5433/app?user=me%40b",
            "postgresql://me:a%40b%2Fc@[::1]:5432", "host=a,b port=5432,", "",
            "postgresql://me:a?b@c/d%40e?application_name=f@g", "host=c dbname=d/e@f",
            "postgresql://me@[fe80::1%25eth0]:1,%2Frun%2Fpg%4015,,c/d", "host='@a' port=' 1 '",
        ])
        func validAddressesAreAccepted(_ address: String) throws {
            _ = try PostgresAddress(address)
        }

        @Test func aServerThatQuotesIsScrubbed() throws {
            try PostgresServer.run { server in
                // The role has the password as its name, and the server reports that it does not
                // exist.
                let address =
                    server.address.replacing("user=postgres", with: "user=\(Self.password)")
                    + " password=\(Self.password)"
                let message = Self.message(address)
                #expect(message.contains("***"))
                #expect(!message.contains(Self.password))
            }
        }

        @Test func anAddressSaysWhatItWants() throws {
            try PostgresServer.run { server in
                try server.set("default_transaction_read_only", to: "on")
                let message = Self.message(server.address)
                #expect(message.contains("unavailable"))
                #expect(message.contains("read-only"), "\(message)")
            }
        }
    }
#endif
