#if PostgreSQL
    import StorageHarness
    import Synchronization
    import Testing

    @testable import Storage

    /// The state that the shared logs of a process share for one server.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresPoolTests {
        private static func open(
            _ address: String, _ realm: String = "realm"
        ) throws -> PostgresSharedLog {
            try PostgresSharedLog(
                address, realm: realm, durability: .singleServer, timeout: .seconds(20))
        }

        private static let connections =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'RealmActors'"

        @Test func manyRealmsTakeFewConnections() throws {
            try PostgresServer.run { server in
                let address = server.address
                let logs = try (0..<40).map { try Self.open(address, "realm \($0)") }
                #expect(try server.psql(Self.connections) == "1\n")
                let wins = Tally()
                inParallel(logs.count) { number in
                    for slot: UInt64 in 1...5 {
                        if try logs[number].append([1], at: LogSlot(slot)) { wins.add() }
                    }
                }
                #expect(wins.count == 200)
                for log in logs { #expect(try log.head().next == LogSlot(6)) }
                // Eight for calls, and one for notifications.
                let count = try server.psql(Self.connections).trimmingPrefix(" ").dropLast()
                #expect(try #require(Int(count)) <= 9)
                #expect(logs[0].pool === logs[39].pool)
                // Each log had two open files of its own: 1,000 realms took 2,000.
                #expect(logs.reduce(0) { $0 + $1.end.pipeCount } <= 8)
            }
        }

        /// The durability of the server is not checked on its connections.
        @Test func connectionsOfALogThatIsInspectedServeNoHost() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server.address)
                #expect(try log.append([1], at: .first))
                let inspected = try PostgresSharedLog(
                    server.address, realm: "realm", durability: nil, timeout: .seconds(20))
                #expect(try inspected.head().next == LogSlot(2))
                #expect(inspected.pool !== log.pool)
                #expect(throws: SharedLogError.self) {
                    try inspected.append([2], at: LogSlot(2))
                }
                #expect(try log.append([3], at: LogSlot(2)))
                #expect(throws: SharedLogError.self) {
                    try PostgresSharedLog(server.address, realm: "other", durability: nil)
                }
            }
        }

        @Test func oneConnectionListensForManyRealms() throws {
            try PostgresServer.run { server in
                let address = server.address
                let logs = try (0..<20).map { try Self.open(address, "realm \($0)") }
                let waiting = Tally()
                let received = Mutex<[Int: [[UInt8]]]>([:])
                inParallel(logs.count + 1) { number in
                    guard number < logs.count else {
                        while waiting.count < logs.count { Platform.pause(for: .milliseconds(1)) }
                        for (number, log) in logs.enumerated().reversed() {
                            try log.send([UInt8(number)])
                        }
                        return
                    }
                    // The first call begins to listen.
                    _ = try logs[number].wait(for: .first, atMost: .seconds(60))
                    waiting.add()
                    var messages: [[UInt8]] = []
                    while messages.isEmpty {
                        // Logs that wait only briefly release the connection to others.
                        messages = try logs[number].wait(
                            for: .first, atMost: number % 2 == 0 ? .seconds(60) : .milliseconds(3))
                    }
                    let found = messages
                    received.withLock { $0[number] = found }
                }
                let delivered = received.withLock { $0 }
                for number in logs.indices { #expect(delivered[number] == [[UInt8(number)]]) }
                // Eight for calls, one for notifications, and one that listens.
                let count = try server.psql(Self.connections).trimmingPrefix(" ").dropLast()
                #expect(try #require(Int(count)) <= 10)
                let listener = logs[0].pool.listener
                #expect(listener.memberCount == logs.count)
                for log in logs { log.close() }
                #expect(listener.memberCount == 0)
            }
        }

        /// After one connection has broken, older ones are not used either.
        @Test func connectionsFromBeforeABreakAreNotReused() throws {
            try PostgresServer.run { server in
                let address = server.address
                let logs = try (0..<8).map { try Self.open(address, "realm \($0)") }
                inParallel(logs.count) { number in
                    for slot: UInt64 in 1...20 {
                        _ = try logs[number].append([1], at: LogSlot(slot))
                    }
                }
                let before = logs[0].pool.idleCount
                #expect(before > 1)
                try server.kill()
                try server.start()
                #expect(try logs[0].head().next == LogSlot(21))
                #expect(logs[0].pool.idleCount == 1)
            }
        }

        /// Where several calls broke together with their server, each ended the connections that
        /// had replaced those of the others.
        @Test func aConnectionFromBeforeABreakEndsNoNewerOne() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server.address)
                func end(_ connection: PostgresConnection) {
                    _ = try? server.psql("SELECT pg_terminate_backend(\(connection.process))")
                    while connection.takeInput() { Platform.pause(for: .milliseconds(1)) }
                }
                try log.pool.withConnection(endingWith: log.end, log.connect) {
                    (first) throws(SharedLogError) in
                    try log.pool.withConnection(endingWith: log.end, log.connect) {
                        (second) throws(SharedLogError) in
                        end(second)
                    }
                    _ = try log.head()
                    end(first)
                }
                #expect(log.pool.idleCount == 1)
            }
        }

        @Test func theEndOfOneLogDoesNotEndAnother() throws {
            try PostgresServer.run { server in
                let (one, other) = (try Self.open(server.address), try Self.open(server.address))
                #expect(try one.append([1], at: .first))
                one.close()
                #expect(throws: SharedLogError.closed) { try one.head() }
                #expect(try other.append([2], at: LogSlot(2)))
            }
        }

        /// While a server started, it got thousands of connection attempts per second if there were
        /// many realms.
        @Test func aFailureToConnectIsThatOfAllWhoAskAtOnce() throws {
            let key = PostgresPool.Key(
                address: try PostgresAddress("host=/nowhere"), durability: .singleServer,
                timeout: .seconds(20))
            let pool = PostgresPool.shared(key)
            let attempts = Tally()
            for _ in 0..<100 {
                #expect(throws: SharedLogError.unavailable("away")) {
                    try pool.reach { () throws(SharedLogError) -> PostgresConnection in
                        attempts.add()
                        throw .unavailable("away")
                    }
                }
            }
            #expect(attempts.count < 100)
        }

        /// A log that is closed while it connects does not count as a failure of the server.
        @Test func anAttemptThatIsCutOffIsNoFailureOfOthers() throws {
            let key = PostgresPool.Key(
                address: try PostgresAddress("host=/nowhere/else"), durability: .singleServer,
                timeout: .seconds(20))
            let pool = PostgresPool.shared(key)
            #expect(throws: SharedLogError.closed) {
                try pool.reach { () throws(SharedLogError) -> PostgresConnection in throw .closed }
            }
            #expect(throws: SharedLogError.unavailable("away")) {
                try pool.reach { () throws(SharedLogError) -> PostgresConnection in
                    throw .unavailable("away")
                }
            }
        }

        /// The call of a log that is closed was treated as a broken connection.
        @Test func aCallThatIsCutOffEndsNoOtherConnection() throws {
            try PostgresServer.run { server in
                let address = server.address
                let (one, other) = (try Self.open(address, "one"), try Self.open(address, "other"))
                let hasEnded = Tally()
                server.hold("BEGIN; UPDATE realmactors_head SET next = next WHERE realm = 'one';") {
                    inParallel(2) { thread in
                        if thread == 0 {
                            defer { hasEnded.add() }
                            _ = try? one.append([1], at: .first)
                        } else {
                            let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
                            while try server.psql(waiting) == "0\n", hasEnded.count == 0 {
                                Platform.pause(for: .milliseconds(10))
                            }
                            _ = try other.head()
                            one.close()
                        }
                    }
                }
                #expect(other.pool.idleCount > 0)
            }
        }

        /// During a failover, two servers answer. Entries that one had and the other lacked were
        /// reported as missing from the log, which ended all streams.
        @Test func aReadUsesOneServer() throws {
            try PostgresServer.run { server in
                // Schemas simulate the servers.
                try server.psql("CREATE ROLE app LOGIN SUPERUSER")
                for schema in ["one", "other"] {
                    try server.psql("CREATE SCHEMA \(schema)")
                    try server.psql("SET search_path TO \(schema); \(PostgresSchema.statements)")
                }
                try server.psql("ALTER ROLE app SET search_path = one")
                let log = try Self.open(
                    server.address.replacing("user=postgres", with: "user=app"))
                for slot: UInt64 in 1...2 { _ = try log.append([1], at: LogSlot(slot)) }
                try server.psql(
                    """
                    ALTER ROLE app SET search_path = other;
                    INSERT INTO other.realmactors_head
                    VALUES ('realm', \(PostgresSchema.format), 1, 1)
                    """)
                let head = try log.pool.withConnection(endingWith: log.end, log.connect) {
                    (_) throws(SharedLogError) in try log.head()
                }
                #expect(head.next == .first)
                #expect(log.pool.idleCount == 2)
                let failures = Tally()
                inParallel(3) { _ in
                    for _ in 0..<1000 {
                        let found = try? log.entries(from: LogSlot(2), bytesMax: 9)
                        if found == nil { failures.add() }
                    }
                }
                #expect(failures.count == 0)
            }
        }

        /// It waited until libpq had stopped trying to connect.
        @Test(arguments: [true, false])
        func aCallThatConnectsEndsWithItsLog(isClosed: Bool) throws {
            try PostgresServer.run { server in
                let address = server.address + " connect_timeout=60"
                let (one, other) = (try Self.open(address, "one"), try Self.open(address, "other"))
                try server.psql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        + "WHERE application_name = 'RealmActors'")
                while try server.psql(Self.connections) != "0\n" {
                    Platform.pause(for: .milliseconds(10))
                }
                try server.freeze()
                let failure =
                    isClosed
                    ? SharedLogError.closed : .unavailable("The server was not reached in time.")
                inParallel(2) { thread in
                    if thread == 0 {
                        #expect(throws: failure) { try one.head() }
                        return
                    }
                    Platform.pause(for: .milliseconds(200))
                    if isClosed { one.close() } else { one.stopWaiting() }
                }
                try server.thaw()
                // A failure to connect counts for a short time.
                Platform.pause(for: .milliseconds(100))
                #expect(try other.append([1], at: .first))
                // A call that must not wait succeeds if it need not.
                if !isClosed { #expect(try one.append([1], at: .first)) }
            }
        }

        /// A connection is passed on from one log to the next, even if the previous one is closed.
        @Test func aConnectionEndsWithTheLogThatUsesIt() throws {
            try PostgresServer.run { server in
                let address = try PostgresAddress(server.address)
                let (one, other) = (PostgresEnd(), PostgresEnd())
                let connection = try PostgresConnection(
                    address, timeout: .seconds(20), end: one)
                one.signal()
                connection.end = other
                #expect(one.pipeCount == 0 && other.pipeCount == 1)
                #expect(try connection.read("SELECT 7::bigint").integer(0, 0) == 7)
                other.signal()
                #expect(throws: SharedLogError.unavailable("The client closed the connection.")) {
                    try connection.read("SELECT pg_sleep(60)")
                }
                #expect(throws: SharedLogError.closed) {
                    try PostgresConnection(address, timeout: .seconds(20), end: other)
                }
                #expect(other.pipeCount == 1)
                #expect(connection.wasCutOff)
            }
        }

        /// A call that had waited for a connection was sent after its log was closed.
        @Test func aCallThatWaitsForOthersEndsWithItsLog() throws {
            try PostgresServer.run { server in
                let address = server.address
                let (one, other) = (try Self.open(address, "one"), try Self.open(address, "other"))
                let (holders, isOver) = (Tally(), Tally())
                inParallel(10) { thread in
                    if thread < 8 {
                        try other.pool.withConnection(endingWith: other.end, other.connect) {
                            (_) throws(SharedLogError) in
                            holders.add()
                            while isOver.count == 0 { Platform.pause(for: .milliseconds(1)) }
                        }
                        return
                    }
                    while holders.count < 8 { Platform.pause(for: .milliseconds(1)) }
                    if thread == 8 {
                        #expect(throws: SharedLogError.closed) { try one.append([1], at: .first) }
                    } else {
                        Platform.pause(for: .milliseconds(200))
                        one.close()
                        isOver.add()
                    }
                }
                #expect(try server.psql("SELECT count(*) FROM realmactors_log") == "0\n")
            }
        }

        /// A host that has stopped following is still registered for messages.
        @Test func messagesThatNobodyTakesDoNotPileUp() throws {
            try PostgresServer.run { server in
                let (idle, other) = (try Self.open(server.address), try Self.open(server.address))
                for log in [idle, other] { _ = try log.wait(for: .first, atMost: .zero) }
                // One by one, so that the waiting handle receives all of them.
                for number in 0..<PostgresListener.messagesMax + 10 {
                    let message = [UInt8(number % 256), UInt8(number / 256)]
                    try other.send(message)
                    var received: [[UInt8]] = []
                    while received.isEmpty {
                        received = try other.wait(for: .first, atMost: .seconds(60))
                    }
                    #expect(received == [message])
                }
                let kept = try idle.wait(for: .first, atMost: .seconds(60))
                #expect(kept.count == PostgresListener.messagesMax)
                #expect(kept.last == [9, 1])
            }
        }

        /// They took more and more memory while a server did not answer.
        @Test func messagesThatCannotBeSentDoNotPileUp() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server.address)
                let notifier = log.pool.notifier
                try server.freeze()
                try log.send([1])
                while notifier.waitingCount > 0 { Platform.pause(for: .milliseconds(1)) }
                for _ in 0..<PostgresNotifier.waitingMax + 1000 { try log.send([2]) }
                #expect(notifier.waitingCount <= PostgresNotifier.waitingMax)
                try server.thaw()
            }
        }

        /// Appending works on an engine without notifications.
        @Test func anAppendNeedsNoNotifications() throws {
            try PostgresServer.run { server in
                try server.psql("CREATE ROLE app LOGIN")
                try server.psql(PostgresSchema.statements)
                try server.psql("GRANT ALL ON ALL TABLES IN SCHEMA public TO app")
                try server.psql("REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC")
                let log = try Self.open(
                    server.address.replacing("user=postgres", with: "user=app"))
                #expect(try log.append([1], at: .first))
                #expect(try log.append([2], at: LogSlot(2)))
                #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2]])
            }
        }
    }
#endif
