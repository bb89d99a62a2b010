import Storage

/// Distinguishes an object from a later one with the same row key: a store with relaxed durability
/// that has lost commits reuses their keys.
struct RowIdentity: Sendable {
    private let model: ModelBinding
    private let key: RowKey
    /// The primary key; null if the class has none, nil if the object does not exist.
    private let primaryKey: StoredValue?

    /// The identity of the object that has the row in the version of `view`.
    init(_ model: ModelBinding, _ key: RowKey, in view: TreeView) {
        self.model = model
        self.key = key
        primaryKey = Self.primaryKey(model, key, in: view)
    }

    /// Whether the object exists in the version of `view`, which the marks led to.
    func isThere(in view: TreeView, _ marks: MergedMarks = MergedMarks()) -> Bool {
        let present = Self.primaryKey(model, key, in: view)
        if present == nil || present != primaryKey { return false }
        return marks.classes[model.classID]?.renewed.contains(key) != true
    }

    /// Whether the row in the version of `view` has another primary key, and so is another object.
    func isTaken(in view: TreeView) -> Bool {
        let present = Self.primaryKey(model, key, in: view)
        return present != nil && primaryKey != nil && present != primaryKey
    }

    private static func primaryKey(
        _ model: ModelBinding, _ key: RowKey, in view: TreeView
    ) -> StoredValue? {
        guard let row = view.classView(model.classID).locate(key) else { return nil }
        guard let property = model.primaryKey else { return .null }
        return row.value(property.column.rawValue, property.schema)
    }
}
