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
    /// files, both copies of the superblock and of the key, and every durable frame of the log and
    /// of the history that is kept, while writes go on. While another process writes, files and log
    /// are for that to check, and only the tree is looked at.
    ///
    /// Takes as long as reading all of it, on the thread that calls. Throws what the disk reports,
    /// and `CancellationError` when `monitor` is cancelled.
    package func verify(_ monitor: ReadingMonitor) throws -> VerificationOutcome {
        let root = latest
        let logBytes = (try? segments?.allocatedBytes()) ?? 0
        let verifier = StoreVerifier(
            root, isShared: true, monitor: monitor,
            extraWork: logBytes / LogVerifier.bytesPerWork)
        try verifier.verify()
        if let checkpoints, isWriting {
            let space = SpaceVerifier(
                checkpointer: checkpoints.checkpointer, account: root.account)
            try space.verify(&verifier.tally)
        }
        try verifyCopies(&verifier.tally)
        var frames = try makeLogVerifier()
        try frames?.verify(&verifier.tally)
        verifier.tally.finish()
        return VerificationOutcome(
            version: root.version, schema: root.schema, counts: verifier.counts,
            problems: verifier.problems, problemCount: verifier.problemCount)
    }

    private func verifyCopies(_ tally: inout VerificationTally) throws(StorageError) {
        guard let log = segments, let checkpointer = checkpoints?.checkpointer else { return }
        try checkpointer.exclusively { () throws(StorageError) in
            if isWriting { try CopyVerifier(log: log).verify(&tally) }
        }
    }

    /// Nil while another process writes the log.
    private func makeLogVerifier() throws(StorageError) -> LogVerifier? {
        guard let log = segments else { return nil }
        guard let checkpointer = checkpoints?.checkpointer, isWriting else {
            if isWriting || log.options.readOnly && !log.options.isShared {
                return try LogVerifier(log)
            }
            return nil
        }
        // No checkpoint removes a segment that is listed, and no other process comes to write.
        return try checkpointer.exclusively { () throws(StorageError) -> LogVerifier? in
            guard isWriting else { return nil }
            return try LogVerifier(log)
        }
    }
}
