import Storage

extension LiveContext {
    /// Ends the body of a transaction and everything it made: encodes its commit, or rolls it back
    /// when it threw, was refused or cancelled.
    func endBody<R>(
        _ outcome: inout Result<R, any Error>, author: String?, silenced: Set<ChangeStreamToken>?
    ) -> Version? {
        let commit = encodeOrRollBack(&outcome, author: author, silenced: silenced)
        abandon()
        return commit
    }

    /// Encodes the commit of a write that succeeded; else rolls it back. Streams in `silenced` are
    /// not notified of it.
    func encodeOrRollBack<R>(
        _ outcome: inout Result<R, any Error>, author: String?, silenced: Set<ChangeStreamToken>?
    ) -> Version? {
        if let refusal, case .success = outcome { outcome = .failure(refusal) }
        if isCancelled {
            // What it returns may lack what could not be read.
            if case .success = outcome, let readFailure { outcome = .failure(readFailure) }
            return nil
        }
        // Read before the commit is encoded, which discards them even when it fails.
        let written = writtenRows
        guard case .success = outcome else {
            rollBack(written)
            return nil
        }
        do {
            return try engine.encodeCommit(
                author: author, time: store.now, attachment: silenced)
        } catch {
            outcome = .failure(RealmError(error))
            rollBack(written)
            return nil
        }
    }
}
