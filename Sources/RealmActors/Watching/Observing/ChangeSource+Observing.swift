/// A closure that is called on an actor with each change.
public typealias ChangeHandler<A: Actor, Change> = @Sendable (isolated A, Change) async -> Void

extension ChangeSource {
    /// Calls `block` on `actor` with what ``changes()`` delivers: one element after another, in the
    /// order of versions, until the token is invalidated or released, the actor is released, or the
    /// stream ends.
    ///
    /// The token does not retain the actor. In a task that was cancelled, `block` is never called.
    /// A live object, or that of a live collection, must not have been deleted.
    ///
    /// - Throws: the error of a stream that cannot exist.
    public func observe<A: Actor>(
        on actor: A, _ block: @escaping ChangeHandler<A, Change>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliver(on: actor, block)
    }
}

extension KeyPathChangeSource {
    /// Calls `block` on `actor` with what
    /// ``changes(keyPaths:)-([PartialKeyPath<Self.WatchedRoot>])`` delivers.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe<A: Actor>(
        on actor: A, keyPaths: [PartialKeyPath<WatchedRoot>],
        _ block: @escaping ChangeHandler<A, Change>
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }

    /// Calls `block` on `actor` with what ``changes(keyPaths:)-([String])`` delivers.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    @_disfavoredOverload
    public func observe<A: Actor>(
        on actor: A, keyPaths: [String], _ block: @escaping ChangeHandler<A, Change>
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliver(on: actor, block)
    }
}
