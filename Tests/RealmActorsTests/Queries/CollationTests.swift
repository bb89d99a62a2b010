import Foundation
import Storage
import StorageHarness
import Testing

@testable import RealmActors

/// Names with an index in the order of people, and without.
private final class Listed: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var nickname: String?
    @Persisted var city: Int
    @Persisted var friend: Listed?

    static var indexes: [Index<Listed>] {
        [
            Index(\.name, collation: .people),
            Index(.ascending(\.city), .descending(\.nickname, collation: .people)),
        ]
    }

    private static let names = [
        "A\u{EF}n", "\u{2019}A\u{EF}n", "Zoe", "zoe", "\u{C5}sa", "Asa", "New York", "Newark",
        "", "\u{141}\u{F3}d\u{17A}", "Lodz", "\u{3B1}\u{3B8}", "\u{4E00}", "e\u{301}", "\u{E9}",
    ]

    static func fill(_ count: Int, _ tx: WriteTransaction) throws {
        var random = SeededGenerator(seed: 11)
        for id in 0..<count {
            let name = names[Int.random(in: 0..<names.count, using: &random)]
            let nickname = names[Int.random(in: 0..<names.count, using: &random)]
            let listed = try tx.create(
                Listed.self,
                value: [
                    "id": id, "name": name + (id % 3 == 0 ? " \(id % 20)" : ""),
                    "nickname": id % 7 == 0 ? nil as String? as Any : nickname, "city": id % 4,
                ])
            if id % 5 > 0 { listed.friend = tx.object(Listed.self, forPrimaryKey: id / 2) }
        }
    }
}

/// Sorts in the order of people, against keys that are compared one by one.
@Suite struct CollationTests {
    private func key(_ text: String?) -> [UInt8] {
        // Nil is before every text.
        text.map { [1] + CollationKey.bytes(of: $0) } ?? [0]
    }

