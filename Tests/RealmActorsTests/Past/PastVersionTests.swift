import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

/// Versions of the past against snapshots that were held all the time.
@Suite struct PastVersionTests {
    private static func keep(_ configuration: inout Realm.Configuration) {
        configuration.history = .keep(bytes: 256 << 20)
    }

    /// What a run leaves to be compared with.
    private struct Run {
        var held: [Snapshot] = []
        var images: [[String]] = []
        var versions: [Realm.Version] = []

        mutating func note(_ snapshot: Snapshot) {
            held.append(snapshot)
            images.append(snapshot.pastImage)
            versions.append(snapshot.version)
        }
    }

    private static func run(
        _ realm: Realm, _ random: SeededGenerator, rounds: Int
    ) async throws -> Run {
        var run = Run()
        run.note(realm.snapshot())
        var changes = PastChanges(random)
        for _ in 0..<rounds {
            let before = changes
            changes = try await realm.write { tx in
                var next = before
                try next.change(tx)
                return next
            }
            if realm.latestVersion > run.versions.last! { run.note(realm.snapshot()) }
        }
        return run
    }

    @Test("O13: every version of the past is what a snapshot of it was", arguments: 0..<3)
    func everyVersionIsWhatASnapshotOfItWas(_ number: UInt64) async throws {
        let random = SeededGenerator()
        try await withFreshRealm(pastTypes, Self.keep) { realm in
            let run = try await Self.run(realm, random, rounds: 16)
            for (held, image) in zip(run.held, run.images) {
                let past = try await realm.snapshot(asOf: held.version, label: "past")
                #expect(past.version == held.version && past.changeToken == held.changeToken)
                #expect(past.pastImage == image, "\(random), version \(held.version)")
                #expect(try past.pastAnswers() == held.pastAnswers(), "\(random)")
                #expect(try past.changes(from: held).isEmpty, "\(random)")
                #expect(try held.changes(from: past).isEmpty, "\(random)")
            }
            // Nothing of it is written, and the held versions have not changed.
            #expect(run.held.map(\.pastImage) == run.images)
            #expect(realm.latestVersion == run.versions.last)
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    @Test("O13: versions of the past outlast a restart, a compaction and new writes")
    func versionsOutlastARestartAndACompaction() async throws {
        let random = SeededGenerator()
        try await withFreshRealm(pastTypes, Self.keep) { realm in
            var run = try await Self.run(realm, random, rounds: 20)
            run.held = []
            try await realm.compact()
            try await realm.close()
            try await realm.reopen()
            func check() async throws {
                for (version, image) in zip(run.versions, run.images) {
                    let past = try await realm.snapshot(asOf: version)
                    #expect(past.pastImage == image, "\(random), version \(version)")
                }
            }
            try await check()
            let before = PastChanges(random)
            try await realm.write { tx in
                try tx.delete(tx.objects(PastTown.self))
                var more = before
                try more.change(tx)
            }
            try await realm.compact()
            try await check()
        }
    }

    @Test(
        "O13: versions of the past of an encrypted realm",
        .enabled(if: EncryptionAlgorithm.isAvailable))
    func encryptedVersions() async throws {
        let random = SeededGenerator()
        let key = EncryptionKey.random()
        let configure: (inout Realm.Configuration) -> Void = {
            Self.keep(&$0)
            $0.encryptionKey = key
        }
        try await withFreshRealm(pastTypes, configure) { realm in
            let run = try await Self.run(realm, random, rounds: 10)
            try await realm.compact()
            for (version, image) in zip(run.versions, run.images) {
                #expect(try await realm.snapshot(asOf: version).pastImage == image, "\(random)")
            }
        }
    }

    /// While the version is read, the writer continues, and appends to chunks that both trees
    /// share.
    @Test("O13: versions of the past beside a writer") func versionsBesideAWriter() async throws {
        let random = SeededGenerator()
        try await withFreshRealm(pastTypes, Self.keep) { realm in
            let run = try await Self.run(realm, random, rounds: 12)
            let writing = Task {
                for id in 10_000..<10_200 {
                    try await realm.write { tx in
                        let town = try tx.create(PastTown.self, value: ["id": id, "name": "new"])
                        town.people = id
                        tx.objects(PastTown.self).first?.about = "\(id)"
                    }
                }
            }
            for _ in 0..<3 {
                for (version, image) in zip(run.versions, run.images) {
                    let past = try await realm.snapshot(asOf: version)
                    #expect(past.pastImage == image, "\(random), version \(version)")
                }
            }
            try await writing.value
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    @Test("O14: a time is that of the newest version made then or before")
    func timesAreThoseOfTheNewestVersionBefore() async throws {
        try await withFreshRealm(historyTypes, Self.keep) { realm in
            for id in 0..<12 {
                try await realm.addDog(id, "\(id)")
                if id % 3 == 0 { try await Task.sleep(for: .milliseconds(3)) }
            }
            var times: [(version: Realm.Version, time: Date)] = []
            for try await commit in realm.pastCommits() {
                times.append((commit.version, commit.time))
            }
            let first = try #require(times.first)
            for (_, time) in times {
                for date in [time, time.addingTimeInterval(-0.000_5)] where date >= first.time {
                    let expected = times.last { $0.time <= date }?.version
                    #expect(try await realm.snapshot(asOf: date).version == expected)
                }
            }
            #expect(try await realm.snapshot(asOf: .distantFuture).version == realm.latestVersion)
            // The log has every commit, so that what was there before is known: nothing.
            let before = try await realm.snapshot(asOf: .distantPast)
            #expect(before.isEmpty && before.version < first.version)
        }
    }

    @Test("O13: what a version of the past is good for") func whatAVersionIsGoodFor() async throws {
        try await withFreshRealm(historyTypes, Self.keep) { realm in
            try await realm.addDog(1, "Rex", age: 3)
            try await realm.addDog(2, "Max", age: 4)
            let version = realm.latestVersion
            try await realm.editDog(1) { $0.age = 9 }
            try await realm.write { tx in
                try tx.delete(#require(tx.object(HistoryDog.self, forPrimaryKey: 2)))
            }
            let past = try await realm.snapshot(asOf: version)
            let max = try #require(past.object(HistoryDog.self, forPrimaryKey: 2))
            #expect(realm.resolve(max.reference) == nil)
            #expect(past.resolve(max.reference)?.name == "Max")
            // It is held.
            #expect(realm.activeVersions.contains { $0.version == version })
            // Later changes are reported by a difference, by streams and to conditional writes.
            let rex = try #require(past.object(HistoryDog.self, forPrimaryKey: 1))
            let diff = try realm.snapshot().changes(from: past)
            #expect(diff.deletions(of: HistoryDog.self).map(\.name) == ["Max"])
            var changes = rex.changes(keyPaths: [\.age]).makeAsyncIterator()
            guard case .change(_, let properties)? = try await changes.next() else {
                Issue.record("expected a change")
                return
            }
            #expect(properties.map(\.oldValue) == [3] && properties.map(\.newValue) == [9])
            await #expect(throws: RealmError.self) {
                try await realm.write(ifUnchangedSince: past) { tx in
                    try tx.create(HistoryDog.self, value: ["id": 3])
                    return
                }
            }
            var commits = realm.commits(since: past.changeToken).makeAsyncIterator()
            #expect(
                try await take(2, &commits).map(\.version.rawValue).first == version.rawValue + 1)
            // And the realm can be reverted to it.
            try await realm.revert(to: past)
            #expect(Set(realm.objects(HistoryDog.self).map(\.name)) == ["Rex", "Max"])
        }
    }

    @Test("O13: a realm opened read-only has the versions of its writer")
    func readOnlyVersions() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(path: path, objectTypes: historyTypes)
            Self.keep(&configuration)
            let writer = try await Realm.open(configuration)
            try await writer.addDog(1, "Rex")
            let version = writer.latestVersion
            try await writer.editDog(1) { $0.name = "Max" }
            try await writer.close()
            configuration.readOnly = true
            let reader = try await Realm.open(configuration)
            let past = try await reader.snapshot(asOf: version)
            #expect(past.objects(HistoryDog.self).map(\.name) == ["Rex"])
            try await reader.close()
            // Without models, too.
            let dynamic = try await Realm.open(
                .init(
                    path: path, readOnly: true, history: configuration.history,
                    usesStoredSchema: true))
            let dogs = try await dynamic.snapshot(asOf: version).dynamicObjects("HistoryDog")
            #expect(try dogs.map { try $0["name"] } == ["Rex"])
            try await dynamic.close()
        }
    }

    @Test("O13: a follower has the versions of its writer") func versionsOfAFollower() async throws
    {
        try await SharedFolder.with { folder in
            let writer = try await folder.open(0)
            try await writer.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let reader = try await Realm.open(
                .init(path: folder.name(1), objectTypes: [SharedParcel.self], readOnly: true))
            let version = writer.latestVersion
            var commits = reader.commits().makeAsyncIterator()
            for id in 2...6 {
                try await writer.write { tx in
                    try tx.create(SharedParcel.self, value: ["id": id])
                    return
                }
            }
            _ = try await take(5, &commits)
            // Commits that only add objects need no old values.
            let past = try await reader.snapshot(asOf: version)
            #expect(past.objects(SharedParcel.self).map(\.id) == [1])
            try await reader.close()
            try await writer.close()
        }
    }
}
