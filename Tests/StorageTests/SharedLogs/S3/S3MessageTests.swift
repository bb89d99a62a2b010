#if S3
    import StorageHarness
    import Synchronization
    import Testing

    @testable import Storage

    /// Messages of hosts in a bucket.
    @Suite struct S3MessageTests {
        /// Each was read only after the one before: when several hosts waited for the lease, more
        /// arrived than were read, and entries were not noticed meanwhile.
        @Test func messagesAreReadConcurrently() throws {
            let bucket = MemoryBucket()
            let sender = try S3SharedLog(bucket, realm: "realm")
            for number in UInt8(0)..<5 { try sender.send([number]) }
            let log = try S3SharedLog(
                PatientBucket(bucket, messages: 5), realm: "realm",
                polling: .milliseconds(1)...(.milliseconds(20)))
            let messages = try log.wait(for: .first, atMost: .seconds(60))
            #expect(messages == (UInt8(0)..<5).map { [$0] })
        }

        /// All were requested at once, up to a thousand: the time limits of those that waited for a
        /// connection began with the first one's.
        @Test func fewMessagesAreReadAtATime() throws {
            let bucket = MemoryBucket()
            let sender = try S3SharedLog(bucket, realm: "realm")
            let count = S3Bucket.callsMax
            for number in 0..<3 * count { try sender.send([UInt8(number)]) }
            let patient = PatientBucket(bucket, messages: count)
            let log = try S3SharedLog(
                patient, realm: "realm", polling: .milliseconds(1)...(.milliseconds(20)))
            let messages = try log.wait(for: .first, atMost: .seconds(60))
            #expect(messages == (0..<3 * count).map { [UInt8($0)] })
            #expect(patient.waitingMax == count)
        }

        /// The messages that follow an unanswered request are not waited for, as if each of them
        /// had to time out.
        @Test func noFurtherMessagesAreReadFromASilentStorage() throws {
            let bucket = MemoryBucket()
            let sender = try S3SharedLog(bucket, realm: "realm")
            for number in 0..<3 * S3Bucket.callsMax { try sender.send([UInt8(number)]) }
            let reads = Tally()
            bucket.fail { request in
                guard request.method == .get, request.key.contains("/messages/") else { return nil }
                reads.add()
                return .loseRequest
            }
            let log = try S3SharedLog(
                bucket, realm: "realm", polling: .milliseconds(1)...(.milliseconds(20)))
            #expect(try log.append([1], at: .first))
            #expect(try log.wait(for: .first, atMost: .seconds(60)).isEmpty)
            // It is polled only after the messages.
            #expect(try log.append([2], at: LogSlot(2)))
            #expect(try log.wait(for: LogSlot(2), atMost: .seconds(60)).isEmpty)
            #expect(reads.count == S3Bucket.callsMax)
        }
    }

    /// A bucket that answers requests for messages a moment after there are so many.
    private final class PatientBucket: S3Transport {
        private struct Call: S3Call {
            func cancel() {}
        }

        private let bucket: MemoryBucket
        private let count: Int
        private let waiting = Mutex<[@Sendable () -> Void]>([])
        private let most = Mutex(0)

        /// How many requests for messages have waited at the same time.
        var waitingMax: Int { most.withLock { $0 } }

        init(_ bucket: MemoryBucket, messages count: Int) {
            self.bucket = bucket
            self.count = count
        }

        func start(
            _ request: S3Request,
            _ done: @escaping @Sendable (Result<S3Response, S3Failure>) -> Void
        ) -> any S3Call {
            guard request.method == .get, request.key.contains("/messages/") else {
                return bucket.start(request, done)
            }
            let number = waiting.withLock { [bucket] waiting in
                waiting.append { _ = bucket.start(request, done) }
                return waiting.count
            }
            most.withLock { $0 = max($0, number) }
            // On the thread of the poller, which starts all that it will start before.
            if number == count { S3Alarm.shared.set(after: .zero) { [self] in answer() } }
            return Call()
        }

        private func answer() {
            let due = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for answer in due { answer() }
        }
    }
#endif
