import Foundation
import RealmActors
import StorageHarness
import Testing

/// The versions of one object against what a test has written down.
@Suite struct ObjectVersionTests {
    private static func keep(_ configuration: inout Realm.Configuration) {
        configuration.history = .keep(bytes: 64 << 20)
    }

    /// A version as the test knows it.
    private struct Noted: Equatable {
        var version: Realm.Version
        var author: String?
        var change: ObjectVersion<HistoryDog>.Change
        var values: [String: CommitValue]
        var oldValues: [String: CommitValue] = [:]
    }

    private static func values(_ dog: Frozen<HistoryDog>) -> [String: CommitValue] {
        [
            "id": .value(.int(dog.id)), "name": .value(.string(dog.name)),
            "age": .value(dog.age.map { .int($0) } ?? .none),
            "friend": .value(.none),
            "tags": .list(dog.tags.map { .value(.string($0)) }),
            "scores": .dictionary(
                Dictionary(
                    uniqueKeysWithValues: dog.scores.map { ($0.key, .value(.int($0.value))) })
            ),
        ]
    }

    /// What one transaction does to the dog; the names of what it writes.
    private static func edit(_ dog: HistoryDog, _ random: inout SeededGenerator) -> Set<String> {
        var names: Set<String> = []
        for _ in 0...random.next() % 3 {
            let number = Int(random.next() % 5)
            switch random.next() % 7 {
            case 0:
                dog.name = "\(number)"
                names.insert("name")
            case 1:
                dog.age = number == 0 ? nil : number
                names.insert("age")
            case 2:
                dog.tags.insert("\(number)", at: min(number, dog.tags.count))
                names.insert("tags")
            case 3 where !dog.tags.isEmpty:
                dog.tags.remove(at: number % dog.tags.count)
                names.insert("tags")
            case 4 where dog.tags.count > 1:
                let place = number % dog.tags.count
                dog.tags.move(from: 0, to: place)
                // What stays where it is does not change.
                if place > 0 { names.insert("tags") }
            case 5 where !dog.tags.isEmpty:
                dog.tags[number % dog.tags.count] = "set \(number)"
                names.insert("tags")
            default:
                dog.scores["\(number)"] = dog.scores["\(number)"] == nil ? number : nil
                names.insert("scores")
            }
        }
        return names
    }

    @Test("O16: the versions of an object are those that were written down", arguments: 0..<3)
    func versionsAreThoseThatWereWrittenDown(_ number: Int) async throws {
        let start = SeededGenerator()
        try await withFreshRealm(historyTypes, Self.keep) { realm in
            var random = start
            try await realm.addDog(1)
            var rex = try await realm.addDog(2, "Rex")
            var noted = [
                Noted(
                    version: realm.latestVersion, change: .inserted, values: Self.values(rex))
            ]
            for round in 0..<60 {
                if round % 7 == 0 { try await realm.editDog(1) { $0.age = round } }
                let before = random
                let (names, next) = try await realm.write(author: "round \(round)") { tx in
                    var random = before
                    let dog = try #require(tx.object(HistoryDog.self, forPrimaryKey: 2))
                    return (Self.edit(dog, &random), random)
                }
                random = next
                if names.isEmpty || realm.latestVersion == noted.last?.version { continue }
                let old = Self.values(rex)
                rex = try #require(realm.object(HistoryDog.self, forPrimaryKey: 2))
                let order = ["id", "name", "age", "friend", "tags", "scores"]
                noted.append(
                    Noted(
                        version: realm.latestVersion, author: "round \(round)",
                        change: .modified(propertyNames: order.filter { names.contains($0) }),
                        values: Self.values(rex), oldValues: old.filter { names.contains($0.key) }))
            }
            let found = try await realm.versions(of: rex)
            try Self.check(found, noted, "\(start)")
            // After a restart, and after its deletion by its reference.
            try await realm.compact()
            try await realm.close()
            try await realm.reopen()
            try await realm.write { tx in try tx.delete(#require(tx.resolve(rex))) }
            noted.append(
                Noted(
                    version: realm.latestVersion, change: .deleted, values: [:],
                    oldValues: Self.values(rex)))
            try Self.check(try await realm.versions(of: rex.reference), noted, "\(start)")
        }
    }

    private static func check(
        _ found: [ObjectVersion<HistoryDog>], _ noted: [Noted], _ comment: Comment
    ) throws {
        let plain = found.map {
            Noted(
                version: $0.version, author: $0.author, change: $0.change, values: $0.values,
                oldValues: $0.oldValues)
        }
        #expect(plain.count == noted.count, comment)
        for (a, b) in zip(plain, noted) where a != b {
            Issue.record("\(a) is not \(b), \(comment)")
            return
        }
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.time <= $1.time })
        #expect(found.map(\.token.version) == noted.map(\.version))
    }

    @Test("O16: objects of another realm, and those that nothing is known of")
    func objectsOfAnotherRealm() async throws {
        try await withFreshRealm(historyTypes, Self.keep) { realm in
            try await withFreshRealm(historyTypes) { other in
                let dog = try await other.addDog(1)
                await #expect(throws: RealmError.self) { _ = try await realm.versions(of: dog) }
            }
            let links = try await realm.addDog(1)
            try await realm.write { tx in
                let friend = try tx.create(HistoryDog.self, value: ["id": 2])
                tx.resolve(links)?.friend = friend
            }
            try await realm.write { tx in
                try tx.delete(#require(tx.object(HistoryDog.self, forPrimaryKey: 2)))
            }
            // The link that a deletion made null is a change of the object that had it.
            let versions = try await realm.versions(of: links)
            #expect(versions.count == 3)
            #expect(versions[2].values["friend"] == .value(.none))
            #expect(versions[2].oldValues["friend"] == versions[1].values["friend"])
        }
    }
}
