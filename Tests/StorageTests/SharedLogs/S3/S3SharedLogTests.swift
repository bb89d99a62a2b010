#if S3
    import StorageHarness
    import Testing

    @testable import Storage

    /// A shared log in a bucket with faults of every kind.
    @Suite struct S3SharedLogTests {
        private static func isEntry(_ request: S3Request) -> Bool {
            request.method == .put && request.key.contains("/entries/")
        }

        @Test(arguments: SharedLogConformance.all)
        func conforms(_ conformance: SharedLogConformance) throws {
            let bucket = MemoryBucket()
            try conformance.check { try bucket.openLog() }
        }

        /// The request was executed, or not, and repeating the same append determines that.
        @Test(arguments: [true, false]) func anOutcomeIsUnknownAndFoundOut(isWritten: Bool) throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            bucket.failOnce(isWritten ? .loseAnswer : .loseRequest, where: Self.isEntry)
            #expect(throws: SharedLogError.outcomeUnknown("lost")) {
                try log.append([2], at: LogSlot(2))
            }
            #expect(try log.append([2], at: LogSlot(2)))
            #expect(try !log.append([2], at: LogSlot(2)))
            #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2]])
        }

        @Test func anotherEntryOfAnUnknownOutcomeIsAnothers() throws {
            let bucket = MemoryBucket()
            let (one, other) = (try bucket.openLog(), try bucket.openLog())
            bucket.failOnce(.loseRequest, where: Self.isEntry)
            #expect(throws: SharedLogError.self) { try one.append([1], at: .first) }
            #expect(try other.append([2], at: .first))
            #expect(try !one.append([1], at: .first))
        }

        /// It would be taken for the entry of another host, and its commit would be repeated.
        @Test func anEntrySentTwiceIsRecognized() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            bucket.failOnce(.twice, where: Self.isEntry)
            #expect(try log.append([1], at: .first))
            #expect(try log.head().next == LogSlot(2))
        }

        @Test func anAppendWhoseBaseIsNotReadIsNotKnown() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            bucket.fail { $0.key.hasSuffix("/base") ? .unreachable : nil }
            #expect(throws: SharedLogError.outcomeUnknown("unreachable")) {
                try log.append([2], at: LogSlot(2))
            }
            bucket.fail(nil)
            #expect(try log.append([2], at: LogSlot(2)))
        }

        @Test func answersToAnAppendSayWhetherItWasWritten() throws {
            let cases: [(MemoryBucket.Fault, SharedLogError)] = [
                (.answer(500), .outcomeUnknown("")),
                (.answer(503, "SlowDown"), .outcomeUnknown("")),
                (.answer(403, "AccessDenied"), .refused("")), (.unreachable, .unavailable("")),
                (.answer(403, "RequestTimeTooSkewed"), .unavailable("")),
                (.answer(501, "NotImplemented"), .refused("")),
                (.answer(404, "NoSuchBucket"), .refused("")), (.answer(301), .refused("")),
            ]
            for (fault, expected) in cases {
                let bucket = MemoryBucket()
                let log = try bucket.openLog()
                bucket.failOnce(fault, where: Self.isEntry)
                #expect("\(fault)") {
                    try log.append([1], at: .first)
                } throws: { error in
                    switch (error as? SharedLogError, expected) {
                    case (.outcomeUnknown, .outcomeUnknown), (.refused, .refused),
                        (.unavailable, .unavailable):
                        true
                    default: false
                    }
                }
                #expect(try log.append([1], at: .first))
            }
        }

        /// A conflict does not mean that the slot is filled, nor that it was not: it may be with an
        /// earlier attempt, whose connection has ended, so that the transport has repeated it.
        @Test func aConflictIsRetried() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            bucket.failOnce(.answer(409, "ConditionalRequestConflict"), where: Self.isEntry)
            #expect(try log.append([1], at: .first))
            bucket.fail { Self.isEntry($0) ? .answer(409) : nil }
            log.expectUnknownOutcome(of: [2], at: LogSlot(2))
            bucket.fail(nil)
            bucket.put([2], "realm/entries/0000000000000002")
            #expect(try log.append([2], at: LogSlot(2)))
        }

        /// The second attempt was refused, or never sent, and its failure was reported: nothing was
        /// written.
        @Test(arguments: [MemoryBucket.Fault.unreachable, .answer(403, "AccessDenied")])
        func aFailureAfterAConflictIsNotTheOutcome(_ fault: MemoryBucket.Fault) throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            let attempts = Tally()
            bucket.fail { request in
                guard Self.isEntry(request) else { return nil }
                attempts.add()
                return attempts.count == 1 ? .answer(409, "ConditionalRequestConflict") : fault
            }
            log.expectUnknownOutcome(of: [2], at: LogSlot(2))
            #expect(attempts.count == 2)
            bucket.fail(nil)
            bucket.put([2], "realm/entries/0000000000000002")
            #expect(try log.append([2], at: LogSlot(2)))
        }

        @Test func anEntryContinuesTheOneBefore() throws {
            let bucket = MemoryBucket()
            let (one, other) = (try bucket.openLog(), try bucket.openLog())
            #expect(try one.append([1], at: .first))
            let (right, wrong) = (SharedEntryHash(of: [1]), SharedEntryHash(of: [2]))
            for log in [one, other] {
                #expect(try !log.append([2], at: LogSlot(2), behind: wrong))
                #expect(try !log.append([2], at: LogSlot(3), behind: nil))
            }
            #expect(try other.append([2], at: LogSlot(2), behind: right))
            #expect(try one.entries(from: LogSlot(2), bytesMax: 9).map(\.bytes) == [[2]])
        }

        /// It does not request what it knows: only the entry, and then the base.
        @Test func anAppendTakesTwoRequests() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            bucket.forgetRequests()
            #expect(try log.append([2], at: LogSlot(2), behind: SharedEntryHash(of: [1])))
            #expect(
                bucket.requests == ["PUT realm/entries/0000000000000002", "GET realm/base"])
        }

        // MARK: The engine

        @Test func readingDoesNotCreateALog() throws {
            let bucket = MemoryBucket()
            #expect(throws: SharedLogError.self) {
                try bucket.openLog(makesLog: false)
            }
            #expect(bucket.keys.isEmpty)
            _ = try bucket.openLog()
            bucket.forgetRequests()
            _ = try bucket.openLog(makesLog: false)
            #expect(bucket.requests == ["GET realm/base"])
        }

        @Test func aRemovedLogIsDetected() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            bucket.remove("realm/base")
            #expect(throws: SharedLogError.refused("The log of the realm was removed.")) {
                try log.head()
            }
        }

        /// An append continued a log that other hosts had replaced meanwhile, and was acknowledged;
        /// the new log could not be read any more once it reached that slot. Bases of earlier
        /// versions do not identify their log.
        @Test(arguments: [false, true], [false, true])
        func aRecreatedLogIsNotContinued(isEarlier: Bool, twice: Bool) throws {
            let bucket = MemoryBucket()
            if isEarlier { bucket.put(S3Base().encoded, "realm/base") }
            let log = try bucket.openLog()
            for slot in 1...3 { #expect(try log.append([1], at: LogSlot(UInt64(slot)))) }
            for key in bucket.keys { bucket.remove(key) }
            let other = try bucket.openLog()
            #expect(try other.append([2], at: .first))
            if twice { bucket.failOnce(.twice, where: Self.isEntry) }
            for _ in 0..<2 {
                #expect(try !log.append([1], at: LogSlot(4), behind: SharedEntryHash(of: [1])))
            }
            #expect(bucket.keys == ["realm/base", "realm/entries/0000000000000001"])
            #expect(try other.append([2], at: LogSlot(2)))
        }

        /// The entry was removed again, although others may have appended after it.
        @Test(arguments: [false, true], [false, true])
        func aLogWithARecreatedBaseContinues(isEarlier: Bool, twice: Bool) throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            bucket.remove("realm/base")
            // As written, or raised, by an earlier version.
            if isEarlier { bucket.put(S3Base().encoded, "realm/base") }
            let other = try bucket.openLog()
            if twice { bucket.failOnce(.twice, where: Self.isEntry) }
            #expect(try log.append([2], at: LogSlot(2), behind: SharedEntryHash(of: [1])))
            #expect(try other.append([3], at: LogSlot(3), behind: SharedEntryHash(of: [2])))
            #expect(try log.entries(from: .first, bytesMax: 9).map(\.bytes) == [[1], [2], [3]])
            bucket.forgetRequests()
            #expect(try log.append([4], at: LogSlot(4), behind: SharedEntryHash(of: [3])))
            #expect(bucket.requests.count == 2)
        }

        /// All entries were removed, and the slot was filled by others, before the append had read
        /// the base.
        @Test func anEntryOfARecreatedLogIsKept() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            let remake = MemoryBucket.Fault.after {
                for key in bucket.keys { bucket.remove(key) }
                do {
                    let other = try bucket.openLog()
                    for slot in UInt64(1)...2 { _ = try other.append([9], at: LogSlot(slot)) }
                } catch {
                    Issue.record(error)
                }
            }
            bucket.failOnce(remake) { $0.key.hasSuffix("/base") }
            #expect(try !log.append([2], at: LogSlot(2), behind: SharedEntryHash(of: [1])))
            #expect(bucket.body("realm/entries/0000000000000002") == [9])
        }

        @Test func aHostDetectsARecreatedLog() async throws {
            let bucket = MemoryBucket()
            let host = try SharedHost(bucket.openLog())
            try await host.write(1)
            for key in bucket.keys { bucket.remove(key) }
            let new = try SharedHost(bucket.openLog())
            await #expect(throws: StorageError.superseded) { try await host.write(2) }
            await #expect {
                try await host.write(2)
            } throws: { error in
                if case StorageError.sharedLogDiverged = error { true } else { false }
            }
            for number in Int64(3)...5 { try await new.write(number) }
            #expect(host.numbers == [1] && new.numbers == [3, 4, 5])
            for host in [host, new] { try await host.store.close() }
        }

        /// Otherwise it could not be raised conditionally.
        @Test func aBaseWithoutATagIsRefused() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            bucket.fail { $0.method == .get ? .answer(200) : nil }
            let reason = "The storage does not return the ETag of an object."
            #expect(throws: SharedLogError.refused(reason)) { try log.base() }
        }

        // MARK: Messages

        /// Reading a message takes a request of its own, which may take long.
        @Test func anEntryIsReportedBeforeMessagesAreRead() throws {
            let bucket = MemoryBucket()
            let (one, other) = (try bucket.openLog(), try bucket.openLog())
            try other.send([7])
            #expect(try other.append([1], at: .first))
            let (notices, earlyNotices) = (Tally(), Tally())
            let isRead = ThreadSemaphore()
            bucket.failOnce(
                .after {
                    if notices.count == 1 { earlyNotices.add() }
                    isRead.signal()
                }
            ) { $0.method == .get && $0.key.contains("/messages/") }
            one.watch(for: .first) { _ in notices.add() }
            isRead.wait()
            #expect(earlyNotices.count == 1)
        }
    }
#endif
