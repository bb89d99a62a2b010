/// The outcome of a verification.
package struct VerificationOutcome: Sendable {
    package let version: Version
    package let schema: StoreSchema
    package let counts: VerificationCounts
    /// The first thousand problems.
    package let problems: [StoreProblem]
    /// The number of all problems.
    package let problemCount: Int
}

extension TransactionEngine {
    /// Checks every node of the newest version, its indexes and links, every node of the newest
    /// checkpoint on the disk, the accounting of the page files, both copies of the superblock and
    /// of the key, and every durable frame of the log and of the retained history, concurrently
    /// with writes. While another process is the writer, that process has to check files and log,
    /// and only the tree is checked.
    ///
    /// Takes as long as reading all of it, on the calling thread. Throws errors of the disk, and
    /// `CancellationError` if `monitor` is cancelled.
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

    /// Nil while another process is the writer.
    private func makeLogVerifier() throws(StorageError) -> LogVerifier? {
        guard let log = segments else { return nil }
        guard let checkpointer = checkpoints?.checkpointer, isWriting else {
            if isWriting || log.options.readOnly && !log.options.isShared {
                return try LogVerifier(log)
            }
            return nil
        }
        // Excludes that a checkpoint removes a listed segment, and that another process becomes the
        // writer.
        return try checkpointer.exclusively { () throws(StorageError) -> LogVerifier? in
            guard isWriting else { return nil }
            return try LogVerifier(log)
        }
    }
}
