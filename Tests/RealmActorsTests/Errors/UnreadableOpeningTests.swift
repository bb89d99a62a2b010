import Foundation
import RealmActors
import Testing

private enum Unindexed {
    final class Lithograph: Object {
        @Persisted var plate: String
        @Persisted var number: Int
    }
}
private enum Indexed {
    final class Lithograph: Object, IndexedModel {
        @Persisted var plate: String
        @Persisted var number: Int
        static var indexes: [Index<Lithograph>] { [Index(unique: \.plate)] }
    }
}

/// Openings that have to look at objects which cannot be read.
@Suite struct UnreadableOpeningTests {
    private static let count = 20_000

    /// A closed store the first objects of which were damaged, two of them with one plate.
    private static func fill(_ path: String) async throws {
        let realm = try await Realm.open(
            .init(path: path, objectTypes: [Unindexed.Lithograph.self]))
        try await realm.write { tx in
            for number in 0..<Self.count {
                try tx.create(
                    Unindexed.Lithograph.self,
                    value: ["plate": "Plate \(max(number, 1))", "number": number])
            }
        }
        try await realm.close()
        try damagePages(of: path)
    }

    private func expectDamage(_ error: RealmError?, _ location: SourceLocation) {
        guard case .corrupted? = error else {
            Issue.record("\(String(describing: error))", sourceLocation: location)
            return
        }
    }

    /// The objects passed for ones with values of their own, and the schema was committed.
    @Test func aUniqueIndexIsNotMadeOfObjectsThatCannotBeRead() async throws {
        try await withStorePath { path in
            try await Self.fill(path)
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Indexed.Lithograph.self], writeTimeout: nil)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            expectDamage(error, #_sourceLocation)
            // Nothing of that was committed.
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Unindexed.Lithograph.self], writeTimeout: nil))
            #expect(realm.objects(Unindexed.Lithograph.self).last?.number == Self.count - 1)
            #expect(realm.failure == nil)
            try await realm.write { tx in
                for _ in 0..<2 {
                    try tx.create(Unindexed.Lithograph.self, value: ["plate": "Twice"])
                }
            }
            try? await realm.close()
        }
    }

    /// The plan said that the store opens.
    @Test func aPlanSaysWhatCannotBeRead() async throws {
        try await withStorePath { path in
            try await Self.fill(path)
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Indexed.Lithograph.self], writeTimeout: nil)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.migrationPlan(for: configuration)
            }
            expectDamage(error, #_sourceLocation)
        }
    }
}
