#if S3
    import Testing

    @testable import Storage

    /// Requests that are not answered while a realm is being closed.
    @Suite struct S3ClosingTests {
        /// How late the bucket answers: later than any call ends.
        private static let delay = Duration.seconds(30)

        /// It was waited for as long as a transfer may take: a minute for a large entry.
        @Test func aLargeAppendEndsWithoutTheTimeForItsTransfer() throws {
            let bucket = MemoryBucket()
            let log = try S3SharedLog(bucket, realm: "realm", timeout: .milliseconds(100))
            bucket.fail { [weak log] request in
                guard request.isAppend else { return nil }
                log?.stopWaiting()
                return .slow(Self.delay)
            }
            let entry = [UInt8](repeating: 1, count: 4 << 20)
            log.expectUnknownOutcome(of: entry)
            bucket.fail(nil)
            #expect(try log.append(entry, at: .first))
        }

        /// Otherwise the outcome of its commits would be unknown without need.
        @Test func anAppendIsWaitedForLongerThanOtherCalls() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            bucket.fail { [weak log] request in
                guard request.isAppend else { return nil }
                log?.stopWaiting()
                return .slow(.milliseconds(1500))
            }
            #expect(try log.append([1], at: .first))
        }

        private static func addImage(to log: S3SharedLog) throws {
            var parts: [[UInt8]] = [[1, 2, 3]]
            try log.addImage(SharedLogImage(slot: .first, parts: 1, bytes: 3)) {
                parts.popLast()
            }
        }

        /// The answer to its current part was waited for.
        @Test func theUploadOfAnImageIsAbandoned() throws {
            let bucket = MemoryBucket()
            let log = try S3SharedLog(bucket, realm: "realm", timeout: .seconds(60))
            bucket.fail { [weak log] request in
                guard request.method == .put, request.key.contains("/chunks/") else { return nil }
                log?.stopWaiting()
                return .slow(Self.delay)
            }
            #expect {
                try Self.addImage(to: log)
            } throws: { error in
                if case SharedLogError.unavailable = error { true } else { false }
            }
            #expect(try log.images().isEmpty)
        }

        /// It removed everything first, one object after the other.
        @Test func aTrimEndsEarlyAndIsContinuedByTheNext() throws {
            let bucket = MemoryBucket()
            let log = try bucket.openLog()
            for slot in UInt64(1)...300 {
                #expect(try log.append([UInt8(slot % 256)], at: LogSlot(slot)))
            }
            bucket.fail { [weak log] request in
                if request.method == .delete { log?.stopWaiting() }
                return nil
            }
            #expect {
                try log.trim(below: LogSlot(300), imagesBelow: nil)
            } throws: { error in
                if case SharedLogError.unavailable = error { true } else { false }
            }
            bucket.fail(nil)
            let entries = try bucket.layout().entries
            #expect(bucket.keys.count { $0.hasPrefix(entries) } > 200)
            let next = try bucket.openLog()
            let head = SharedLogHead(first: LogSlot(300), next: LogSlot(301))
            #expect(try next.head() == head)
            try next.trim(below: LogSlot(300), imagesBelow: nil)
            #expect(bucket.keys.count { $0.hasPrefix(entries) } == 1)
            #expect(try next.head() == head)
        }
    }
#endif
