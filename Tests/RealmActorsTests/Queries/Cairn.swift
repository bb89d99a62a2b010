import RealmActors

/// A type of one's own that is stored as an embedded object.
struct Cairn: CustomPersistable {
    var x: Int
    var label: String?

    init(_ x: Int, _ label: String? = nil) { (self.x, self.label) = (x, label) }

    init(persistedValue: CairnRow) { self.init(persistedValue.x, persistedValue.label) }

    var persistableValue: CairnRow {
        let row = CairnRow()
        row.x = x
        row.label = label
        return row
    }
}

final class CairnRow: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var label: String?
}
