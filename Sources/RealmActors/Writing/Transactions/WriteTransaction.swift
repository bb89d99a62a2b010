import Storage

/// The transaction that the body of ``Realm/write(author:silencing:fileID:line:_:)->_`` is called
/// with. It and its objects are confined to the body, and are invalid once the body has returned.
///
///     try await realm.write { tx in
///         let rex = try tx.create(Dog.self, value: ["name": "Rex"])
///         rex.owner = tx.object(Person.self, forPrimaryKey: id)
///     }
public final class WriteTransaction {
    let context: LiveContext

    init(_ context: LiveContext) { self.context = context }

    /// The version that the commit will have, if the transaction changes anything; zero once the
    /// body has returned.
    public var version: Realm.Version {
        // After the body, the engine may be running that of another task.
        if context.isInvalidated { return Realm.Version(rawValue: 0) }
        return Realm.Version(context.engine.nextVersion)
    }

    /// Rolls back all changes of the transaction. The body may continue to read; later assignments
    /// have no effect, and adding or deleting throws ``RealmError/notInWriteTransaction``.
    public func cancel() { context.cancel() }
}

@available(*, unavailable)
extension WriteTransaction: Sendable {}

extension WriteTransaction: ObjectWriting {
    /// The context of the transaction's objects.
    public var _context: WritingContext { WritingContext(context: context) }
}
