import RealmActors
import Testing

private final class Crate: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var label: String
    @Persisted var lid: Lid?
}

private final class Lid: EmbeddedObject {
    @Persisted var color: String
}

/// Objects of rolled back writes that nothing read before the rollback: those that were deleted
/// came back to life.
@Suite @MainActor struct UndoneRowTests {
    private struct Refusal: Error {}

    /// How to delete an object that is held, without giving it.
    enum Way: CaseIterable { case all, ofItsClass, results, another, frozen }

    private func withCrates(_ body: @MainActor (LiveRealm) async throws -> Void) async throws {
        try await withFreshRealm([Crate.self, Lid.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3 {
                    let values: [String: Any] = [
                        "id": id, "label": "crate \(id)", "lid": ["color": "red"],
                    ]
                    try tx.create(Crate.self, value: values)
                }
            }
            try await body(try await realm.live())
        }
    }

    private func delete(_ way: Way, _ live: LiveRealm) throws {
        switch way {
        case .all: try live.deleteAll()
        case .ofItsClass: try live.deleteAll(Crate.self)
        case .results: try live.delete(live.objects(Crate.self).where { $0.id == 1 })
        case .another: try live.delete(try #require(live.object(Crate.self, forPrimaryKey: 1)))
        case .frozen:
            try live.delete(try #require(live.object(Crate.self, forPrimaryKey: 1)).freeze())
        }
    }

    @Test(
        "D1: every accessor of what a cancelled write deleted stays invalidated",
        arguments: Way.allCases)
    func deleted(_ way: Way) async throws {
        try await withCrates { live in
            let crate = try #require(live.object(Crate.self, forPrimaryKey: 1))
            let lid = try #require(crate.lid)
            #expect(crate.label == "crate 1" && lid.color == "red")
            try await live.beginWrite()
            try delete(way, live)
            live.cancelWrite()
            #expect(crate.isInvalidated && lid.isInvalidated)
            #expect(crate.label == "crate 1" && lid.color == "red")
            let again = try #require(live.object(Crate.self, forPrimaryKey: 1))
            #expect(again.label == "crate 1" && again.lid?.color == "red")
            try await live.write { again.label = "new" }
            #expect(again.label == "new" && !again.isInvalidated)
            #expect(crate.isInvalidated && crate.label == "crate 1")
        }
    }

    @Test("D1: so do those of a write that throws, and no other object")
    func thrown() async throws {
        try await withCrates { live in
            let crates = Array(live.objects(Crate.self))
            #expect(crates.map(\.label) == ["crate 0", "crate 1", "crate 2"])
            await #expect(throws: Refusal.self) {
                try await live.write {
                    crates[2].label = "new"
                    try delete(.another, live)
                    throw Refusal()
                }
            }
            #expect(crates.map(\.isInvalidated) == [false, true, false])
            #expect(crates.map(\.label) == ["crate 0", "crate 1", "crate 2"])
        }
    }

    @Test("D1: what the body asks for after it has cancelled is valid")
    func askedWithinTheBody() async throws {
        try await withCrates { live in
            try await live.realm.write { tx in
                let crate = try #require(tx.object(Crate.self, forPrimaryKey: 1))
                try tx.deleteAll(Crate.self)
                let added = try tx.create(Crate.self, value: ["id": 7])
                tx.cancel()
                #expect(crate.isInvalidated && added.isInvalidated)
                #expect(tx.object(Crate.self, forPrimaryKey: 1)?.label == "crate 1")
                #expect(tx.objects(Crate.self).count == 3)
            }
        }
    }

    @Test("D1: later rows are not taken for those of rolled back writes")
    func laterRows() async throws {
        try await withCrates { live in
            var (given, kept): ([Crate], [Crate]) = ([], [])
            for id in 10..<14 {
                try await live.beginWrite()
                given.append(try live.create(Crate.self, value: ["id": id]))
                live.cancelWrite()
                kept.append(
                    try await live.write { try live.create(Crate.self, value: ["id": id]) })
            }
            #expect(given.allSatisfy { $0.isInvalidated })
            #expect(kept.map(\.id) == [10, 11, 12, 13])
            #expect(live.objects(Crate.self).map(\.id) == [0, 1, 2, 10, 11, 12, 13])
        }
    }
}
