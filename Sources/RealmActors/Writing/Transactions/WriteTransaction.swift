import Storage

/// What a body of ``Realm/write(author:silencing:fileID:line:_:)->_`` works with. It and the
/// objects that it gives are confined to the body and dead when that ends.
///
///     try await realm.write { tx in
///         let rex = try tx.create(Dog.self, value: ["name": "Rex"])
///         rex.owner = tx.object(Person.self, forPrimaryKey: id)
///     }
public final class WriteTransaction {
    let context: LiveContext

    init(_ context: LiveContext) { self.context = context }

    /// The version that the transaction will make when it changes anything.
    public var version: Realm.Version { Realm.Version(context.engine.nextVersion) }

    /// Gives up everything the transaction did. The body may go on reading; assignments after this
    /// do nothing, and adding or deleting throws ``RealmError/notInWriteTransaction``.
    public func cancel() { context.cancel() }
}

@available(*, unavailable)
extension WriteTransaction: Sendable {}

extension WriteTransaction: ObjectWriting {
    /// Where the transaction's objects live.
    public var _context: WritingContext { WritingContext(context: context) }
}
