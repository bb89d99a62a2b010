import Foundation
import RealmActors
import Testing

private final class Owner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var pets: List<Pet>
    @Persisted var best: Pet?
    @Persisted var tags: MutableSet<String>
    @Persisted var notes: Map<String, Int>
    @Persisted var home: Shelter?
}
private final class Pet: Object {
    @Persisted var name: String
    @Persisted var owner: Owner?
}
private final class Shelter: EmbeddedObject {
    @Persisted var street: String
}

/// Going back to an older version, and writes that ask that nothing has changed.
@Suite struct RevertTests {
    private static let types: [ObjectBase.Type] = [Owner.self, Pet.self, Shelter.self]

    private func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            for id in 0..<4 {
                let owner = try tx.create(
                    Owner.self,
                    value: [
                        "id": id, "name": "o\(id)", "tags": ["a", "b"], "notes": ["x": id],
                        "home": ["street": "s\(id)"],
                    ])
                for number in 0..<5 {
                    let pet = try tx.create(Pet.self, value: ["name": "p\(id)\(number)"])
                    pet.owner = owner
                    owner.pets.append(pet)
                }
                owner.best = owner.pets[2]
            }
        }
    }

    /// Everything that a version shows, without the order of what came back.
    private func contents(_ snapshot: Snapshot) -> [String] {
        snapshot.objects(Owner.self).sorted(by: \.id).map { owner in
            let notes = owner.notes.keys.sorted().map { "\($0)=\(owner.notes[$0] ?? -1)" }
            let pets = owner.pets.map { "\($0.name)<\($0.owner?.id ?? -1)" }
            return "\(owner.id) \(owner.name) \(pets) \(owner.best?.name ?? "none") "
                + "\(owner.tags.sorted()) \(notes) \(owner.home?.street ?? "none")"
        } + snapshot.objects(Pet.self).map(\.name).sorted()
    }

    @Test("O6: everything is as it was")
    func everythingIsAsItWas() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await fill(realm)
            let before = realm.snapshot()
            try await realm.write { tx in
                let owners = tx.objects(Owner.self)
                try tx.delete(owners[0])
                owners[0].name = "changed"
                owners[0].pets.swapAt(0, 4)
                owners[0].pets.remove(at: 2)
                owners[0].tags.insert("c")
                owners[0].notes["y"] = 3
                owners[0].home = try Shelter(value: ["street": "elsewhere"])
                try tx.delete(owners[1].pets[2])
                owners[1].home = nil
                try tx.create(Owner.self, value: ["id": 77, "pets": [["name": "new"]]])
                try tx.create(Owner.self, value: ["id": 0, "name": "another with the key"])
            }
            let after = realm.snapshot()
            #expect(contents(after) != contents(before))
            try await realm.revert(to: before)
            #expect(contents(realm.snapshot()) == contents(before))
            #expect(try await realm.verify().isIntact)
            // What was undone can be done again.
            try await realm.revert(to: after)
            #expect(contents(realm.snapshot()) == contents(after))
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("O6: streams report exactly what is reverted")
    func streamsAreToldExactlyWhatGoesBack() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await fill(realm)
            let before = realm.snapshot()
            try await realm.write { tx in
                tx.objects(Owner.self)[1].name = "changed"
                try tx.delete(tx.objects(Owner.self)[3])
            }
            var changes = realm.objects(Owner.self).changes(keyPaths: [\.name]).makeAsyncIterator()
            _ = try await changes.next()
            try await realm.revert(to: before, author: "undo")
            guard
                case .update(let owners, let deletions, let insertions, let modifications) =
                    try await changes.next()
            else {
                Issue.record("No update")
                return
            }
            #expect(owners.count == 4)
            #expect(deletions == [] && insertions == [3] && modifications == [1])
        }
    }

    @Test("O6: nothing is written when nothing differs")
    func nothingIsWrittenWhenNothingDiffers() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await fill(realm)
            let snapshot = realm.snapshot()
            try await realm.revert(to: snapshot)
            #expect(realm.latestVersion == snapshot.version)
            let other = try await Realm.open(
                .init(inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types))
            let foreign = other.snapshot()
            let error = await #expect(throws: RealmError.self) {
                try await realm.revert(to: foreign)
            }
            guard case .invalidObject = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test("O5: a conditional write runs when nothing has changed")
    func aConditionalWriteRunsWhenNothingHasChanged() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await fill(realm)
            let snapshot = realm.snapshot()
            try await realm.write(ifUnchangedSince: snapshot) { tx in
                tx.objects(Owner.self)[0].name = "x"
            }
            let version = realm.latestVersion
            let count = try await realm.write(ifUnchangedSince: version) { tx in
                tx.objects(Owner.self).count
            }
            #expect(count == 4)
            let token = realm.snapshot().changeToken
            try await realm.write(ifUnchangedSince: token) { tx in try tx.deleteAll(Pet.self) }
            // Only what is asked for counts.
            try await realm.write(ifUnchangedSince: snapshot, touching: [Shelter.self]) { tx in
                tx.objects(Owner.self)[0].name = "y"
            }
            #expect(realm.objects(Owner.self).first?.name == "y")
        }
    }

    @Test("O5: a conflict says what changed, and nothing is written")
    func aConflictSaysWhatChangedAndNothingIsWritten() async throws {
        try await withFreshRealm(Self.types) { realm in
            try await fill(realm)
            let snapshot = realm.snapshot()
            try await realm.write { tx in
                tx.objects(Owner.self)[0].name = "x"
                try tx.delete(tx.objects(Pet.self)[7])
                try tx.create(Pet.self)
            }
            let latest = realm.latestVersion
            let error = await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: snapshot) { tx in try tx.deleteAll() }
            }
            guard case .writeConflict(let conflict) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(conflict.since == snapshot.version && conflict.latest == latest)
            #expect(conflict.classes.map(\.className) == ["Owner", "Pet"])
            #expect(conflict.classes[0].modifications == 2)
            #expect(conflict.classes[0].properties == ["best", "name", "pets"])
            #expect(conflict.classes[1].insertions == 1 && conflict.classes[1].deletions == 1)
            #expect(realm.latestVersion == latest && realm.objects(Pet.self).count == 20)
            await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: snapshot.version) { _ in }
            }
        }
    }
}
