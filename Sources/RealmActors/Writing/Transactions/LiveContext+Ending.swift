import Storage

extension LiveContext {
    /// Ends the body of a transaction and everything it made: encodes its commit, or gives up what
    /// it did when it threw, was refused or cancelled.
    func endBody<R>(
        _ outcome: inout Result<R, any Error>, author: String?, silenced: Set<ChangeStreamToken>?
    ) -> Version? {
        let commit = encodeOrUndo(&outcome, author: author, silenced: silenced)
        abandon()
        return commit
    }

    /// Encodes the commit of a write that succeeded, else gives up what it did. Streams in
    /// `silenced` are not notified of it.
    func encodeOrUndo<R>(
        _ outcome: inout Result<R, any Error>, author: String?, silenced: Set<ChangeStreamToken>?
    ) -> Version? {
        if let refusal, case .success = outcome { outcome = .failure(refusal) }
        if isCancelled { return nil }
        // Taken before a commit is encoded, which discards them even when it cannot be.
        let written = writtenRows
        guard case .success = outcome else {
            undo(written)
            return nil
        }
        do {
            return try engine.encodeCommit(
                author: author, time: store.now, attachment: silenced)
        } catch {
            outcome = .failure(RealmError(error))
            undo(written)
            return nil
        }
    }
}
