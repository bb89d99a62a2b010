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
    }

    /// A bucket that answers requests for messages once there are so many.
    private final class PatientBucket: S3Transport {
        private struct Call: S3Call {
            func cancel() {}
        }

        private let bucket: MemoryBucket
        private let count: Int
        private let waiting = Mutex<[@Sendable () -> Void]>([])

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
            let due = waiting.withLock { [bucket, count] waiting -> [@Sendable () -> Void] in
                waiting.append { _ = bucket.start(request, done) }
                guard waiting.count == count else { return [] }
                defer { waiting = [] }
                return waiting
            }
            for answer in due { answer() }
            return Call()
        }
    }
#endif
