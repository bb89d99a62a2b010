#if S3
    import StorageHarness
    import Testing

    @testable import Storage

    /// What a shared log finds by the lists of a bucket's objects.
    @Suite struct S3ListingTests {
        /// A proxy gives such answers while the storage cannot be reached.
        @Test func anAnswerOfSomethingElseDoesNotSayThatAnObjectIsMissing() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            let layout = try bucket.layout()
            for slot in 1...1500 { bucket.put([1], layout.entry(LogSlot(UInt64(slot)))) }
            for isMeant: @Sendable (S3Request) -> Bool in [
                { $0.key.hasSuffix("/base") }, { $0.key.contains("/entries/") },
                { $0.key.isEmpty },
            ] {
                bucket.fail { isMeant($0) ? .answer(404) : nil }
                #expect(throws: SharedLogError.refused("The storage responded with HTTP 404.")) {
                    _ = try log.entries(from: .first, bytesMax: 9)
                }
            }
            bucket.fail(nil)
            #expect(try log.head().next == LogSlot(1501))
        }

        /// The log seemed to end there.
        @Test func anEmptyPageOfAListIsNotItsEnd() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            for slot in UInt64(1)...3 { #expect(try log.append([1], at: LogSlot(slot))) }
            bucket.fail { request in
                let isNext = request.parameters.contains { $0.name == "continuation-token" }
                guard request.key.isEmpty, !isNext else { return nil }
                return .text(
                    "<ListBucketResult><NextContinuationToken>a</NextContinuationToken>"
                        + "<IsTruncated>true</IsTruncated></ListBucketResult>")
            }
            #expect(try log.entries(from: .first, bytesMax: 9).count == 3)
            #expect(try bucket.openLog().head().next == LogSlot(4))
            let noticed = ThreadSemaphore()
            log.watch(for: LogSlot(3)) { _ in noticed.signal() }
            #expect(noticed.wait(upTo: .seconds(60)))
        }

        /// Some storages do, and entries would not be found.
        @Test func aListThatIsNotInOrderIsRefused() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            let layout = try bucket.layout()
            let objects = [UInt64(2), 1].map { slot in
                "<Contents><Key>\(layout.entry(LogSlot(slot)))</Key><Size>1</Size></Contents>"
            }
            let list = "<ListBucketResult>\(objects.joined())</ListBucketResult>"
            bucket.fail { $0.key.isEmpty ? .text(list) : nil }
            let reason = "The storage does not list objects in the order of their names."
            #expect(throws: SharedLogError.refused(reason)) {
                try log.entries(from: .first, bytesMax: 9)
            }
        }

        /// Competing hosts send many, and images sort before them.
        @Test func manyMessagesBehindImagesArrive() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            let layout = try bucket.layout()
            for slot in 1...100 { bucket.put([1], layout.image(LogSlot(UInt64(slot)))) }
            for number in 0..<100 { try log.send([UInt8(number)]) }
            let messages = try log.wait(for: .first, atMost: .seconds(60))
            #expect(messages == (0..<100).map { [UInt8($0)] })
        }

        @Test func aManuallyRemovedEntryIsDetected() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            for slot in 1...3 { #expect(try log.append([1], at: LogSlot(UInt64(slot)))) }
            bucket.remove("realm/entries/0000000000000002")
            #expect(try log.entries(from: .first, bytesMax: 9).count == 1)
            #expect(throws: SharedLogError.refused("The entry of slot 2 is missing.")) {
                try log.entries(from: LogSlot(2), bytesMax: 9)
            }
        }

        /// Each host that polled it crashed, since no slot follows the one that it names.
        @Test func anObjectWithTheNumberOfNoSlotIsSkipped() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            #expect(try log.append([1], at: .first))
            bucket.put([1], "realm/entries/" + S3Layout.digits(.max))
            try log.send([7])
            #expect(try log.wait(for: LogSlot(2), atMost: .seconds(60)) == [[7]])
            #expect(try log.entries(from: .first, bytesMax: 9).count == 1)
            #expect(try log.head() == SharedLogHead(first: .first, next: LogSlot(2)))
        }

        @Test func theEndOfALongLogIsFound() throws {
            for count in [999, 1000, 1001, 2024, 2025, 5000] {
                let bucket = MemoryBucket()
                let log = try bucket.openLog()
                let layout = try bucket.layout()
                for slot in 1...count { bucket.put([1], layout.entry(LogSlot(UInt64(slot)))) }
                bucket.forgetRequests()
                let next = LogSlot(UInt64(count + 1))
                #expect(try log.head() == SharedLogHead(first: .first, next: next))
                #expect(bucket.requests.count < 30)
                #expect(try log.append([2], at: next))
                #expect(try log.head().next == next.next)
            }
        }

        /// The search began at the previous end.
        @Test func theEndOfALogThatHasLostEntriesIsFound() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            for slot in 1...5 { #expect(try log.append([1], at: LogSlot(UInt64(slot)))) }
            for slot in 3...5 { bucket.remove("realm/entries/" + S3Layout.digits(UInt64(slot))) }
            #expect(try log.head().next == LogSlot(3))
        }
    }
#endif
