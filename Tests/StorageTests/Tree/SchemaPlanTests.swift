import Testing

@testable import Storage

/// The plan of a migration at the limits of a schema.
@Suite struct SchemaPlanTests {
    /// An index of columns beyond the limit ended the process before the schema could be refused:
    /// columns that migrations have removed keep their numbers.
    @Test func anIndexOfColumnsBeyondTheLimit() {
        let old = (0..<Limits.columns).map { ColumnSchema(name: "p\($0)", kind: .int) }
        let stored = StoreSchema(classes: [ClassSchema(name: "Wide", columns: old)])
        var columns = ["p0", "p1"].map { ColumnSchema(name: $0, kind: .string) }
        var parts = IndexParts()
        for (number, column) in columns.enumerated() {
            parts.append(ColumnID(number), column, isDescending: false)
        }
        columns.append(ColumnSchema(parts))
        let models = StoreSchema(classes: [ClassSchema(name: "Wide", columns: columns)])
        let plan = SchemaPlan(stored: stored, models: models)
        #expect(plan.target.classes[0].columns.count == Limits.columns + 2)
    }
}
