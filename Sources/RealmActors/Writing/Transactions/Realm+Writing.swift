import Storage

extension Realm {
    /// Runs `body` as one transaction and returns its result when the transaction is durable.
    ///
    /// Transactions run one after another on the store's writer actor, in the order of their
    /// arrival; `body` is synchronous. The transaction and its objects are confined to it. May be
    /// called from any isolation.
    ///
    /// In a realm on a shared log, `body` runs again when another host has committed first: its
    /// side effects outside of the transaction are repeated.
    ///
    /// - Parameters:
    ///   - author: a tag of the commit, which ``commits(since:)`` delivers with it.
    ///   - tokens: change streams that the commit does not notify. Their next element has only the
    ///     changes after this commit. Such a write waits until the writes before it are durable. A
    ///     token of another realm throws ``RealmError/invalidValue(_:)``.
    ///   - fileID: the file of the call, for a ``RealmMonitor``.
    ///   - line: the line of the call.
    ///   - body: makes the changes, on the writer.
    /// - Throws: what `body` throws, after rolling back its changes; ``RealmError``;
    ///   `CancellationError` when the task is cancelled before `body` starts, which then does not
    ///   run.
    @discardableResult
    public func write<R: Sendable>(
        author: String? = nil, silencing tokens: [ChangeStreamToken] = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        try await perform(author, silencing: tokens, CallSite(fileID: fileID, line: line), body)
    }

    /// Runs `body` as one transaction and returns when it is durable, as
    /// ``write(author:silencing:fileID:line:_:)->_`` does, and throws what that throws.
    public func write(
        author: String? = nil, silencing tokens: [ChangeStreamToken] = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        _ body: sending (WriteTransaction) throws -> Void
    ) async throws {
        try await perform(author, silencing: tokens, CallSite(fileID: fileID, line: line), body)
    }

    /// The implementation of both overloads of `write`.
    func perform<R: Sendable>(
        _ author: String?, silencing tokens: [ChangeStreamToken], _ site: CallSite,
        _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        let times = store.times(author, site)
        if store.open.isOnSharedLog {
            return try await store.writer.performRetrying(
                in: store, author: author, silencing: tokens, times, body)
        }
        return try await store.writer.perform(
            in: store, author: author, silencing: tokens, times, body)
    }
}
