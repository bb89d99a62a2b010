#if S3
    @testable import Storage

    /// The shared log in the bucket.
    extension MemoryBucket {
        private static let realm = "realm"

        func openLog(makesLog: Bool = true) throws -> S3SharedLog {
            try S3SharedLog(
                self, realm: Self.realm, polling: .milliseconds(1)...(.milliseconds(20)),
                makesLog: makesLog, timeout: .seconds(20))
        }

        /// The names of the log's objects.
        func layout() throws -> S3Layout { try S3Layout(realm: Self.realm) }
    }
#endif
