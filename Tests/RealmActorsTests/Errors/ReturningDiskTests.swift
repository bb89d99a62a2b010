import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

private final class Lampoon: Object {
    @Persisted var title: String
    @Persisted(indexed: true) var kind: Int
    @Persisted var number: Int
}

private final class LampoonAlbum: Object {
    @Persisted var words: List<String>
    @Persisted var lampoons: List<Lampoon>
}

private final class LampoonTitles: Projection<LampoonAlbum> {
    @Projected(\LampoonAlbum.lampoons.projectTo.title) var titles: ProjectedCollection<String>
}

/// A disk that cannot be read for a while: what was read meanwhile is not taken for what there is,
/// and nothing passes for deleted.
@Suite struct ReturningDiskTests {
    private static let count = 20_000

    private static func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            for number in 0..<Self.count {
                try tx.create(
                    Lampoon.self,
                    value: [
                        "title": "Lampoon \(number % 777)", "kind": number % 7, "number": number,
                    ])
            }
        }
    }

    /// A realm of which nothing has been read since its opening.
    private func withLampoons(_ body: (Realm, UnreadableFiles) async throws -> Void) async throws {
        try await withLampoons(.untilCompacted, changed: { _ in }, body)
    }

    private func withLampoons(
        _ history: Realm.Configuration.History, changed: (Realm) async throws -> Void,
        _ body: (Realm, UnreadableFiles) async throws -> Void
    ) async throws {
        let files = UnreadableFiles(SimulatedDisk())
        var configuration = Realm.Configuration(
            path: "/lampoons-\(UUID().uuidString).realm",
            objectTypes: [Lampoon.self, LampoonAlbum.self], writeTimeout: nil, history: history)
        configuration.fileSystem = files
        let full = try await Realm.open(configuration)
        try await Self.fill(full)
        try await changed(full)
        try await full.close()
        let realm = try await Realm.open(configuration)
        try await body(realm, files)
        try? await realm.close()
    }

    /// The rows that were found had been kept, and passed for all of them once the failure was
    /// discarded.
    @Test func aVersionStaysIncompleteOverAReopening() async throws {
        try await withLampoons { realm, files in
            let all = realm.objects(Lampoon.self)
            let found = all.where { $0.title.contains("77") }.sorted(by: \.title)
            let expected = (0..<Self.count).count { "Lampoon \($0 % 777)".contains("77") }
            files.arePagesUnreadable = true
            #expect(Array(found).count < expected)
            files.arePagesUnreadable = false
            try await realm.reopen()
            #expect(realm.failure == nil)
            await #expect(throws: RealmError.self) { try await found.evaluated() }
            #expect(throws: RealmError.self) { try found.page(limit: 5) }
            #expect(throws: RealmError.self) { try JSONEncoder().encode(found) }
            #expect(throws: RealmError.self) { try realm.snapshot().changes(from: all.snapshot) }
            let again = realm.objects(Lampoon.self).where { $0.title.contains("77") }
            #expect(try await again.evaluated().count == expected)
            try await realm.write { tx in try tx.create(Lampoon.self, value: ["number": -1]) }
        }
    }

    /// One from before the failure continues if none of it was read meanwhile.
    @Test func aVersionThatWasNotReadMeanwhileIsRevertedTo() async throws {
        try await withLampoons { realm, files in
            let before = realm.snapshot()
            try await realm.write { tx in try tx.create(Lampoon.self, value: ["number": -1]) }
            files.arePagesUnreadable = true
            _ = Array(realm.objects(Lampoon.self))
            #expect(before.failure != nil)
            files.arePagesUnreadable = false
            try await realm.reopen()
            #expect(before.failure == nil)
            try await realm.revert(to: before)
            #expect(realm.objects(Lampoon.self).count == Self.count)
        }
    }

    /// It passed for deleted, for good.
    @Test @MainActor func aLiveObjectThatCannotBeReadIsNotGone() async throws {
        try await withLampoons { realm, files in
            let live = try await realm.live()
            // The index has all that this takes.
            let found = live.objects(Lampoon.self).where { $0.kind == 3 }
            let object = found[5]
            files.arePagesUnreadable = true
            #expect(!object.isInvalidated)
            #expect(object.title == "")
            #expect(realm.failure != nil)
            files.arePagesUnreadable = false
            try await realm.reopen()
            live.refresh()
            #expect(!object.isInvalidated)
            #expect(object.number == 38 && object.title == "Lampoon 38")
        }
    }

    /// It passed for deleted, for good, when a write met it.
    @Test @MainActor func aLiveObjectThatAWriteCannotReadIsNotGone() async throws {
        try await withLampoons { realm, files in
            let live = try await realm.live()
            // The index has all that this takes.
            let found = live.objects(Lampoon.self).where { $0.kind == 3 }
            let object = found[5]
            await #expect(throws: RealmError.self) {
                try await live.write {
                    files.arePagesUnreadable = true
                    #expect(!object.isInvalidated)
                    #expect(object.title == "")
                }
            }
            files.arePagesUnreadable = false
            try await realm.reopen()
            live.refresh()
            #expect(!object.isInvalidated)
            #expect(object.number == 38 && object.title == "Lampoon 38")
        }
    }

    /// It was refused as the change of an object that was deleted.
    @Test func aChangeOfWhatCannotBeReadSaysSo() async throws {
        try await withLampoons { realm, files in
            for deletes in [false, true] {
                let error = await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        let lampoon = tx.objects(Lampoon.self).where { $0.kind == 3 }[5]
                        files.arePagesUnreadable = true
                        if deletes { try tx.delete(lampoon) } else { lampoon.number = 7 }
                    }
                }
                if case .invalidated? = error {
                    Issue.record("\(String(describing: error))")
                }
                files.arePagesUnreadable = false
                try await realm.reopen()
            }
            #expect(realm.objects(Lampoon.self).where { $0.kind == 3 }[5].number == 38)
        }
    }

    /// A write of a live realm that cancelled itself returned what it had found.
    @Test @MainActor func aLiveWriteThatEndsItselfSaysWhatItCouldNotRead() async throws {
        try await withLampoons { realm, files in
            let live = try await realm.live()
            await #expect(throws: RealmError.self) {
                try await live.write {
                    files.arePagesUnreadable = true
                    let found = Array(live.objects(Lampoon.self)).count
                    live.cancelWrite()
                    return found
                }
            }
            files.arePagesUnreadable = false
        }
    }

    /// It returned what it had found.
    @Test func aCancelledWriteSaysWhatItCouldNotRead() async throws {
        try await withLampoons { realm, files in
            files.arePagesUnreadable = true
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let found = Array(tx.objects(Lampoon.self)).count
                    tx.cancel()
                    return found
                }
            }
            files.arePagesUnreadable = false
        }
    }

    /// The copy had zero and nothing in the place of what could not be read, and was committed.
    @Test func whatAnotherRealmCannotReadIsNotCopied() async throws {
        try await withLampoons { source, files in
            // The index has all that this takes.
            let found = source.objects(Lampoon.self).where { $0.kind == 3 }
            try await found.evaluated()
            files.arePagesUnreadable = true
            try await withFreshRealm([Lampoon.self]) { realm in
                let lampoon = found[5]
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in try tx.create(Lampoon.self, value: lampoon) }
                }
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        try tx.dynamicCreate("Lampoon", value: lampoon)
                    }
                }
                #expect(realm.objects(Lampoon.self).isEmpty && realm.failure == nil)
            }
            files.arePagesUnreadable = false
        }
    }

    /// The list had empty texts in their place.
    @Test func elementsThatAnotherRealmCannotReadAreNotAdded() async throws {
        let change = { (realm: Realm) async throws -> Void in
            try await realm.write { tx in
                let words = (0..<10_000).map { "word \($0)" }
                try tx.create(LampoonAlbum.self).words.append(contentsOf: words)
            }
        }
        try await withLampoons(.untilCompacted, changed: change) { source, files in
            let words = try #require(source.objects(LampoonAlbum.self).first).words
            files.arePagesUnreadable = true
            try await withFreshRealm([Lampoon.self, LampoonAlbum.self]) { realm in
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        try tx.create(LampoonAlbum.self, value: ["words": words])
                    }
                }
                await #expect(throws: RealmError.self) {
                    try await realm.write { tx in
                        try tx.create(LampoonAlbum.self).words.append(contentsOf: words)
                    }
                }
                #expect(realm.objects(LampoonAlbum.self).isEmpty && realm.failure == nil)
            }
            files.arePagesUnreadable = false
        }
    }

    /// It was encoded, and added to another realm, as so many empty texts.
    @Test func projectedCollectionsThatCannotBeReadAreNotCopied() async throws {
        let change = { (realm: Realm) async throws -> Void in
            try await realm.write { tx in
                let album = try tx.create(LampoonAlbum.self)
                for number in 0..<3 { album.lampoons.append(tx.objects(Lampoon.self)[number]) }
            }
        }
        try await withLampoons(.untilCompacted, changed: change) { realm, files in
            let titles = try #require(realm.objects(LampoonTitles.self).first).titles
            #expect(titles.count == 3)
            files.arePagesUnreadable = true
            #expect(throws: RealmError.self) { try JSONEncoder().encode(titles) }
            try await withFreshRealm([Lampoon.self, LampoonAlbum.self]) { other in
                await #expect(throws: RealmError.self) {
                    try await other.write { tx in
                        try tx.create(LampoonAlbum.self).words.append(contentsOf: titles)
                    }
                }
                #expect(other.objects(LampoonAlbum.self).isEmpty && other.failure == nil)
            }
            files.arePagesUnreadable = false
        }
    }

    /// It was reported as damage of the log.
    @Test func theCauseIsNamedWhereAPastVersionCannotBeRead() async throws {
        var past: Realm.Version?
        let change = { (realm: Realm) async throws -> Void in
            past = realm.latestVersion
            try await realm.write { tx in tx.objects(Lampoon.self)[7].title = "Changed" }
        }
        try await withLampoons(.keep(bytes: 64 << 20), changed: change) { realm, files in
            let version = try #require(past)
            files.arePagesUnreadable = true
            let error = await #expect(throws: RealmError.self) {
                try await realm.snapshot(asOf: version)
            }
            guard case .io? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            files.arePagesUnreadable = false
            try await realm.reopen()
            let whole = try await realm.snapshot(asOf: version)
            #expect(whole.objects(Lampoon.self)[7].title == "Lampoon 7")
        }
    }
}
