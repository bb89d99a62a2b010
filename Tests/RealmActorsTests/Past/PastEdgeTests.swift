import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

private enum PetsBefore {
    final class Pet: Object {
        @Persisted var name: String
        @Persisted var tags: List<String>
    }
}

private enum PetsAfter {
    final class Pet: Object {
        @Persisted var name: String
    }
}

/// Where a history begins and ends.
@Suite struct PastEdgeTests {
    @Test func theHistoryOfACopyBeginsWithTheCopy() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await realm.addDog(1, "Rex")
            try await withStorePath { path in
                try await realm.writeCopy(to: path)
                let copy = try await Realm.open(.init(path: path, objectTypes: historyTypes))
                #expect(copy.objects(HistoryDog.self).count == 1)
                await #expect(throws: RealmError.self) {
                    _ = try await copy.snapshot(asOf: Realm.Version(rawValue: 0))
                }
                await #expect(throws: RealmError.self) {
                    _ = try await copy.snapshot(asOf: .distantPast)
                }
                let first = copy.latestVersion
                try await copy.addDog(2, "Max")
                #expect(try await copy.snapshot(asOf: first).objects(HistoryDog.self).count == 1)
                #expect(try await copy.verify().isIntact)
                try await copy.close()
            }
        }
    }

    @Test func aVersionToComeIsRefusedWhileItIsWritten() async throws {
        let keep: (inout Realm.Configuration) -> Void = { $0.history = .keep(bytes: 64 << 20) }
        try await withFreshRealm(historyTypes, keep) { realm in
            let base = realm.latestVersion.rawValue
            async let written: Void = {
                for id in 0..<200 { try await realm.addDog(id, "Rex") }
            }()
            for _ in 0..<400 {
                let next = Realm.Version(rawValue: realm.latestVersion.rawValue + 1)
                guard let past = try? await realm.snapshot(asOf: next) else { continue }
                #expect(
                    past.objects(HistoryDog.self).count == Int(past.version.rawValue - base))
            }
            try await written
        }
    }

    @Test func listsOfAPropertyThatWasRemovedAreNoPartOfTheHistory() async throws {
        try await withStorePath { path in
            func open(_ type: ObjectBase.Type, _ version: UInt64) async throws -> Realm {
                var configuration = Realm.Configuration(
                    path: path, objectTypes: [type], schemaVersion: version)
                configuration.history = .keep(bytes: 64 << 20)
                return try await Realm.open(configuration)
            }
            let old = try await open(PetsBefore.Pet.self, 1)
            try await old.write { tx in
                _ = try tx.create(PetsBefore.Pet.self, value: ["name": "Tom"])
            }
            let made = old.latestVersion
            try await old.write { tx in tx.objects(PetsBefore.Pet.self).first?.tags.append("x") }
            try await old.close()
            let new = try await open(PetsAfter.Pet.self, 2)
            let past = try await new.snapshot(asOf: made)
            #expect(past.objects(PetsAfter.Pet.self).map(\.name) == ["Tom"])
            let pet = try #require(new.objects(PetsAfter.Pet.self).first)
            #expect(try await new.versions(of: pet).first?.version == made)
            try await new.close()
        }
    }

    /// Undoing the edit of a list shifted all later elements for each position, which took
    /// quadratic time.
    @Test func manyEditsOfALongListAreUndone() async throws {
        let keep: (inout Realm.Configuration) -> Void = { $0.history = .keep(bytes: 64 << 20) }
        try await withFreshRealm(historyTypes, keep) { realm in
            try await realm.addDog(1, "Rex")
            let tags = (0..<3000).map { "\($0)" }
            try await realm.editDog(1) { $0.tags.append(objectsIn: tags) }
            try await realm.editDog(1) { dog in
                for index in (0..<3000).reversed() where index % 3 == 0 {
                    dog.tags.remove(at: index)
                }
                for index in 0..<500 { dog.tags.insert("new \(index)", at: index * 4) }
                for index in 0..<2500 where index % 5 == 1 { dog.tags[index] = "set" }
            }
            let dog = try #require(realm.object(HistoryDog.self, forPrimaryKey: 1))
            let found = try await realm.versions(of: dog).compactMap { $0.values["tags"] }
            let all: [[String]] = [[], tags, dog.tags.map { $0 }]
            let expected = all.map { tags in CommitValue.list(tags.map { .value(.string($0)) }) }
            #expect(found == expected)
        }
    }

    @Test func theVersionThatALogBeginsBehindHasItsToken() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await realm.addDog(1, "Rex")
            try await realm.close()
            try await realm.reopen()
            try await realm.compact()
            let held = realm.snapshot()
            try await realm.addDog(2, "Max")
            let past = try await realm.snapshot(asOf: held.version)
            #expect(past.changeToken == held.changeToken)
            var commits = realm.commits(since: past.changeToken).makeAsyncIterator()
            #expect(try await commits.next()?.version == realm.latestVersion)
        }
    }

    @Test func aTimeToComeGivesTheNewestVersion() async throws {
        try await withFreshRealm(historyTypes) { realm in
            #expect(
                try await realm.snapshot(asOf: .distantFuture).version == realm.latestVersion)
            try await realm.addDog(1, "Rex")
            try await realm.compact()
            let newest = try await realm.snapshot(asOf: .distantFuture)
            #expect(newest.version == realm.latestVersion)
            #expect(newest.objects(HistoryDog.self).count == 1)
        }
    }

    /// It read all of the history first.
    @Test func aTaskThatIsCancelledReadsNoHistory() async throws {
        let keep: (inout Realm.Configuration) -> Void = { $0.history = .keep(bytes: 64 << 20) }
        try await withFreshRealm(historyTypes, keep) { realm in
            let dog = try await realm.addDog(1, "Rex")
            let first = realm.latestVersion
            try await realm.addDog(2, "Max")
            let past = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await realm.snapshot(asOf: first)
            }
            past.cancel()
            await #expect(throws: CancellationError.self) { _ = try await past.value }
            let versions = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await realm.versions(of: dog)
            }
            versions.cancel()
            await #expect(throws: CancellationError.self) { _ = try await versions.value }
            // Nothing of it stays behind.
            #expect(try await realm.snapshot(asOf: first).objects(HistoryDog.self).count == 1)
            #expect(try await realm.versions(of: dog).count == 1)
        }
    }

    @Test func aDateThatIsNoNumberIsRefused() async throws {
        try await withFreshRealm(historyTypes) { realm in
            try await realm.addDog(1, "Rex")
            await #expect {
                _ = try await realm.snapshot(asOf: Date(timeIntervalSince1970: .nan))
            } throws: { error in
                if case RealmError.invalidValue = error { true } else { false }
            }
        }
    }
}
