import Foundation
import Testing

@testable import RealmActors

/// A class that the realm was opened without: asking for its objects ended the process.
@Suite @MainActor struct UnlistedClassTests {
    private func expectEmpty(_ results: some QueryableResults<Mark>) {
        #expect(results.isEmpty && results.first == nil && results.last == nil)
        #expect(Array(results).isEmpty && results.count == 0)
        #expect(results.where { $0.number > 3 && $0.weight == 1 }.sorted(by: \.weight).isEmpty)
        #expect(results.distinct(by: \.weight).limit(3).isEmpty)
        #expect(results.sum(of: \.weight) == 0 && results.max(of: \.weight) == nil)
        #expect(results.values(of: \.number) == [] && results.average(of: \.number) == nil)
        #expect(results.index(matching: { $0.number == 1 }) == nil)
        #expect(throws: Self.error) { try results.filter("number > 3") }
        #expect(throws: Self.error) { try results.filter(#Predicate<Mark> { $0.number > 3 }) }
        #expect(throws: Self.error) { try results.sorted(by: [SortDescriptor(keyPath: "number")]) }
        #expect("\(results)".contains("(empty)") && !results.explain().isEmpty)
    }

    private static let error = RealmError.invalidObject(
        "Class 'Mark' is not in the realm's objectTypes. Open the realm with Mark.self.")

    @Test func itHasNoObjectsAndWhatThrowsSaysWhy() async throws {
        for types: [ObjectBase.Type] in [[LiveCat.self], []] {
            try await withFreshRealm(types) { realm in
                let frozen = realm.objects(Mark.self)
                expectEmpty(frozen)
                await #expect(throws: Self.error) { try await frozen.evaluated() }
                var changes = frozen.changes().makeAsyncIterator()
                await #expect(throws: Self.error) { _ = try await changes.next() }
                var paths = frozen.changes(keyPaths: [\.number]).makeAsyncIterator()
                await #expect(throws: Self.error) { _ = try await paths.next() }
                var sections = frozen.sectioned(by: \.number).changes().makeAsyncIterator()
                await #expect(throws: Self.error) { _ = try await sections.next() }
                #expect(frozen.snapshot.version == realm.latestVersion)
                #expect(realm.object(Mark.self, forPrimaryKey: 1) == nil)

                let live = try await realm.live()
                let results = live.objects(Mark.self)
                expectEmpty(results)
                expectEmpty(results.freeze())
                #expect(results.sectioned(by: \.weight).isEmpty)
                await #expect(throws: Self.error) { _ = try await results.evaluated() }
                var liveChanges = results.changes().makeAsyncIterator()
                await #expect(throws: Self.error) { _ = try await liveChanges.next() }
                await #expect(throws: Self.error) {
                    try await live.write { _ = try live.create(Mark.self) }
                }
                await #expect(throws: Self.error) {
                    try await live.write { try live.add(Mark()) }
                }
                await #expect(throws: RealmError.self) {
                    try await live.write { try live.delete(live.objects(Mark.self)) }
                }
                try await realm.write { tx in #expect(tx.objects(Mark.self).isEmpty) }
                #expect(realm.failure == nil)
            }
        }
    }

    final class Nameless: Object {
        @Persisted var text: String
        @Persisted var number: Int
        override class func propertiesMapping() -> [String: String] { ["text": "", "number": ""] }
    }

    /// An empty name trapped.
    @Test func anEmptyColumnNameIsAnInvalidSchema() async throws {
        let error = await #expect(throws: RealmError.self) {
            try await Realm.open(
                .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Nameless.self]))
        }
        guard case .invalidSchema(let problems)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problems.count == 2 && problems[0].contains("an empty name"))
    }
}
