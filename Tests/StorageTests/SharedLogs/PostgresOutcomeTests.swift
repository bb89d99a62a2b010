#if PostgreSQL
    import StorageHarness
    import Synchronization
    import Testing

    @testable import Storage

    /// Appends with an unknown outcome, and how it is determined.
    @Suite(.enabled(if: PostgresServer.isInstalled), .serialized) struct PostgresOutcomeTests {
        private static func open(
            _ server: PostgresServer, timeout: Duration = .seconds(20)
        ) throws(SharedLogError) -> PostgresSharedLog {
            try PostgresSharedLog(
                server.address, realm: "realm", durability: .singleServer, timeout: timeout)
        }

        private static func entry(_ slot: UInt64) -> [UInt8] {
            SharedEntry(
                kind: .group, realm: .zero, slot: LogSlot(slot), epoch: 1, host: .zero,
                firstVersion: slot, lastVersion: slot, previousHash: .none,
                payload: [UInt8](repeating: 3, count: 3000)
            ).encoded(nil)
        }

        /// Appends the same bytes to the same slot until the outcome is known.
        private static func append(
            _ entry: [UInt8], at slot: LogSlot, to log: PostgresSharedLog
        ) -> (wasUnknown: Bool, Bool) {
            var wasUnknown = false
            while true {
                do throws(SharedLogError) {
                    if try log.append(entry, at: slot) { return (wasUnknown, true) }
                    try log.barrier()
                    let found = try log.entries(from: slot, bytesMax: 1)
                    return (wasUnknown, found.first?.bytes == entry)
                } catch {
                    if case .outcomeUnknown = error { wasUnknown = true }
                    Platform.pause(for: .milliseconds(10))
                }
            }
        }

        /// A server that is killed repeatedly while entries are appended stores each of them once.
        /// It is killed until that has interrupted an append, which may take longer on a busy
        /// machine.
        @Test func killsLoseNothingAndDoubleNothing() throws {
            let (killsMin, killsMax) = (5, 40)
            try PostgresServer.run { server in
                let log = try Self.open(server)
                let isOver = Tally()
                let unknown = Tally()
                let appended = Mutex<[[UInt8]]>([])
                inParallel(2) { thread in
                    if thread == 0 {
                        defer { isOver.add() }
                        for kill in 0..<killsMax where kill < killsMin || unknown.count == 0 {
                            let count = appended.withLock { $0.count }
                            while appended.withLock({ $0.count }) < count + 50 {
                                Platform.pause(for: .milliseconds(1))
                            }
                            try server.kill()
                            try server.start()
                        }
                    } else {
                        var slot: UInt64 = 1
                        while isOver.count == 0 {
                            let entry = Self.entry(slot)
                            let (wasUnknown, isThere) = Self.append(
                                entry, at: LogSlot(slot), to: log)
                            #expect(isThere)
                            if wasUnknown { unknown.add() }
                            appended.withLock { $0.append(entry) }
                            slot += 1
                        }
                    }
                }
                let expected = appended.withLock { $0 }
                #expect(try Self.all(log) == expected)
                #expect(Set(expected).count == expected.count)
                #expect(unknown.count > 0, "an append was under way when the server was killed")
            }
        }

        private static func all(_ log: PostgresSharedLog) throws -> [[UInt8]] {
            var found: [[UInt8]] = []
            while true {
                let slot = LogSlot(UInt64(found.count + 1))
                let next = try log.entries(from: slot, bytesMax: 1 << 20).map(\.bytes)
                if next.isEmpty { return found }
                found += next
            }
        }

        /// Makes the server wait for a standby that does not exist.
        private static func requireStandby(_ server: PostgresServer) throws {
            try server.set("synchronous_standby_names", to: "nobody")
        }

        /// Makes the server wait for no standby.
        private static func requireNoStandby(_ server: PostgresServer) throws {
            try server.set("synchronous_standby_names", to: "")
        }

        private static func outcome(
            _ log: PostgresSharedLog, _ slot: LogSlot
        ) -> SharedLogError? {
            do throws(SharedLogError) {
                _ = try log.append([7], at: slot)
                return nil
            } catch {
                return error
            }
        }

        /// After a restart, a row that no standby has is visible; a host that connects does not
        /// consider it durable.
        @Test func rowsWithoutAStandbyAreNotDurable() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server, timeout: .seconds(1))
                #expect(try log.append([1], at: .first))
                try Self.requireStandby(server)
                guard case .outcomeUnknown = Self.outcome(log, LogSlot(2)) else {
                    Issue.record("It cannot be known to be kept.")
                    return
                }
                let count = "SELECT count(*) FROM realmactors_log"
                #expect(try server.psql(count) == "1\n", "nobody sees it while it waits")
                try server.kill()
                try server.start()
                #expect(try server.psql(count) == "2\n", "the trap: it is there")
                #expect(throws: SharedLogError.self) {
                    try log.entries(from: LogSlot(2), bytesMax: 9)
                }
                try Self.requireNoStandby(server)
                #expect(try log.entries(from: LogSlot(2), bytesMax: 9).map(\.bytes) == [[7]])
                #expect(try !log.append([7], at: LogSlot(2)))
            }
        }

        /// Somebody cancels the wait for the standby: the server reports success, with a warning,
        /// also to clients that have disabled warnings.
        @Test func aCancelledWaitIsNoAcknowledgement() throws {
            try PostgresServer.run { server in
                try server.psql("ALTER ROLE postgres SET client_min_messages = error")
                let log = try Self.open(server)
                try Self.requireStandby(server)
                let outcome = Mutex<SharedLogError?>(nil)
                let hasEnded = Tally()
                inParallel(2) { thread in
                    if thread == 0 {
                        let error = Self.outcome(log, .first)
                        outcome.withLock { $0 = error }
                        hasEnded.add()
                    } else {
                        while hasEnded.count == 0 {
                            try server.psql(
                                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
                                    + "WHERE wait_event = 'SyncRep'")
                        }
                    }
                }
                let error = outcome.withLock { $0 }
                #expect(
                    error == .outcomeUnknown("The server did not wait for its standbys."))
                #expect(try server.psql("SELECT count(*) FROM realmactors_log") == "1\n")
            }
        }

        /// A pooler that exchanges sessions between transactions gave an append the session of an
        /// image, in which a commit does not wait for the disk.
        @Test func aSessionThatDoesNotWaitWritesNothing() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                func changeSession() throws {
                    _ = try log.reading(
                        "SELECT set_config('synchronous_commit', 'off', false)", [])
                }
                let refusal = SharedLogError.unsafe(setting: "synchronous_commit = off")
                try changeSession()
                #expect(Self.outcome(log, .first) == refusal)
                #expect(try log.head().next == .first)
                try changeSession()
                #expect(throws: refusal) { try log.barrier() }
                #expect(try log.append([7], at: .first))
            }
        }

        // MARK: Changing settings

        /// A log on a server whose standby setting, in sessions of this role, is set by the test,
        /// and whose other settings are not checked.
        private static func openQuorum(
            _ server: PostgresServer, standbys: String
        ) throws -> PostgresSharedLog {
            try server.psql("CREATE ROLE app LOGIN SUPERUSER")
            try server.psql("ALTER ROLE app SET search_path = public, pg_catalog")
            try server.psql(
                "CREATE VIEW public.pg_settings AS SELECT * FROM pg_catalog.pg_settings WHERE false"
            )
            try sayStandbys(standbys, server)
            return try PostgresSharedLog(
                server.address.replacing("user=postgres", with: "user=app"), realm: "realm",
                durability: .quorum, timeout: .seconds(20))
        }

        private static func sayStandbys(_ names: String, _ server: PostgresServer) throws {
            try server.psql(
                """
                CREATE OR REPLACE FUNCTION public.current_setting(text, boolean) RETURNS text
                LANGUAGE plpgsql AS $$ BEGIN
                    IF $1 = 'synchronous_standby_names' THEN RETURN \(names); END IF;
                    RETURN pg_catalog.current_setting($1, $2);
                END $$
                """)
        }

        /// With an engine that speaks the protocol of PostgreSQL and has its own replication, every
        /// outcome was reported as unknown.
        @Test func anEngineThatKnowsNoStandbysIsAppendedTo() throws {
            try PostgresServer.run { server in
                let log = try Self.openQuorum(server, standbys: "NULL")
                #expect(try log.append([1], at: .first))
                #expect(try !log.append([2], at: .first))
                #expect(try log.head().next == LogSlot(2))
            }
        }

        /// The server is set to wait for no standby. Existing connections continued to prove
        /// entries, and to report slots as filled by entries that no standby has.
        @Test func aServerThatWaitsForNoStandbyProvesNothing() throws {
            try PostgresServer.run { server in
                let log = try Self.openQuorum(server, standbys: "'any'")
                #expect(try log.append([1], at: .first))
                try Self.sayStandbys("''", server)
                let refusal = SharedLogError.unsafe(setting: "synchronous_standby_names = ''")
                #expect(Self.outcome(log, .first) == refusal)
                #expect(Self.outcome(log, LogSlot(2)) == refusal)
                try Self.sayStandbys("'any'", server)
                #expect(try log.head().next == LogSlot(2))
                try Self.sayStandbys("' '", server)
                #expect(throws: refusal) { try log.barrier() }
                try Self.sayStandbys("'any'", server)
                #expect(try log.append([7], at: LogSlot(2)))
            }
        }

        /// The server is set to wait for no standby while a commit waits for one: it continues as
        /// if one had answered, without a warning.
        @Test(arguments: [true, false])
        func aWaitThatEndsWithTheSettingIsNoAcknowledgement(isAppend: Bool) throws {
            try PostgresServer.run { server in
                let log = try Self.openQuorum(server, standbys: "'any'")
                try Self.sayStandbys(
                    "pg_catalog.current_setting('synchronous_standby_names')", server)
                try Self.requireStandby(server)
                let hasEnded = Tally()
                inParallel(2) { thread in
                    if thread == 0 {
                        defer { hasEnded.add() }
                        if isAppend {
                            let error = Self.outcome(log, .first)
                            #expect(
                                error
                                    == .outcomeUnknown(
                                        "synchronous_standby_names is now empty."))
                            return
                        }
                        let refusal = SharedLogError.unsafe(
                            setting: "synchronous_standby_names = ''")
                        #expect(throws: refusal) { try log.barrier() }
                        return
                    }
                    let waiting =
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
                    while try server.psql(waiting) == "0\n", hasEnded.count == 0 {
                        Platform.pause(for: .milliseconds(10))
                    }
                    try Self.requireNoStandby(server)
                }
            }
        }

        /// A proxy has an error code for outcomes that it does not know.
        @Test func anAnswerThatLeavesTheOutcomeOpenIsNone() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                try server.psql(
                    """
                    CREATE FUNCTION leave_open() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        RAISE EXCEPTION 'ambiguous' USING ERRCODE = '40003';
                    END $$;
                    CREATE TRIGGER leaves_open BEFORE INSERT ON realmactors_log
                    FOR EACH ROW EXECUTE FUNCTION leave_open();
                    """)
                #expect(Self.outcome(log, .first) == .outcomeUnknown("ambiguous"))
            }
        }

        /// The server stops responding, as if its machine did.
        @Test func aServerThatDoesNotAnswerIsGivenUp() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server, timeout: .seconds(1))
                #expect(try log.append([1], at: .first))
                // Waits for the answers after that of the append: the next call would wait for them
                // before it sends anything.
                #expect(try log.head().next == LogSlot(2))
                try server.freeze()
                let outcome = Self.outcome(log, LogSlot(2))
                #expect(outcome == .outcomeUnknown("The server does not respond."))
                guard case .unavailable = Self.outcome(log, LogSlot(2)) else {
                    Issue.record("It cannot even be connected to.")
                    return
                }
                try server.thaw()
                let (_, isThere) = Self.append([7], at: LogSlot(2), to: log)
                #expect(isThere)
                #expect(try log.head().next == LogSlot(3))
            }
        }

        /// Another session holds the lock of the head row, and does not release it.
        @Test func anAppendThatWaitsForAnotherIsUndone() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server, timeout: .seconds(5))
                // The lock is held until there is an answer.
                let isOver =
                    "EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'answered')"
                server.hold("BEGIN; UPDATE realmactors_head SET next = next;", until: isOver) {
                    let outcome = Self.outcome(log, .first)
                    try server.psql("SET application_name = 'answered'; SELECT pg_sleep(1)")
                    guard case .unavailable(let why)? = outcome else {
                        Issue.record("\(String(describing: outcome))")
                        return
                    }
                    #expect(why.contains("lock timeout"))
                }
                // The server has rolled it back.
                #expect(try log.head().next == .first)
                #expect(try log.append([8], at: .first))
            }
        }
    }
#endif
