#if PostgreSQL
    import Dispatch
    import StorageHarness
    import Testing

    @testable import Storage

    /// Notifications of a log about entries that its own handle has appended.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresListenerTests {
        private static func open(_ server: PostgresServer) throws -> PostgresSharedLog {
            try PostgresSharedLog(
                server.address, realm: "realm", durability: .singleServer, timeout: .seconds(20))
        }

        /// Watches, lets `body` append, and waits for the call of the watcher.
        private static func watch(
            _ log: PostgresSharedLog, for slot: LogSlot, _ body: () throws -> Void
        ) throws {
            let called = DispatchSemaphore(value: 0)
            log.watch(for: slot) { _ in called.signal() }
            try body()
            try #require(called.wait(timeout: .now() + 60) == .success)
        }

        private static func append(_ log: PostgresSharedLog, _ slot: LogSlot) throws {
            let isAppended = try log.append([1], at: slot)
            #expect(isAppended)
        }

        @Test func aHandleIsNotifiedOfItsOwnEntries() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                // It begins to listen, and therefore checks the log.
                try Self.watch(log, for: .first) {}
                try Self.watch(log, for: .first) {
                    for slot: UInt64 in 1...5 { try Self.append(log, LogSlot(slot)) }
                }
                try Self.watch(log, for: LogSlot(6)) {
                    try Self.append(log, LogSlot(6))
                }
            }
        }

        /// It is known from notifications, and from the poll of the heads.
        @Test func theEndOfTheLogIsKnownWithoutACall() throws {
            try PostgresServer.run { server in
                let (log, other) = (try Self.open(server), try Self.open(server))
                try Self.watch(log, for: .first) {}
                log.watch(for: LogSlot(9)) { _ in }
                for slot: UInt64 in 1...5 { try Self.append(other, LogSlot(slot)) }
                #expect(soon { log.knownNext == LogSlot(6) })
                for log in [log, other] { log.close() }
            }
        }

        /// If the log was closed between two steps of the call, it stayed registered forever.
        @Test func aLogThatIsWokenBehindItsEndIsNotListed() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                try Self.watch(log, for: .first) {}
                log.close()
                log.pool.listener.wake(log)
                #expect(log.pool.listener.memberCount == 0)
            }
        }

        /// The server of the other connections may have been replaced, while the previous one still
        /// serves the listening connection, which receives nothing any more.
        @Test func itListensAnewOnceAnotherConnectionHasBroken() throws {
            try PostgresServer.run { server in
                let log = try Self.open(server)
                try Self.watch(log, for: .first) {}
                let listening = """
                    SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                    AND (query LIKE 'LISTEN %' OR query LIKE '%AS wanted(name, place)%')
                    """
                let before = try server.psql(listening)
                try #require(!before.isEmpty)
                try server.psql(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        + "WHERE application_name = 'RealmActors' AND pid <> \(before)")
                var after = before
                for _ in 0..<1000 where after == before || after.isEmpty {
                    _ = try? log.head()
                    Platform.pause(for: .milliseconds(10))
                    after = try server.psql(listening)
                }
                #expect(after != before && !after.isEmpty)
                try Self.watch(log, for: .first) { try Self.append(log, .first) }
            }
        }

        @Test func aHandleIsNotifiedOfEntriesAfterItsOwn() throws {
            try PostgresServer.run { server in
                let (own, other) = (try Self.open(server), try Self.open(server))
                try Self.watch(own, for: .first) {}
                for slot: UInt64 in stride(from: 1, to: 20, by: 2) {
                    try Self.watch(own, for: LogSlot(slot)) {
                        try Self.append(own, LogSlot(slot))
                        try Self.append(other, LogSlot(slot + 1))
                    }
                    // The notification may only cover the first one.
                    let next = LogSlot(slot + 2)
                    try Self.watch(own, for: next) { own.wake() }
                    #expect(try own.entries(from: LogSlot(slot), bytesMax: 1000).count == 2)
                }
            }
        }
    }
#endif
