import Foundation
import Testing

@testable import RealmActors

/// The history of realms that have no files of their own to read it from, or none to write.
@Suite struct HistoryElsewhereTests {
    private func inMemory(_ history: Realm.Configuration.History) -> Realm.Configuration {
        Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: historyTypes, history: history)
    }

    private static func ages(_ commits: [RealmCommit]) -> [FrozenValue?] {
        commits.map { $0.modifications(of: HistoryDog.self).first?.newValues["age"]?.frozen }
    }

    @Test func aRealmInMemoryDeliversItsCommitsWhereTheyAreKept()
        async throws
    {
        let realm = try await Realm.open(inMemory(.keep(bytes: 64 << 20)))
        let start = realm.snapshot().changeToken
        var following = realm.commits().makeAsyncIterator()
        try await realm.addDog(1, "Rex", age: 0)
        for age in 1...40 { try await realm.editDog(1, author: "\(age)") { $0.age = age } }
        let followed = try await take(41, &following)
        let (ages, authors) = (Self.ages(followed), followed.map(\.author))
        #expect(ages == [nil] + (1...40).map { FrozenValue.int($0) })
        #expect(authors == [nil] + (1...40).map { "\($0)" })
        // Old values, because the history is `.keep`; and the commit is delivered later, too.
        let old = followed[5].modifications(of: HistoryDog.self).first?.oldValues["age"]?.frozen
        #expect(old == .int(4))
        var late = realm.commits(since: start).makeAsyncIterator()
        #expect(try await take(41, &late).map(\.version) == followed.map(\.version))
        let middle = followed[20].token
        var rest = realm.commits(since: middle).makeAsyncIterator()
        #expect(try await take(20, &rest).map(\.author) == (21...40).map { "\($0)" })
        try await realm.close()
    }

    /// It is a realm in memory in every other way.
    @Test func aRealmInMemoryWithHistoryIsOneInMemory() async throws {
        let configuration = inMemory(.keep(for: .seconds(600)))
        do {
            let realm = try await Realm.open(configuration)
            let other = try await Realm.open(configuration)
            #expect(realm == other)
            try await realm.write { tx in
                for id in 0..<3_000 {
                    try tx.create(HistoryDog.self, value: ["id": id, "name": "dog \(id)"])
                }
            }
            try await realm.write { tx in
                try tx.delete(tx.objects(HistoryDog.self).where { $0.id >= 10 })
            }
            try await realm.compact()
            #expect(other.objects(HistoryDog.self).count == 10)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
        let again = try await Realm.open(configuration)
        #expect(again.objects(HistoryDog.self).isEmpty)
        try await again.close()
    }

    @Test func aRealmInMemoryWithoutHistorySaysHowToHaveOne() async throws {
        let realm = try await Realm.open(inMemory(.untilCompacted))
        var commits = realm.commits().makeAsyncIterator()
        do {
            _ = try await commits.next()
            Issue.record("There is a history")
        } catch {
            #expect(error.description.contains(".keep(for:)"), "\(error)")
        }
        try await realm.close()
    }

    @Test func aReadOnlyRealmDeliversTheCommitsOfItsWriter() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: historyTypes, history: .keep(bytes: 64 << 20))
            let writer = try await Realm.open(configuration)
            let start = writer.snapshot().changeToken
            for id in 0..<12 { try await writer.addDog(id, age: id) }
            try await writer.close()
            var reading = configuration
            reading.readOnly = true
            let reader = try await Realm.open(reading)
            var commits = reader.commits(since: start).makeAsyncIterator()
            let taken = try await take(12, &commits)
            let ids = taken.flatMap { $0.insertions(of: HistoryDog.self) }
                .map { $0.values["id"]?.frozen }
            #expect(ids == (0..<12).map { .int($0) })
            // Nothing more is there, and the stream ends with the realm.
            try await reader.close()
            #expect(try await commits.next() == nil)
        }
    }

    /// One that follows a writer in another process, which here is another path to the same files.
    @Test func aReadOnlyRealmFollowsTheCommitsOfItsWriter() async throws {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let reader = try await Realm.open(
                .init(path: folder.name(1), objectTypes: [SharedParcel.self], readOnly: true))
            var commits = reader.commits().makeAsyncIterator()
            for id in 2...6 {
                try await writer.write(author: "writer") { tx in
                    try tx.create(SharedParcel.self, value: ["id": id])
                    return
                }
            }
            let taken = try await take(5, &commits)
            #expect(taken.map(\.author) == Array(repeating: "writer", count: 5))
            let ids = taken.flatMap { $0.insertions(of: SharedParcel.self) }
                .map { $0.values["id"]?.frozen }
            #expect(ids == (2...6).map { .int($0) })
            try await reader.close()
            try await writer.close()
        }
    }
}