    private func check<Found: QueryableResults<Listed>>(_ all: Found) throws {
        func ids(_ found: Found) -> [Int] { found.values(of: \.id) }
        let (names, nicknames) = (all.values(of: \.name), all.values(of: \.nickname))
        let (cities, own) = (all.values(of: \.city), ids(all))
        func sorted(_ keys: [[UInt8]], ascending: Bool = true) -> [Int] {
            keys.indices.sorted { a, b in
                if keys[a] == keys[b] { return a < b }
                return keys[a].lexicographicallyPrecedes(keys[b]) == ascending
            }
        }
        let byName = sorted(names.map(key)).map { own[$0] }
        let found = all.sorted(by: \.name, collation: .people)
        #expect(ids(found) == byName)
        #expect(found.explain().contains("index scan on (name COLLATED), forward"))
        #expect(ids(found.limit(9)) == Array(byName.prefix(9)))
        let falling = all.sorted(by: \.name, collation: .people, ascending: false)
        #expect(ids(falling) == sorted(names.map(key), ascending: false).map { own[$0] })
        let text = try all.filter("id >= 0 SORT(name COLLATED ASC) LIMIT(7)")
        #expect(ids(text) == Array(byName.prefix(7)))
        // Without an index: all of them, and the first few.
        let byNickname = sorted(nicknames.map(key)).map { own[$0] }
        let nicknamed = all.sorted(by: \.nickname, collation: .people)
        #expect(ids(nicknamed) == byNickname)
        #expect(ids(nicknamed.limit(12)) == Array(byNickname.prefix(12)))
        let inCity = sorted(nicknames.map(key), ascending: false).filter { cities[$0] == 2 }
        let city = all.where { $0.city == 2 }
            .sorted(by: \.nickname, collation: .people, ascending: false)
        #expect(ids(city) == inCity.map { own[$0] })
        #expect(city.explain().contains("(city, nickname COLLATED DESC)"), "\(city.explain())")
        // The index has another order than that of bytes, and says nothing of equality.
        let plain = all.sorted(by: \.name).values(of: \.name).map { Array($0.utf8) }
        #expect(zip(plain, plain.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
        #expect(
            ids(all.where { $0.name == "\u{E9}" })
                == own.indices.filter { Array(names[$0].utf8) == [0xC3, 0xA9] }.map { own[$0] })
        let linked = all.where { $0.friend != nil }.sorted(by: \.friend!.name, collation: .people)
        let friends = linked.values(of: \.friend!.name).map(key)
        #expect(zip(friends, friends.dropFirst()).allSatisfy { !$1.lexicographicallyPrecedes($0) })
        for results in [found, falling, nicknamed, city] {
            var paged: [Int] = []
            var page = try results.page(limit: 17)
            while true {
                paged += page.objects.values(of: \.id)
                guard let next = page.next else { break }
                let cursor = PageCursor(next.description)
                #expect(cursor == next)
                page = try results.page(after: cursor, limit: 17)
            }
            #expect(paged == ids(results))
        }
    }

    @Test func everyReaderSortsAlike() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Listed.self], writeTimeout: nil)
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in
                try Listed.fill(300, tx)
                try check(tx.objects(Listed.self))
                for (number, listed) in tx.objects(Listed.self).enumerated() where number % 4 == 0 {
                    listed.name = "\u{2019}Z\u{FC}rich \(number % 9)"
                    listed.nickname = number % 8 == 0 ? nil : "Bern"
                }
                try tx.delete(tx.objects(Listed.self).where { $0.city == 1 && $0.id > 100 })
                try check(tx.objects(Listed.self))
            }
            try check(realm.objects(Listed.self))
            try await realm.close()
            realm = try await Realm.open(configuration)
            try check(realm.objects(Listed.self))
            try await realm.compact()
            try check(realm.objects(Listed.self))
            #expect(try await realm.verify().isIntact)
            let stored = realm.snapshot().storedSchema.schema["Listed"]
            #expect(
                stored?.indexes.map(\.description) == [
                    "index: name collated", "index: city, nickname collated descending",
                ])
            #expect(stored?.indexes == Listed.sharedSchema().indexes)
            try await realm.close()
        }
    }

    @MainActor @Test func liveResultsAndStreamsFollow() async throws {
        try await withFreshRealm([Listed.self]) { realm in
            try await realm.write { tx in try Listed.fill(60, tx) }
            let live = try await realm.live()
            try check(live.objects(Listed.self))
            let sorted = realm.objects(Listed.self).sorted(by: \.nickname, collation: .people)
            var changes = sorted.changes().makeAsyncIterator()
            guard case .initial(let first)? = try await changes.next() else {
                Issue.record("no first change")
                return
            }
            var ids = first.values(of: \.id)
            for round in 0..<8 {
                try await live.write {
                    live.objects(Listed.self)[round * 3].nickname =
                        round % 3 == 0 ? nil : "\u{C9}mile \(round)"
                }
                guard
                    case .update(let now, let deletions, let insertions, _)? =
                        try await changes.next()
                else { break }
                for index in deletions.sorted(by: >) { ids.remove(at: index) }
                for index in insertions.sorted() { ids.insert(now[index].id, at: index) }
                #expect(ids == now.values(of: \.id))
                #expect(
                    ids
                        == realm.objects(Listed.self)
                        .sorted(by: \.nickname, collation: .people).values(of: \.id))
            }
            try check(live.objects(Listed.self))
        }
    }

    @Test func onlyTextsHaveOne() async throws {
        try await withFreshRealm([Listed.self]) { realm in
            let all = realm.objects(Listed.self)
            #expect(throws: RealmError.self) {
                try all.filter("TRUEPREDICATE SORT(id COLLATED ASC)")
            }
            #expect(throws: RealmError.self) {
                try all.sorted(by: [SortDescriptor(keyPath: "city", collation: .people)])
            }
            let descriptors = [
                SortDescriptor(keyPath: \Listed.name, collation: .people),
                SortDescriptor(keyPath: "id"),
            ]
            let sorted = try all.sorted(by: descriptors)
            #expect(sorted.isEmpty)
        }
    }
}
