import Foundation
import RealmActors
import Storage
import StorageHarness
import Testing

private final class Handbill: Object {
    @Persisted var title: String
    @Persisted var pages: Int
    @Persisted(indexed: true) var kind: Int
}

private final class Rack: Object {
    @Persisted var handbills: List<Handbill>
}

/// What reads a store of which some nodes cannot be read.
@Suite struct UnreadableRealmTests {
    private static let count = 20_000

    private static func fill(_ realm: Realm) async throws {
        try await realm.write { tx in
            for number in 0..<Self.count {
                try tx.create(
                    Handbill.self,
                    value: [
                        "title": "Handbill \(number % 777)", "pages": number,
                        "kind": number % 7,
                    ])
            }
        }
    }

    /// A realm whose first rows were damaged on the disk, and have not been read since.
    private func withDamagedHandbills(
        inRack: Bool = false, _ body: (Realm) async throws -> Void
    ) async throws {
        let types: [ObjectBase.Type] = inRack ? [Handbill.self, Rack.self] : [Handbill.self]
        try await withStorePath { path in
            let full = try await Realm.open(.init(path: path, objectTypes: types))
            try await Self.fill(full)
            if inRack {
                try await full.write { tx in
                    let rack = try tx.create(Rack.self)
                    rack.handbills.append(objectsIn: tx.objects(Handbill.self).limit(3))
                }
            }
            try await full.close()
            try damagePages(of: path)
            let realm = try await Realm.open(.init(path: path, objectTypes: types))
            try await body(realm)
            try? await realm.close()
        }
    }

    /// Streams began without the objects that could not be read, or reported them as deleted.
    @Test func streamsEndWithWhatCannotBeRead() async throws {
        try await withDamagedHandbills { realm in
            let all = realm.objects(Handbill.self)
            var found = all.where { $0.title.contains("77") }.changes().makeAsyncIterator()
            await #expect(throws: RealmError.self) { _ = try await found.next() }
            let end = try await found.next()
            #expect(end == nil)
            var sections = all.sectioned(by: \.title).changes().makeAsyncIterator()
            await #expect(throws: RealmError.self) { _ = try await sections.next() }
            var groups = all.grouped(by: \.pages).changes(.count).makeAsyncIterator()
            await #expect(throws: RealmError.self) { _ = try await groups.next() }
        }
    }

    /// What throws gave a part of the answer for the whole.
    @Test func readersThatThrowSayWhatCannotBeRead() async throws {
        try await withDamagedHandbills { realm in
            let all = realm.objects(Handbill.self)
            let last = try #require(all.last)
            #expect(throws: RealmError.self) { try all.sum(ofProperty: "pages") }
            #expect(throws: RealmError.self) { try all.average(ofProperty: "pages") }
            #expect(throws: RealmError.self) { try all.min(ofProperty: "pages") }
            #expect(throws: RealmError.self) { try all.index(matching: "pages == %@", 19_000) }
            #expect(throws: RealmError.self) { try all.snapshot.changes(from: all.snapshot) }
            #expect(throws: RealmError.self) { try JSONEncoder().encode(all) }
            #expect(throws: RealmError.self) { try JSONEncoder().encode(last) }
            await #expect(throws: RealmError.self) { try await realm.versions(of: last) }
        }
    }

    /// The list of a frozen object gave zeros for what could not be read.
    @Test(arguments: ["@sum.pages", "pages"])
    func listsOfFrozenObjectsSayWhatCannotBeRead(path: String) async throws {
        try await withDamagedHandbills(inRack: true) { realm in
            let rack = try #require(realm.objects(Rack.self).first)
            #expect(throws: RealmError.self) {
                try rack.withObject { rack throws in
                    _ = try rack.handbills.value(forKeyPath: path)
                }
            }
        }
    }

    /// Of live results that had been evaluated, `evaluated()` said nothing.
    @Test @MainActor func liveReadersThatThrowSayWhatCannotBeRead() async throws {
        try await withDamagedHandbills { realm in
            let live = try await realm.live()
            let found = live.objects(Handbill.self).where { $0.title.contains("77") }
            #expect(!Array(found).isEmpty)
            #expect(throws: RealmError.self) { try found.value(forKey: "title") }
            #expect(throws: RealmError.self) { try found.index(matching: "pages == %@", 77) }
            await #expect(throws: RealmError.self) { _ = try await found.evaluated() }
        }
    }

    /// Copying results, or going over them by positions, ended the process.
    @Test func resultsAreReadOnWithoutWhatCannotBeRead() async throws {
        try await withDamagedHandbills { realm in
            let all = realm.objects(Handbill.self)
            #expect(all.count == Self.count)
            #expect(all[0].title == "")
            let titles = all.map { $0.title }
            #expect(titles.count == Self.count && titles.last == "Handbill \(19_999 % 777)")
            let copied = Array(all)
            #expect(!copied.isEmpty && copied.count < Self.count)
            #expect(Array(all.lazy.map { $0.title }).count == copied.count)
            #expect(Array(all.enumerated()).count == copied.count)
            let some = all.where { $0.kind == 3 }
            let positions = some.map { $0.pages }
            #expect(positions.count == some.count)
            var appended: [Frozen<Handbill>] = []
            appended += some
            #expect(!appended.isEmpty && appended.count < some.count)
            #expect(realm.failure != nil)
        }
    }

    @Test func aWriteThatNeedsWhatCannotBeReadKeepsNothing() async throws {
        try await withDamagedHandbills { realm in
            let version = realm.latestVersion
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    try tx.create(Handbill.self, value: ["title": "New", "pages": -1])
                    for handbill in tx.objects(Handbill.self) { handbill.pages += 1 }
                }
            }
            #expect(realm.latestVersion == version)
            let last = try #require(realm.objects(Handbill.self).last)
            #expect(last.pages == Self.count - 1)
        }
    }

    /// A realm that ends the process for what cannot be read, and nothing of which has been read
    /// since its opening. In memory: a process that ends so removes no files.
    private static func trappingRealm() async throws -> (realm: Realm, disk: SimulatedDisk) {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "/unreadable.realm", objectTypes: [Handbill.self], readFailure: .trap)
        configuration.fileSystem = disk
        let full = try await Realm.open(configuration)
        try await fill(full)
        try await full.close()
        return (try await Realm.open(configuration), disk)
    }

    private static func damage(_ disk: SimulatedDisk) throws {
        let pages = try disk.open("/unreadable.realm/pages/0000000001.pages", .readWrite)
        try pages.writeZeros(from: 64, to: 100_000)
    }

    @Test func aNodeThatCannotBeReadEndsTheProcessWhereThatIsAskedFor() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, disk) = try await Self.trappingRealm()
            try Self.damage(disk)
            _ = realm.objects(Handbill.self).map { $0.title }
        }
        let output = try #require(result).standardErrorContent
        let text = String(decoding: output, as: UTF8.self)
        #expect(text.contains("readFailure is .trap"), "\(text.prefix(400))")
    }

    /// Snapshots of a closed realm stay readable, although its files may be removed.
    @Test func nothingThatIsReadOfAClosedRealmEndsTheProcess() async {
        await #expect(processExitsWith: .success) {
            let (realm, disk) = try await Self.trappingRealm()
            let handbills = realm.objects(Handbill.self)
            try await realm.close()
            try Self.damage(disk)
            let titles = handbills.map { $0.title }
            #expect(titles.count == Self.count && titles.first == "")
        }
    }
}
