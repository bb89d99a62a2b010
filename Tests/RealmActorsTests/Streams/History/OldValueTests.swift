import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Old values in the history of commits.
@Suite struct OldValueTests {
    private static func keep(_ configuration: inout Realm.Configuration) {
        configuration.history = .keep(bytes: 64 << 20)
    }

    private static func change(_ realm: Realm) async throws {
        let rex = try await realm.addDog(1, "Rex", age: 3)
        try await realm.addDog(2, "Max", age: 4)
        try await realm.editDog(1) { dog in
            dog.name = "Fido"
            dog.age = nil
            dog.friend = dog
            dog.tags.append("good")
        }
        try await realm.editDog(1) { dog in
            dog.age = 5
            dog.friend = nil
            dog.scores["run"] = 7
        }
        try await realm.write { tx in try tx.delete(#require(tx.resolve(rex))) }
    }

    private static func check(_ commits: [RealmCommit]) throws {
        #expect(commits.count == 5 && commits.allSatisfy(\.hasOldValues))
        let first = try #require(commits[2].modifications(of: HistoryDog.self).first)
        #expect(
            first.oldValues == [
                "name": .value("Rex"), "age": .value(3), "friend": .value(.none),
            ])
        #expect(first.newValues["age"] == .value(.none))
        let second = try #require(commits[3].modifications(of: HistoryDog.self).first)
        #expect(second.oldValues["age"] == .value(.none) && second.newValues["age"] == .value(5))
        #expect(second.oldValues["friend"] == first.newValues["friend"])
        let deleted = try #require(commits[4].deletions(of: HistoryDog.self).first)
        #expect(
            deleted.oldValues == [
                "id": .value(1), "name": .value("Fido"), "age": .value(5), "friend": .value(.none),
                "tags": .list([.value("good")]), "scores": .dictionary(["run": .value(7)]),
            ])
        #expect(deleted.reference == second.reference)
        #expect(commits[4].changes.first?.deletions.first?.oldValues == deleted.oldValues)
    }

    @Test func aKeptHistoryHasOldValuesAlsoAfterARestart() async throws {
        try await withFreshRealm(historyTypes, Self.keep) { realm in
            let token = realm.snapshot().changeToken
            try await Self.change(realm)
            try await realm.close()
            try await realm.reopen()
            var commits = realm.commits(since: token).makeAsyncIterator()
            try Self.check(try await take(5, &commits))
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    @Test func whoFollowsTheCommitsGetsOldValuesOfThoseFromThenOn() async throws {
        try await withFreshRealm(historyTypes) { realm in
            let token = realm.snapshot().changeToken
            try await realm.addDog(0, "Bello")
            try await realm.editDog(0) { $0.name = "Hasso" }
            var commits: RealmChanges.AsyncIterator? = realm.commits().makeAsyncIterator()
            try await Self.change(realm)
            try Self.check(try await take(5, &commits!))
            commits = nil
            try await realm.editDog(0) { $0.name = "Waldi" }
            // Before and after, no stream requires them and none are logged.
            var all = realm.commits(since: token).makeAsyncIterator()
            let flags = try await take(8, &all).map(\.hasOldValues)
            #expect(flags == [false, false, true, true, true, true, true, false])
        }
    }

    /// Commits that share a group: the values before each are those of the commit before it.
    @Test func writersThatCommitTogetherGetExactOldValues() async throws {
        for durability in [Realm.Configuration.Durability.fsync, .relaxed(every: .seconds(1))] {
            let configure: (inout Realm.Configuration) -> Void = {
                $0.durability = durability
                $0.history = .keep(bytes: 64 << 20)
            }
            try await withFreshRealm(historyTypes, configure) { realm in
                try await realm.addDog(1, age: 0)
                let token = realm.snapshot().changeToken
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for writer in 0..<8 {
                        group.addTask {
                            for turn in 0..<20 {
                                let isAbandoned = turn % 7 == writer % 7
                                try? await realm.write { tx in
                                    let dog = try #require(
                                        tx.object(HistoryDog.self, forPrimaryKey: 1))
                                    dog.age = (dog.age ?? 0) + 1
                                    if isAbandoned { throw CancellationError() }
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let last = try #require(realm.objects(HistoryDog.self).first?.age)
                var commits = realm.commits(since: token).makeAsyncIterator()
                for age in 0..<last {
                    let commit = try #require(try await commits.next())
                    let edit = try #require(commit.modifications(of: HistoryDog.self).first)
                    #expect(edit.oldValues == ["age": .value(.int(age))])
                    #expect(edit.newValues == ["age": .value(.int(age + 1))])
                }
            }
        }
    }

    @Test func oldValuesSurviveALossOfPower() async throws {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "old-values.realm", objectTypes: historyTypes)
        Self.keep(&configuration)
        configuration.fileSystem = disk
        let realm = try await Realm.open(configuration)
        let token = realm.snapshot().changeToken
        try await Self.change(realm)
        configuration.fileSystem = disk.crashImage(seed: 1, .nothing)
        try await realm.close()
        let recovered = try await Realm.open(configuration)
        #expect(recovered.objects(HistoryDog.self).map(\.name) == ["Max"])
        var commits = recovered.commits(since: token).makeAsyncIterator()
        try Self.check(try await take(5, &commits))
        try await recovered.close()
    }

    @Test func aLargeCommitHasNoOldValues() async throws {
        let configure: (inout Realm.Configuration) -> Void = {
            $0.history = .keep(bytes: 64 << 20)
            $0.logOptions.pageCommitBytes = 16 << 10
        }
        try await withFreshRealm(historyTypes, configure) { realm in
            var commits = realm.commits().makeAsyncIterator()
            try await realm.write { tx in
                for id in 0..<2000 {
                    let name = String(repeating: "x", count: 40)
                    try tx.create(HistoryDog.self, value: ["id": id, "name": name])
                }
            }
            try await realm.editDog(7) { $0.name = "small" }
            try await realm.write { tx in try tx.deleteAll(HistoryDog.self) }
            let taken = try await take(3, &commits)
            #expect(taken.map(\.hasValues) == [false, true, true])
            #expect(taken.map(\.hasOldValues) == [false, true, true])
            let edit = try #require(taken[1].modifications(of: HistoryDog.self).first)
            #expect(edit.oldValues["name"] == .value(.string(String(repeating: "x", count: 40))))
            let deleted = taken[2].deletions(of: HistoryDog.self)
            #expect(deleted.map { $0.oldValues["id"] } == (0..<2000).map { .value(.int($0)) })
            #expect(deleted[7].oldValues["name"] == .value("small"))
        }
    }
}
