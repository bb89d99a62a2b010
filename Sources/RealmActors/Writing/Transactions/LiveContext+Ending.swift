import Storage

extension LiveContext {
    /// Ends the body of a transaction and invalidates its objects: encodes the commit, or rolls
    /// back if the body threw, was refused or cancelled.
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
            // The result may lack contents of a node that could not be read.
            if case .success = outcome, let readFailure { outcome = .failure(readFailure) }
            return nil
        }
        // Read first: encoding the commit discards them, even when it fails.
        let written = writtenRows
        guard case .success = outcome else {
            rollBack(written)
            return nil
        }
        do {
            let commit = try engine.encodeCommit(
                author: author, time: store.now, attachment: silenced)
            invalidateDeletedCreations(written)
            return commit
        } catch {
            outcome = .failure(RealmError(error))
            rollBack(written)
            return nil
        }
    }
}
