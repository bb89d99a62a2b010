/// What verifying a store found.
package struct VerificationOutcome: Sendable {
    package let version: Version
    package let schema: StoreSchema
    package let counts: VerificationCounts
    /// The first thousand problems.
    package let problems: [StoreProblem]
    /// All of them.
    package let problemCount: Int
}

extension TransactionEngine {
    /// Checks every node of the newest version, its indexes and links, the account of the page
    /// files, and every durable frame of the log, while writes go on. While another process writes,
    /// files and log are for that to check, and only the tree is looked at.
    ///
    /// Takes as long as reading all of it, on the thread that calls. Throws what the disk reports,
    /// and `CancellationError` when `monitor` is cancelled.
    package func verify(_ monitor: ReadingMonitor) throws -> VerificationOutcome {
        let log = segments
        let first = log?.firstNeededSegment
        let end = log?.durableEnd
        let root = latest
        let logBytes = (try? log?.allocatedBytes()) ?? 0
        let verifier = StoreVerifier(
            root, isShared: true, monitor: monitor,
            extraWork: logBytes / LogVerifier.bytesPerWork)
        try verifier.verify()
        if let checkpoints, isWriting {
            let space = SpaceVerifier(
                checkpointer: checkpoints.checkpointer, account: root.account)
            try space.verify(&verifier.tally)
        }
        if let log, isWriting || log.options.readOnly && !log.options.isShared {
            var frames = LogVerifier(
                store: log.store, database: log.database, end: end, first: first)
            try frames.verify(&verifier.tally)
        }
        verifier.tally.finish()
        return VerificationOutcome(
            version: root.version, schema: root.schema, counts: verifier.counts,
            problems: verifier.problems, problemCount: verifier.problemCount)
    }
}
