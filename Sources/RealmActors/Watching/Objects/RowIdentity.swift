import Storage

/// Distinguishes an object from a later one with the same row key: a store with relaxed durability
/// that has lost commits reuses their keys, and so do other processes and hosts those of a write
/// that was rolled back.
struct RowIdentity: Sendable {
    private let model: ModelBinding
    private let key: RowKey
    /// The primary key; null if the class has none, nil if the object does not exist.
    private let primaryKey: StoredValue?
    /// When the version was captured in which the object has the row.
    private let capture: UInt64

    /// The identity of the object that has the row in the version of `context`.
    init(_ model: ModelBinding, _ key: RowKey, in context: FrozenContext) {
        self.model = model
        self.key = key
        primaryKey = Self.primaryKey(model, key, in: context.view)
        capture = context.root.capture
    }

    /// The identity of a frozen object of `context`; of none if its row was lost before it was
    /// frozen.
    init(of object: ObjectBase, in context: FrozenContext) {
        let model: ModelBinding = object.__model
        self.model = model
        key = object.__key
        primaryKey =
            object._hasLostRow ? nil : Self.primaryKey(model, object.__key, in: context.view)
        capture = context.root.capture
    }

    /// Whether the object exists at `moment`, which the marks led to.
    func isThere(at moment: Snapshot, _ marks: MergedMarks = MergedMarks()) -> Bool {
        let present = Self.primaryKey(model, key, in: moment.view)
        if present == nil || present != primaryKey || hasReusedKey(at: moment) { return false }
        return marks.classes[model.classID]?.renewed.contains(key) != true
    }

    /// Whether the row at `moment` is that of another object.
    func isTaken(at moment: Snapshot) -> Bool {
        let present = Self.primaryKey(model, key, in: moment.view)
        if present == nil || primaryKey == nil { return false }
        return present != primaryKey || hasReusedKey(at: moment)
    }

    private func hasReusedKey(at moment: Snapshot) -> Bool {
        let keys = moment.root.account.reusedKeys
        return !keys.isEmpty
            && keys.contains(model.classID, key, between: capture, and: moment.root.capture)
    }

    private static func primaryKey(
        _ model: ModelBinding, _ key: RowKey, in view: TreeView
    ) -> StoredValue? {
        guard let row = view.classView(model.classID).locate(key) else { return nil }
        guard let property = model.primaryKey else { return .null }
        return row.value(property.column.rawValue, property.schema)
    }
}
