import Storage

/// What distinguishes an object from another one in its row: a relaxed store that has lost commits
/// gives the keys of their rows to others.
struct RowIdentity: Sendable {
    private let model: ModelBinding
    private let key: RowKey
    /// As the object has it: null without one, nil where the object is not there.
    private let primaryKey: StoredValue?

    /// The identity of the object that has the row in the version of `view`.
    init(_ model: ModelBinding, _ key: RowKey, in view: TreeView) {
        self.model = model
        self.key = key
        primaryKey = Self.primaryKey(model, key, in: view)
    }

    /// Whether the object is there in the version of `view`, which the marks led to.
    func isThere(in view: TreeView, _ marks: MergedMarks = MergedMarks()) -> Bool {
        let present = Self.primaryKey(model, key, in: view)
        if present == nil || present != primaryKey { return false }
        return marks.classes[model.classID]?.renewed.contains(key) != true
    }

    /// Whether another object has the row in the version of `view`, as its primary key shows.
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
