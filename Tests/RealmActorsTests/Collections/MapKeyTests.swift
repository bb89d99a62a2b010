import RealmActors
import Testing

/// Keys that are one text to Swift, and two by their bytes: reverting and updating ended the
/// process, or took one for the other.
@Suite struct MapKeyTests {
    /// Two ways to write one letter.
    private static let composed = "\u{E9}"
    private static let decomposed = "e\u{301}"

    private static func bytes(_ keys: [String]) -> [[UInt8]] { keys.map { Array($0.utf8) } }

    @Test("P10, O6: a map has both keys, and reverting takes and gives back both")
    func reverting() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.intMap["x"] = 0
        }
        let before = realm.snapshot()
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.intMap[Self.composed] = 1
            holder.intMap[Self.decomposed] = 2
        }
        let both = realm.snapshot()
        try await realm.revert(to: before)
        let reverted = try #require(realm.object(Holder.self, forPrimaryKey: 1))
        #expect(reverted.intMap.keys == ["x"])
        try await realm.revert(to: both)
        let map = try #require(realm.object(Holder.self, forPrimaryKey: 1)).intMap
        #expect(Self.bytes(map.keys) == Self.bytes([Self.decomposed, "x", Self.composed]))
        #expect(map[Self.composed] == 1 && map[Self.decomposed] == 2)
        #expect(try await realm.verify().isIntact)
    }

    @Test("P10, V11: an update puts one key in the place of the other")
    func updating() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.intMap[Self.decomposed] = 1
            holder.partMap[Self.decomposed] = Part()
            let given = Holder()
            given.key = 1
            given.intMap[Self.composed] = 1
            given.partMap[Self.composed] = Part()
            try tx.add(given, update: .modified)
            #expect(Self.bytes(holder.intMap.keys) == Self.bytes([Self.composed]))
            #expect(Self.bytes(holder.partMap.keys) == Self.bytes([Self.composed]))
            let values: [String: Any] = [
                "key": 1, "intMap": [Self.decomposed: 1],
                "partMap": [Self.decomposed: [String: Any]()],
            ]
            try tx.create(Holder.self, value: values, update: .modified)
            #expect(Self.bytes(holder.intMap.keys) == Self.bytes([Self.decomposed]))
            #expect(Self.bytes(holder.partMap.keys) == Self.bytes([Self.decomposed]))
            #expect(holder.intMap[Self.decomposed] == 1 && holder.intMap[Self.composed] == nil)
        }
    }

    @Test("P10: a map that is assigned keeps both keys; a dictionary has the first of them")
    func assigning() async throws {
        try await holderRealm().write { tx in
            let first = try tx.create(Holder.self, value: ["key": 1])
            let second = try tx.create(Holder.self, value: ["key": 2])
            first.intMap[Self.composed] = 1
            first.intMap[Self.decomposed] = 2
            second.intMap = first.intMap
            #expect(second.intMap.count == 2 && second.intMap == first.intMap)
            #expect(second.intMap[Self.composed] == 1 && second.intMap[Self.decomposed] == 2)
            #expect(first.intMap.mapValues { $0 } == [Self.decomposed: 2])
            first.intMap = [Self.composed: 1]
            second.intMap = [Self.decomposed: 1]
            #expect(first.intMap != second.intMap)
        }
    }

    @Test("P10: frozen maps are equal when their keys have the same bytes")
    func frozenMaps() async throws {
        let holders = try await holderRealm().write { tx -> [Frozen<Holder>] in
            let keys = [Self.composed, Self.composed, Self.decomposed]
            return try keys.enumerated().map { number, key -> Frozen<Holder> in
                let holder = try tx.create(Holder.self, value: ["key": number])
                holder.intMap[key] = 1
                return holder.freeze()
            }
        }
        let maps = holders.map { $0.intMap }
        #expect(maps[0] == maps[1] && maps[0].hashValue == maps[1].hashValue)
        #expect(maps[0] != maps[2])
        #expect(maps[0][Self.composed] == 1 && maps[2][Self.composed] == nil)
    }

    @Test("N23: a stream reports a key that replaces another one")
    func streams() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.intMap[Self.composed] = 1
            return holder.freeze()
        }
        var changes = holder.intMap.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            let holder = try #require(tx.resolve(holder))
            holder.intMap[Self.composed] = nil
            holder.intMap[Self.decomposed] = 1
        }
        guard
            case .update(_, let deletions, let insertions, let modifications)? =
                try await changes.next()
        else {
            Issue.record("no change")
            return
        }
        #expect(Self.bytes(deletions) == Self.bytes([Self.composed]))
        #expect(Self.bytes(insertions) == Self.bytes([Self.decomposed]))
        #expect(modifications.isEmpty)
    }

    @Test("N23, D23: a stream of a dictionary within a value reports it, too")
    @MainActor func streamsWithinValues() async throws {
        let live = try await holderRealm().live()
        let holder = try await live.write {
            let holder = try live.create(Holder.self, value: ["key": 1])
            holder.anyMap["inner"] = [Self.composed: 1]
            return holder
        }
        let inner = try #require(holder.anyMap["inner"]?.dictionaryValue)
        var changes = inner.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await live.write {
            inner[Self.composed] = nil
            inner[Self.decomposed] = 1
            inner["z"] = 2
        }
        guard
            case .update(_, let deletions, let insertions, let modifications)? =
                try await changes.next()
        else {
            Issue.record("no change")
            return
        }
        #expect(Self.bytes(deletions) == Self.bytes([Self.composed]))
        #expect(Self.bytes(insertions) == Self.bytes([Self.decomposed, "z"]))
        #expect(modifications.isEmpty)
    }
}
