import Foundation
import Testing

@testable import RealmActors

/// What an object that is kept keeps with it.
@Suite @MainActor struct LiveMemoryTests {
    private nonisolated static func text(_ number: Int) -> String {
        String(repeating: "\(number % 10)", count: 2_000)
    }

    /// One object that nobody read any more kept the whole version in which it was read last: what
    /// others had deleted since stayed in memory, and no figure said so.
    @Test func anObjectKeepsItsRowAndNoVersion() async throws {
        let realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [LiveCat.self, Document.self]))
        let live = try await realm.live()
        live.autorefresh = false
        try await realm.write { tx in
            try tx.create(LiveCat.self, value: ["number": 1, "name": "Tom"])
            for number in 0..<2_000 {
                try tx.create(
                    LiveCat.self, value: ["number": 10 + number, "name": Self.text(number)])
            }
        }
        live.refresh()
        let cat = try #require(live.object(LiveCat.self, forPrimaryKey: 1))
        #expect(cat.name == "Tom")
        let full = realm.statistics.residentBytes
        #expect(full > 4_000_000)
        try await realm.write { tx in try tx.delete(tx.objects(LiveCat.self)) }
        live.refresh()
        #expect(realm.activeVersions.count == 1)
        #expect(await soon { realm.statistics.residentBytes < full / 4 })
        #expect(cat.isInvalidated && cat.name == "Tom")
        try await realm.close()
    }

    /// The page files with the rest of a row may be removed before it is read.
    @Test func whatWasNeverReadOfALostRowIsNotReadFromDisk() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: hostTypes, writeTimeout: nil)
            let first = try await Realm.open(configuration)
            try await first.write { tx in
                for key in 1...600 {
                    let host = try tx.makeHost(key)
                    host.name = Self.text(key)
                    host.numbers.append(objectsIn: 0..<400)
                }
            }
            try await first.compact()
            try await first.close()
            let realm = try await Realm.open(configuration)
            let live = try await realm.live()
            live.autorefresh = false
            let hosts = [1, 300, 600].compactMap { live.object(Host.self, forPrimaryKey: $0) }
            #expect(hosts.map(\.key) == [1, 300, 600])
            try await realm.write { tx in try tx.deleteAll() }
            live.refresh()
            #expect(hosts.allSatisfy { $0.isInvalidated })
            for _ in 0..<3 {
                try await realm.compact()
                try await realm.write { tx in _ = try tx.makeHost(1_000) }
                try await realm.write { tx in try tx.deleteAll() }
            }
            for host in hosts {
                #expect([1, 300, 600].contains(host.key))
                _ = (host.name, host.note, Array(host.numbers), Array(host.guests), host.cook?.name)
                _ = (host.freeze().name, Array(host.freeze().numbers), host.description)
            }
            #expect(realm.failure == nil)
            try await realm.close()
        }
    }

    /// It kept all that the realm had shown since, each with what came after it, and a version when
    /// the realm was gone.
    @Test func anInvalidatedObjectKeepsNothingOfWhatCameAfterIt() async throws {
        let realm = try await LiveResultsTests.realm(1)
        let cat = try await Self.invalidatedCat(of: realm)
        #expect(cat.isInvalidated)
        #expect(realm.activeVersions.map(\.holders) == [0])
    }

    /// An object of a live realm that advanced later, and was released.
    private static func invalidatedCat(of realm: Realm) async throws -> LiveCat {
        let live = try await realm.live()
        let cat = try #require(live.objects(LiveCat.self).first)
        live.invalidate()
        #expect(live.objects(LiveCat.self).count == 1)
        weak let between = live.context
        #expect(between != nil)
        live.invalidate()
        #expect(live.objects(LiveCat.self).count == 1)
        #expect(between == nil)
        // It fails the realm's present write all the same.
        await #expect(throws: RealmError.self) { try await live.write { cat.name = "Tom" } }
        return cat
    }

    @Test func aWalkOverManyObjectsKeepsNothing() async throws {
        let realm = try await LiveResultsTests.realm(1_000)
        let live = try await realm.live()
        var names: [String] = []
        for cat in live.objects(LiveCat.self) { names.append(cat.name) }
        let all = Array(live.objects(LiveCat.self))
        try await realm.write { tx in try tx.deleteAll() }
        live.refresh()
        #expect(all.map(\.name) == names && all.allSatisfy { $0.isInvalidated })
        #expect(realm.activeVersions.count == 1)
    }
}
