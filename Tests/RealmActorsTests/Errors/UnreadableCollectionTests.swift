import Foundation
import RealmActors
import Testing

private final class Broadside: Object {
    @Persisted var title: String
    @Persisted var folder: BroadsideFolder?
}

private final class BroadsideFolder: Object {
    @Persisted var list: List<Broadside>
    @Persisted var set: MutableSet<Broadside>
    @Persisted(originProperty: "folder") var all: LinkingObjects<Broadside>
    @Persisted var words: List<String>
}

private final class Gazetteer: Object {
    @Persisted var numbers: Map<String, Int>
}

private final class NameList: Object {
    @Persisted var names: List<String>
}

/// Collections some elements of which cannot be read.
@Suite struct UnreadableCollectionTests {
    private static let count = 10_000
    /// Every so many objects are in the list and in the set.
    private static let distance = 10

    /// A realm of which the nodes that were written first were damaged on the disk, and have not
    /// been read since.
    private func withDamage(
        _ types: [ObjectBase.Type], upTo end: UInt64, _ fill: (Realm) async throws -> Void,
        _ body: (Realm) async throws -> Void
    ) async throws {
        try await withStorePath { path in
            let full = try await Realm.open(.init(path: path, objectTypes: types))
            try await fill(full)
            try await full.close()
            try damagePages(of: path, upTo: end)
            let realm = try await Realm.open(.init(path: path, objectTypes: types))
            try await body(realm)
            try? await realm.close()
        }
    }

    /// A realm whose first objects cannot be read. What links to them can: the clusters of the
    /// first class are written first.
    private func withDamagedBroadsides(_ body: (Realm) async throws -> Void) async throws {
        let types: [ObjectBase.Type] = [Broadside.self, BroadsideFolder.self]
        try await withDamage(types, upTo: 100_000) { realm in
            try await realm.write { tx in
                let folder = try tx.create(BroadsideFolder.self)
                folder.words.append("one")
                for number in 0..<Self.count {
                    let broadside = try tx.create(Broadside.self)
                    broadside.title = "Broadside \(number)"
                    broadside.folder = folder
                    if number % Self.distance != 0 { continue }
                    folder.list.append(broadside)
                    folder.set.insert(broadside)
                }
            }
        } _: { realm in
            try await body(realm)
        }
    }

    /// An array of one ended the process.
    @Test @MainActor func copiesLackWhatCannotBeRead() async throws {
        try await withDamagedBroadsides { realm in
            let live = try await realm.live()
            let folder = try #require(live.objects(BroadsideFolder.self).first)
            let most = Self.count / Self.distance
            #expect(folder.list.count == most && folder.set.count == most)
            let list = Array(folder.list)
            #expect(!list.isEmpty && list.count < most)
            let set = Array(folder.set)
            #expect(set.count == list.count)
            let all = Array(folder.all)
            #expect(all.count > most && all.count < folder.all.count)
            var appended: [Broadside] = []
            appended += folder.list
            #expect(appended.count == list.count)
            #expect(Array(folder.list.lazy.map { $0.title }).count == list.count)
            #expect(Array(folder.set.enumerated()).count == list.count)
            #expect(Array(folder.all.lazy.filter { _ in true }).count == all.count)
            let unmanaged = List(folder.list)
            #expect(unmanaged.count == list.count && unmanaged.underestimatedCount == list.count)
            #expect(list.last?.title == "Broadside \(Self.count - Self.distance)")
        }
    }

    /// What was encoded of a live collection was a part of it, without a word of that.
    @Test @MainActor func encodingSaysWhatCannotBeRead() async throws {
        try await withDamagedBroadsides { realm in
            let live = try await realm.live()
            let folder = try #require(live.objects(BroadsideFolder.self).first)
            let words = try JSONEncoder().encode(folder.words)
            #expect(String(decoding: words, as: UTF8.self) == #"["one"]"#)
            _ = Array(folder.list)
            #expect(throws: RealmError.self) { try JSONEncoder().encode(folder.words) }
        }
    }

    /// The keys stood beside the values of others, and going over a live map ended the process.
    @Test @MainActor func entriesAreLeftOutWhoseKeysCannotBeRead() async throws {
        // The keys are written first.
        try await withDamage([Gazetteer.self], upTo: 40_000) { realm in
            try await realm.write { tx in
                let gazetteer = try tx.create(Gazetteer.self)
                for number in 0..<Self.count { gazetteer.numbers["place \(number)"] = number }
            }
        } _: { realm in
            let live = try await realm.live()
            let numbers = try #require(live.objects(Gazetteer.self).first).numbers
            #expect(numbers.count == Self.count)
            let found = Array(numbers)
            #expect(!found.isEmpty && found.count < Self.count)
            #expect(found.allSatisfy { $0.key == "place \($0.value)" })
            #expect(numbers.values.count == found.count)
            let values = try #require(realm.objects(Gazetteer.self).first).numbers.values
            #expect(values == numbers.values)
            let frozen = try #require(realm.objects(Gazetteer.self).first).numbers.dictionary
            #expect(frozen.count == found.count)
            #expect(frozen.allSatisfy { $0.key == "place \($0.value)" })
        }
    }

    /// Those behind them seemed to stand where these do.
    @Test @MainActor func elementsStayWhereTheyAreBehindSomeThatCannotBeRead() async throws {
        try await withDamage([NameList.self], upTo: 40_000) { realm in
            try await realm.write { tx in
                let roster = try tx.create(NameList.self)
                roster.names.append(contentsOf: (0..<Self.count).map { "name \($0)" })
            }
        } _: { realm in
            let live = try await realm.live()
            let names = try #require(live.objects(NameList.self).first).names
            let last = Self.count - 1
            #expect(names.count == Self.count && names[0] == "")
            #expect(names.index(of: "name \(last)") == last)
            #expect(names.index(of: "name 0") == nil)
            let copied = Array(names)
            #expect(!copied.isEmpty && copied.count < Self.count)
            let frozen = try #require(realm.objects(NameList.self).first).names
            #expect(frozen.index(of: "name \(last)") == last)
        }
    }
}
