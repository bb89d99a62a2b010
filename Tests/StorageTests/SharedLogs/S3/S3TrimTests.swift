#if S3
    import StorageHarness
    import Synchronization
    import Testing

    @testable import Storage

    /// The effect of trimming on concurrent calls.
    @Suite struct S3TrimTests {
        private static func fill(_ log: S3SharedLog, _ slots: ClosedRange<UInt64>) throws {
            for slot in slots { #expect(try log.append([UInt8(slot)], at: LogSlot(slot))) }
        }

        private static func raisesBase(_ request: S3Request) -> Bool {
            request.method == .put && request.key.hasSuffix("/base")
        }

        /// Calls another host during a request.
        private static func meanwhile(
            _ body: @escaping @Sendable () throws -> Void
        ) -> MemoryBucket.Fault {
            .after { do { try body() } catch { Issue.record(error) } }
        }

        /// Its slot was filled, and removed, during the request: then the slot is free. The host
        /// cannot distinguish that from the removal of its own entry.
        @Test func aSlowAppendGetsNoSlotThatWasRemoved() throws {
            let bucket = MemoryBucket()
            let (slow, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(slow, 1...2)
            bucket.failOnce(
                Self.meanwhile {
                    try Self.fill(other, 3...6)
                    try other.trim(below: LogSlot(6), imagesBelow: nil)
                }
            ) { $0.body == [99] }
            slow.expectUnknownOutcome(of: [99], at: LogSlot(3))
            #expect(try !slow.append([99], at: LogSlot(3)))
            #expect(!bucket.keys.contains("realm/entries/0000000000000003"))
            for log in [slow, other] {
                #expect(try log.head() == SharedLogHead(first: LogSlot(6), next: LogSlot(7)))
                #expect(throws: SharedLogError.trimmed(first: LogSlot(6))) {
                    try log.entries(from: LogSlot(3), bytesMax: 9)
                }
            }
        }

        /// A host had been suspended while others appended and trimmed the log. Its next append got
        /// a slot that was free again, and had an unknown outcome.
        @Test func anAppendOfAHostThatWasSuspendedIsSuperseded() throws {
            let bucket = MemoryBucket()
            let (late, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(late, 1...2)
            try Self.fill(other, 3...6)
            try other.trim(below: LogSlot(6), imagesBelow: nil)
            late.known.withLock { $0.last?.time = .now + (.zero - S3SharedLog.freshTime) }
            bucket.forgetRequests()
            #expect(try !late.append([99], at: LogSlot(3)))
            #expect(!bucket.requests.contains { $0.hasPrefix("PUT ") })
            // Nothing was trimmed behind the last entry.
            try Self.fill(other, 7...7)
            other.known.withLock { $0.last?.time = .now + (.zero - S3SharedLog.freshTime) }
            #expect(try other.append([8], at: LogSlot(8)))
        }

        /// A host that is killed before it has removed such an entry leaves it.
        @Test func anEntryInATrimmedSlotIsIgnored() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            try Self.fill(log, 1...6)
            try log.trim(below: LogSlot(4), imagesBelow: nil)
            bucket.put([99], "realm/entries/0000000000000003")
            bucket.put([99], "realm/entries/0000000000000001")
            let other = try bucket.openLog()
            for log in [log, other] {
                #expect(try log.head() == SharedLogHead(first: LogSlot(4), next: LogSlot(7)))
                for slot in 1...3 {
                    #expect(throws: SharedLogError.trimmed(first: LogSlot(4))) {
                        try log.entries(from: LogSlot(UInt64(slot)), bytesMax: 9)
                    }
                    #expect(try !log.append([7], at: LogSlot(UInt64(slot))))
                }
                #expect(
                    try log.entries(from: LogSlot(4), bytesMax: 9).map(\.bytes) == [[4], [5], [6]])
            }
            try other.trim(below: LogSlot(5), imagesBelow: nil)
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 2)
        }

        /// A host that reads while the log is trimmed ignores it as well.
        @Test func readingATrimmedSlotThrows() throws {
            let bucket = MemoryBucket()
            let (log, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(log, 1...6)
            bucket.failOnce(
                Self.meanwhile {
                    try other.trim(below: LogSlot(5), imagesBelow: nil)
                    bucket.put([99], "realm/entries/0000000000000002")
                }
            ) { $0.method == .get && $0.key.hasSuffix("0002") }
            #expect(throws: SharedLogError.trimmed(first: LogSlot(5))) {
                try log.entries(from: LogSlot(2), bytesMax: 9)
            }
        }

        @Test func theEndIsFoundWhileTheLogIsTrimmed() throws {
            let bucket = MemoryBucket()
            let (log, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(other, 1...6)
            bucket.failOnce(
                Self.meanwhile { try other.trim(below: LogSlot(6), imagesBelow: nil) }
            ) { $0.key.isEmpty }
            #expect(try log.head() == SharedLogHead(first: LogSlot(6), next: LogSlot(7)))
        }

        /// The host was suspended before it had read the base, and considered the append
        /// superseded: its commit was kept, and committed again. The clock of a virtual machine
        /// stands still while the machine is suspended.
        @Test func anEntryThatWasTrimmedMeanwhileMayHaveCounted() throws {
            let bucket = MemoryBucket()
            let (slow, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(slow, 1...1)
            bucket.failOnce(
                Self.meanwhile {
                    try Self.fill(other, 3...6)
                    try other.trim(below: LogSlot(6), imagesBelow: nil)
                }
            ) { $0.key.hasSuffix("/base") }
            slow.expectUnknownOutcome(at: LogSlot(2))
            #expect(try !slow.append([1], at: LogSlot(2)))
        }

        /// The outcome behind a lost answer cannot be determined any more once its slot was
        /// trimmed.
        @Test func anOutcomeThatWasTrimmedStaysUnknown() throws {
            let bucket = MemoryBucket()
            let (log, other) = (try bucket.openLog(), try bucket.openLog())
            bucket.failOnce(
                Self.meanwhile {
                    // It is executed, the others continue, and it is executed once more.
                    bucket.put([1], "realm/entries/0000000000000001")
                    try Self.fill(other, 2...6)
                    bucket.fail { request in
                        guard request.key.hasSuffix("/base") else { return nil }
                        return Self.meanwhile {
                            bucket.fail(nil)
                            try other.trim(below: LogSlot(6), imagesBelow: nil)
                        }
                    }
                }
            ) { $0.method == .put && $0.body == [1] }
            log.expectUnknownOutcome()
        }

        /// The same if a third host has filled the slot by then.
        @Test func anOutcomeThatAnotherEntryHidesStaysUnknown() throws {
            let bucket = MemoryBucket()
            let (log, other) = (try bucket.openLog(), try bucket.openLog())
            bucket.failOnce(
                Self.meanwhile {
                    bucket.put([1], "realm/entries/0000000000000001")
                    try Self.fill(other, 2...6)
                    try other.trim(below: LogSlot(6), imagesBelow: nil)
                    bucket.put([99], "realm/entries/0000000000000001")
                }
            ) { $0.method == .put && $0.body == [1] }
            log.expectUnknownOutcome()
        }

        /// It would retry forever.
        @Test(arguments: [412, 500]) func aBaseThatIsNeverRaisedEndsATrim(status: Int) throws {
            let bucket = MemoryBucket()
            let log = try S3SharedLog(bucket, realm: "realm", timeout: .milliseconds(10))
            try Self.fill(log, 1...6)
            bucket.fail { Self.raisesBase($0) ? .answer(status) : nil }
            #expect {
                try log.trim(below: LogSlot(4), imagesBelow: nil)
            } throws: { error in
                if case SharedLogError.unavailable = error { true } else { false }
            }
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 6)
        }

        /// Some storages fail one of several concurrent requests, and the trim ended. A request
        /// without an answer may be executed at any time.
        @Test(arguments: [
            MemoryBucket.Fault.answer(500, "UnknownError"), .loseAnswer, .loseRequest, .late,
            .unreachable,
        ])
        func aTrimContinuesAfterAFailureToRaiseTheBase(_ fault: MemoryBucket.Fault) throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            try Self.fill(log, 1...9)
            bucket.failOnce(fault, where: Self.raisesBase)
            try log.trim(below: LogSlot(4), imagesBelow: nil)
            #expect(try log.head() == SharedLogHead(first: LogSlot(4), next: LogSlot(10)))
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 6)
            try log.trim(below: LogSlot(6), imagesBelow: nil)
            bucket.deliverLate()
            #expect(try log.head().first == LogSlot(6))
        }

        /// The first request is executed just before the second, which then finds another tag.
        @Test func aDelayedRequestRaisesTheBase() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            try Self.fill(log, 1...9)
            let attempts = Tally()
            bucket.fail { request in
                guard Self.raisesBase(request) else { return nil }
                attempts.add()
                return attempts.count == 1 ? .late : .after { bucket.deliverLate() }
            }
            try log.trim(below: LogSlot(4), imagesBelow: nil)
            #expect(attempts.count == 2)
            #expect(try log.head() == SharedLogHead(first: LogSlot(4), next: LogSlot(10)))
        }

        @Test(arguments: [MemoryBucket.TagMatching.withQuotes, .withoutQuotes])
        func aLogThatIsRemovedDuringATrimIsDetected(_ matching: MemoryBucket.TagMatching) throws {
            let bucket = MemoryBucket(matching)
            let log = try bucket.openLog()
            try Self.fill(log, 1...6)
            bucket.failOnce(.after { bucket.remove("realm/base") }, where: Self.raisesBase)
            #expect(throws: SharedLogError.refused("The log of the realm was removed.")) {
                try log.trim(below: LogSlot(4), imagesBelow: nil)
            }
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 6)
        }

        /// Tools that display folders create an object of this name, which sorts before all
        /// entries.
        @Test func placeholderObjectsOfFoldersAreSkipped() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            try Self.fill(log, 1...6)
            bucket.put([], "realm/entries/")
            try log.trim(below: LogSlot(4), imagesBelow: nil)
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 4)
            #expect(try log.head() == SharedLogHead(first: LogSlot(4), next: LogSlot(7)))
        }

        @Test(arguments: [MemoryBucket.TagMatching.withQuotes, .withoutQuotes])
        func theBaseIsNeverLowered(_ matching: MemoryBucket.TagMatching) throws {
            let bucket = MemoryBucket(matching)
            let (log, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(log, 1...9)
            bucket.failOnce(
                Self.meanwhile { try other.trim(below: LogSlot(8), imagesBelow: LogSlot(3)) }
            ) { $0.method == .put && $0.key.hasSuffix("/base") }
            try log.trim(below: LogSlot(4), imagesBelow: LogSlot(5))
            let base = try log.base().base
            #expect(base.entries == LogSlot(8) && base.images == LogSlot(5))
            #expect(try log.entries(from: LogSlot(8), bytesMax: 9).map(\.bytes) == [[8], [9]])
        }

        @Test func anInterruptedTrimIsCompletedByTheNext() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            try Self.fill(log, 1...9)
            bucket.fail { $0.method == .delete ? .unreachable : nil }
            #expect(throws: SharedLogError.self) {
                try log.trim(below: LogSlot(5), imagesBelow: nil)
            }
            bucket.fail(nil)
            #expect(try log.head().first == LogSlot(5))
            try log.trim(below: LogSlot(5), imagesBelow: nil)
            #expect(bucket.keys.filter { $0.contains("/entries/") }.count == 5)
        }

        // MARK: Images

        private static func add(_ slot: UInt64, to log: S3SharedLog, _ part: [UInt8]) throws {
            var parts: [[UInt8]] = [part]
            try log.addImage(SharedLogImage(slot: LogSlot(slot), parts: 1, bytes: part.count)) {
                parts.popLast()
            }
        }

        /// A list has a thousand names.
        @Test func theNewestOfManyImagesIsFound() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            for slot in UInt64(1)...1001 {
                let image = SharedLogImage(slot: LogSlot(slot), parts: 1, bytes: 1)
                let manifest = S3Manifest(image, attempt: S3Layout.digits(7))
                bucket.put(manifest.encoded, "realm/images/" + S3Layout.digits(slot))
            }
            let images = try log.images()
            #expect(images.count == 1001 && images.first?.slot == LogSlot(1001))
        }

        /// A storage that receives thousands of parts refuses one occasionally.
        @Test func aTemporarilyRefusedPartIsRetried() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            for fault in [MemoryBucket.Fault.answer(503, "SlowDown"), .loseAnswer] {
                bucket.failOnce(fault) { $0.method == .put && $0.key.contains("/chunks/") }
                let slot: UInt64 = bucket.keys.contains { $0.contains("/images/") } ? 4 : 3
                try Self.add(slot, to: log, [UInt8(slot)])
                let image = try #require(try log.images().first)
                #expect(image.slot == LogSlot(slot))
                #expect(try log.part(0, of: image) == [UInt8(slot)])
            }
        }

        /// Both copy the realm at the same time, and seal their copies separately.
        @Test func concurrentImagesOfOneSlotBecomeOne() throws {
            let bucket = MemoryBucket()
            let (log, other) = (try bucket.openLog(), try bucket.openLog())
            bucket.failOnce(
                Self.meanwhile { try Self.add(3, to: other, [2, 2]) }
            ) { $0.method == .put && $0.key.contains("/images/") }
            try Self.add(3, to: log, [1])
            let image = try #require(try log.images().first)
            #expect(try log.part(0, of: image) == [2, 2])
            #expect(bucket.keys.filter { $0.contains("/chunks/") }.count == 1)
        }

        /// Its parts are removed meanwhile, like those of a crashed host.
        @Test func aSlowImageDoesNotCount() throws {
            let bucket = MemoryBucket()
            let (slow, other) = (try bucket.openLog(), try bucket.openLog())
            try Self.fill(other, 1...9)
            bucket.failOnce(
                Self.meanwhile {
                    try Self.add(7, to: other, [7])
                    try other.trim(below: LogSlot(7), imagesBelow: LogSlot(7))
                }
            ) { $0.method == .put && $0.key.contains("/images/") }
            try Self.add(3, to: slow, [3])
            #expect(try slow.images().map(\.slot) == [LogSlot(7)])
            #expect(bucket.keys.filter { $0.contains("/images/") }.count == 1)
            #expect(bucket.keys.filter { $0.contains("/chunks/") }.count == 1)
        }

        @Test func trimmingRemovesIncompleteImages() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            try Self.fill(log, 1...9)
            bucket.failOnce(.answer(403, "AccessDenied")) {
                $0.method == .put && $0.key.contains("/images/")
            }
            #expect(throws: SharedLogError.self) { try Self.add(3, to: log, [3]) }
            bucket.fail(nil)
            #expect(try log.images().isEmpty)
            #expect(bucket.keys.contains { $0.contains("/chunks/") })
            try Self.add(7, to: log, [7])
            try log.trim(below: LogSlot(7), imagesBelow: LogSlot(7))
            #expect(try log.images().map(\.slot) == [LogSlot(7)])
            #expect(bucket.keys.filter { $0.contains("/chunks/") }.count == 1)
        }

        /// All of its parts had to be uploaded again.
        @Test(arguments: ["PUT realm/images/", "GET realm/images/", "GET realm/base"])
        func aRequestThatCompletesAnImageIsRetried(_ request: String) throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            let faults = [MemoryBucket.Fault.loseAnswer, .loseRequest, .answer(503, "SlowDown")]
            for (slot, fault) in zip(UInt64(3)..., faults) {
                bucket.failOnce(fault) {
                    "\($0.method.rawValue) \($0.key)".hasPrefix(request)
                }
                bucket.forgetRequests()
                try Self.add(slot, to: log, [UInt8(slot)])
                let image = try #require(try log.images().first)
                #expect(image.slot == LogSlot(slot))
                #expect(try log.part(0, of: image) == [UInt8(slot)])
                #expect(bucket.requests.count { $0.hasPrefix("PUT realm/chunks/") } == 1)
            }
        }

        /// A request that had no answer in time was not retried, as the time for retries was over.
        @Test func aPartIsRetriedAfterATimeout() throws {
            let bucket = MemoryBucket()
            let log = try S3SharedLog(bucket, realm: "realm", timeout: .milliseconds(10))
            // As long as a request with this part may take, which is longer than its timeout.
            let part = [UInt8](repeating: 7, count: 256 << 10)
            bucket.failOnce(.loseRequestAfter(.milliseconds(100))) {
                $0.method == .put && $0.key.contains("/chunks/")
            }
            try Self.add(3, to: log, part)
            let image = try #require(try log.images().first)
            #expect(try log.part(0, of: image) == part)
        }
    }
#endif
