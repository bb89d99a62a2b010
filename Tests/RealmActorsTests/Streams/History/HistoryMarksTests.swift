import Foundation
import Testing

@testable import RealmActors
@testable import Storage

/// Commits whose values are not in the log, only the keys of the rows that they changed.
@Suite struct HistoryMarksTests {
    private func commit(
        _ touched: [[Range<Int64>]], in realm: Realm
    ) throws -> RealmCommit {
        let schema = realm.store.models.storeSchema
        let id = try #require(schema.classID(named: "HistoryDog"))
        var changes = LoggedClass(id: id)
        changes.touched = touched.enumerated().map { column, rows in
            LoggedColumn(column: ColumnID(column), rows: rows, values: [])
        }
        let logged = LoggedCommit(
            version: Storage.Version(7), author: nil, time: 1, hasValues: false,
            hasOldValues: false, classes: [changes], schema: nil)
        return RealmCommit(logged, realm.store.models)
    }

    /// Describing a commit made a list of all its rows, and a damaged record may claim more rows
    /// than fit in memory.
    @Test func aDescriptionCountsRowsByTheirRanges() async throws {
        let realm = try await Realm.open(
            .init(inMemoryIdentifier: UUID().uuidString, objectTypes: historyTypes))
        let few = try commit([[0..<10, 20..<30], [5..<25, 40..<41]], in: realm)
        #expect(few.description.contains("~31 "))
        let many = try commit([[0..<1 << 60], [1..<2]], in: realm)
        #expect(many.description.contains("~\(1 << 60) "))
        try await realm.close()
    }
}
