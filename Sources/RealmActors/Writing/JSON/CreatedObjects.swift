import Storage

/// The objects that an import has created or updated, in the order of the JSON. They are live, and
/// made on access. Confined to the transaction or the actor of the live realm.
public struct CreatedObjects<Model: Object> {
    private let context: LiveContext
    private let model: ModelBinding
    private let keys: [RowKey]

    init(context: LiveContext, model: ModelBinding, keys: [RowKey]) {
        self.context = context
        self.model = model
        self.keys = keys
    }
}

@available(*, unavailable)
extension CreatedObjects: Sendable {}

extension CreatedObjects: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { keys.count }

    /// The object at `position`, which is invalidated if it was deleted meanwhile.
    public subscript(position: Int) -> Model {
        let object = model.makeAccessor(live: context, keys[position])
        // Unsafe: the model is that of `Model`.
        return unsafeDowncast(object, to: Model.self)
    }
}
