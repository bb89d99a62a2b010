#if PostgreSQL
    import StorageHarness
    import Testing

    @testable import Storage

    /// What a log does that knows several servers, of which one may have taken over.
    @Suite(
        .enabled(if: PostgresServer.isInstalled, "There is no PostgreSQL server on this machine."),
        .serialized)
    struct PostgresFailoverTests {
        /// A former primary that hangs delayed each call by the whole timeout.
        @Test func aCallEndsOnceAnotherServerIsThePrimary() throws {
            try PostgresServer.runTwo(.quorum) { former, promoted, log in
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

        /// The connection that listens was not ended, where no call was under way: a former primary
        /// that hangs delayed the news by the whole timeout.
        @Test func aWatchEndsOnceAnotherServerIsThePrimary() throws {
            try PostgresServer.runTwo(.quorum) { former, promoted, log in
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

        /// A host that only follows stayed on a former primary that answered, cut off from its
        /// standbys, until another of its calls failed there.
        @Test func aFollowerLeavesAServerThatHasLostItsStandbys() throws {
            try PostgresServer.runTwo(.quorum) { former, promoted, log in
                #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
                #expect(try log.entries(from: .first, bytesMax: 9).isEmpty)
                try promoted.thaw()
                let other = try promoted.openLog(.quorum)
                try former.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_replication")
                #expect(try other.append([1], at: .first))
                // Ends with the former connection.
                _ = try? log.wait(for: .first, atMost: .seconds(60))
                #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1]])
            }
        }

        /// It would be taken for a log that has lost all of its entries.
        @Test func aServerOnWhichALogIsMadeReplacesNone() throws {
            try PostgresServer.runTwo(.quorum, secondHasLog: false) { _, other, log in
                try other.thaw()
                let connection = try log.pool.connections.connect(
                    endingWith: log.end, trying: [1])
                // As a log that is being opened.
                #expect(try log.prove(connection, makesLog: true).server == 1)
                #expect(log.pool.idleCount == 1)
            }
        }

        /// The log was made there, and was then taken for one that has lost all of its entries.
        @Test func anOpenLogIsNotMadeOnAnotherServer() throws {
            try PostgresServer.runTwo(.singleServer, secondHasLog: false) { primary, other, log in
                #expect(try log.append([1], at: .first))
                try other.thaw()
                try primary.stop()
                let reason = "The database has no logs of realms."
                #expect(throws: SharedLogError.unavailable(reason)) { try log.head() }
                #expect(try other.psql("SELECT to_regclass('realmactors_log')") == "\n")
                try primary.start()
                // However slow the primary is.
                try other.freeze()
                #expect(try log.append([2], at: LogSlot(2)))
                try other.thaw()
            }
        }

        /// The end of a log counted as a failure of its server: the next connection tried another
        /// one first.
        @Test func aLogThatEndsDoesNotAvoidItsServer() throws {
            try PostgresServer.run { server in
                let log = try PostgresServer.openLog(
                    "host=\(server.folder),/nowhere dbname=postgres user=postgres", .singleServer)
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

        /// A thread that was suspended after its server had answered ended the calls on the next
        /// primary.
        @Test func aProofFromBeforeAFailoverEndsNoCall() throws {
            try PostgresServer.runWithArchive { server in
                let log = try PostgresServer.openLog(
                    "host=\(server.folder),/nowhere dbname=postgres user=postgres", .quorum,
                    timeout: .seconds(20))
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
            try PostgresServer.runWithArchive { server in
                let log = try server.openLog(.quorum)
                let connection = try log.pool.connections.connect(endingWith: log.end)
                #expect(try log.prove(listening: connection))
                try connection.readScript("SET lock_timeout = '7s'")
                #expect(try log.prove(listening: connection))
                let found = try connection.read("SELECT current_setting('lock_timeout')")
                #expect(found.text(0, 0) == "7s")
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
            try PostgresServer.runTwo(.quorum, secondHasLog: false, timeout: .seconds(3)) {
                primary, other, log in
                try expectNoReplacement(of: primary, by: other, log)
                #expect(try other.psql("SELECT to_regclass('realmactors_log')") == "\n")
                try primary.thaw()
            }
        }

        /// Another server that accepts writes, but has no standby, may be a former primary.
        @Test func aServerWithoutStandbysEndsNoCall() throws {
            try PostgresServer.runTwo(
                .quorum, secondHasStandby: false, secondHasLog: false, timeout: .seconds(3)
            ) { primary, lonely, log in
                try expectNoReplacement(of: primary, by: lonely, log)
                try primary.thaw()
            }
        }

        /// Expects a call to wait for its server, which is frozen, beside another one.
        private func expectNoReplacement(
            of primary: PostgresServer, by other: PostgresServer, _ log: PostgresSharedLog
        ) throws {
            #expect(try log.append([1], at: .first))
            try primary.freeze()
            try other.thaw()
            let error = #expect(throws: SharedLogError.self) {
                try log.append([2], at: LogSlot(2))
            }
            // On a slow machine, a search may have found the same server before: a connection that
            // is new has no settings yet, and does not send the entry before it has them.
            let reason = "The server does not respond."
            #expect(error == .outcomeUnknown(reason) || error == .unavailable(reason))
        }
    }
#endif
