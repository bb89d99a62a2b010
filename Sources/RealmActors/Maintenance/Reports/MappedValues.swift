import Storage

/// Finds stored values without an enum case, or that a custom type rejects.
struct MappedValues {
    private let snapshot: Snapshot
    private let monitor: ReadingMonitor
    private(set) var problems: [VerificationReport.Problem] = []
    private(set) var count = 0

    init(_ snapshot: Snapshot, _ monitor: ReadingMonitor) {
        self.snapshot = snapshot
        self.monitor = monitor
    }

    /// - Throws: `CancellationError` when the reading is cancelled.
    mutating func check() throws {
        for model in snapshot.models.bindings {
            for property in model.properties where property.shape.role == .stored {
                if let accepts = property.shape.accepts { try check(property, model, accepts) }
            }
        }
    }

    private mutating func check(
        _ property: PropertyBinding, _ model: ModelBinding,
        _ accepts: @Sendable (StoredValue) -> Bool
    ) throws {
        let (column, schema) = (property.column.rawValue, property.schema)
        var clusters = snapshot.view.classView(model.classID).makeClusterIterator()
        while let cluster = clusters.next() {
            try monitor.check()
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                func check(_ value: StoredValue) {
                    if value.isNull || accepts(value) { return }
                    note(value, property, model, cluster.key(slot))
                }
                switch schema.container {
                case .none: check(cluster.value(column, slot, schema))
                case .list, .set: cluster.sequence(column, slot, schema).forEach(check)
                case .map: cluster.map(column, slot, schema).values.forEach(check)
                }
            }
        }
    }

    private mutating func note(
        _ value: StoredValue, _ property: PropertyBinding, _ model: ModelBinding, _ row: RowKey
    ) {
        count += 1
        guard problems.count < 1000 else { return }
        problems.append(
            VerificationReport.Problem(
                kind: .value, className: model.className, propertyName: property.name,
                row: row.rawValue, file: nil, offset: nil,
                reason: "the stored value \(FrozenValue(plain: value)) is not a value of "
                    + "\(property.shape.name)"))
    }
}
