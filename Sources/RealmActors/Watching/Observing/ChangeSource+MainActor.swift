/// A closure that is called on the main actor with each change.
public typealias MainActorChangeHandler<Change> = @MainActor @Sendable (Change) async -> Void

extension ChangeSource {
    /// Calls `block` on the main actor with what ``changes()`` delivers, as ``observe(on:_:)`` does
    /// on another.
    ///
    ///     token = try dogs.observe { [weak self] change in self?.show(change.collection) }
    ///
    /// - Throws: the error of a stream that cannot exist.
    public func observe(
        _ block: @escaping MainActorChangeHandler<Change>
    ) throws(RealmError) -> NotificationToken {
        try changes().deliverOnMainActor(block)
    }
}

extension KeyPathChangeSource {
    /// Calls `block` on the main actor with what
    /// ``changes(keyPaths:)-([PartialKeyPath<Self.WatchedRoot>])`` delivers.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    public func observe(
        keyPaths: [PartialKeyPath<WatchedRoot>], _ block: @escaping MainActorChangeHandler<Change>
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliverOnMainActor(block)
    }

    /// Calls `block` on the main actor with what ``changes(keyPaths:)-([String])`` delivers.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String], _ block: @escaping MainActorChangeHandler<Change>
    ) throws(RealmError) -> NotificationToken {
        try changes(keyPaths: keyPaths).deliverOnMainActor(block)
    }
}

extension ChangeStream {
    /// Subscribes, and calls `block` on the main actor with each element, one after another.
    ///
    /// - Throws: the error of a stream that cannot exist.
    func deliverOnMainActor(
        _ block: @escaping MainActorChangeHandler<Element>
    ) throws(RealmError) -> NotificationToken {
        try deliver(on: MainActor.shared) { _, change in await block(change) }
    }
}
