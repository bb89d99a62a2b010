import Storage

extension Realm {
    /// Runs `body` as one transaction and returns its result when that is durable.
    ///
    /// Transactions run one after another on the writer, in the order of their arrival; `body` does
    /// not suspend. The transaction and its objects are confined to it.
    ///
    /// In a realm on a shared log, `body` runs again when another host has committed first: what it
    /// does besides the transaction happens again as well.
    ///
    /// - Parameters:
    ///   - author: a tag that arrives with the commit at ``commits(since:)``.
    ///   - tokens: streams that the commit does not notify. It changes what they compare with, so
    ///     that their next element says what came after it. Such a write waits for the ones before
    ///     it to be durable. A token of another realm is refused.
    ///   - fileID: where the call is, for a ``RealmMonitor``.
    ///   - line: the line of the call.
    ///   - body: makes the changes, on the writer.
    /// - Throws: what `body` throws, after giving up its changes; ``RealmError``;
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

    /// Runs `body` as one transaction and returns when that is durable, as
    /// ``write(author:silencing:fileID:line:_:)->_`` does, and throws what that throws.
    public func write(
        author: String? = nil, silencing tokens: [ChangeStreamToken] = [],
        fileID: StaticString = #fileID, line: UInt = #line,
        _ body: sending (WriteTransaction) throws -> Void
    ) async throws {
        try await perform(author, silencing: tokens, CallSite(fileID: fileID, line: line), body)
    }

    /// What all writes do, those that return nothing and those that do.
    func perform<R: Sendable>(
        _ author: String?, silencing tokens: [ChangeStreamToken], _ site: CallSite,
        _ body: sending (WriteTransaction) throws -> R
    ) async throws -> R {
        let times = store.times(author, site)
        if store.open.isOnSharedLog {
            return try await store.writer.performAgain(
                in: store, author: author, silencing: tokens, times, body)
        }
        return try await store.writer.perform(
            in: store, author: author, silencing: tokens, times, body)
    }
}
