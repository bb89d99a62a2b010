import Foundation
import RealmActors
import Testing

private final class Peer: Object {
    @Persisted var peers: Map<String, Peer?>
}

/// What the contract says about maps, row by row.
@Suite struct MapTests {
    @Test("P10: the entries are pairs, also by the name that Realm has for them")
    func entriesAsPairs() {
        let map: Map<String, Int> = ["b": 2, "a": 1]
        var entries: [String] = []
        for (key, value) in map.asKeyValueSequence() { entries.append("\(key)\(value)") }
        #expect(entries == ["a1", "b2"])
    }

    @Test("P10: deleting an object kept as value leaves the key with nil")
    func deletion() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let member = try tx.create(Member.self, value: ["number": 1])
            holder.memberMap["a"] = member
            holder.memberMap["b"] = member
            holder.anyMap["c"] = .object(member)
            try tx.delete(member)
            #expect(holder.memberMap.keys == ["a", "b"] && holder.memberMap.count == 2)
            #expect(holder.memberMap["a"] == .some(nil) && holder.memberMap["x"] == nil)
            #expect(holder.memberMap.contains(key: "b"))
        }
    }

    @Test("P10: deleting a map deletes the objects that are its values, and its entries")
    func deletionOfAll() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            holder.memberMap = ["a": members[0], "b": members[1], "c": nil, "d": members[0]]
            holder.partMap["a"] = Part()
            try tx.delete(holder.memberMap)
            try tx.delete(holder.partMap)
            #expect(holder.memberMap.isEmpty && holder.partMap.isEmpty)
            #expect(members[0].isInvalidated && members[1].isInvalidated)
            #expect(tx.objects(Member.self).count == members.count - 2)
            let unmanaged: Map<String, Member?> = ["a": Member()]
            #expect(throws: RealmError.self) { try tx.delete(unmanaged) }
        }
    }

    /// The write failed, because the map of a deleted object was emptied.
    @Test("P10: a map may be deleted that its own object is in")
    func deletionOfItself() async throws {
        try await withFreshRealm([Peer.self]) { realm in
            try await realm.write { tx in
                let (peer, other) = (try tx.create(Peer.self), try tx.create(Peer.self))
                peer.peers["self"] = peer
                peer.peers["other"] = other
                try tx.create(Peer.self).peers["gone"] = other
                try tx.delete(peer.peers)
                #expect(peer.isInvalidated && other.isInvalidated)
            }
            #expect(realm.objects(Peer.self).map { $0.peers.keys } == [["gone"]])
        }
    }

    @Test("D27, P10: assigning nil removes the entry, and updateValue keeps it with nil")
    func nilValues() async throws {
        try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1])
            for holder in [managed, Holder()] {
                holder.intMap = ["a": 1, "b": 2]
                holder.intMap["a"] = nil
                #expect(holder.intMap.keys == ["b"])
                holder.optionalIntMap = ["a": 1]
                holder.optionalIntMap.updateValue(nil, forKey: "a")
                holder.optionalIntMap["b"] = .some(nil)
                holder.optionalIntMap["c"] = 3
                holder.optionalIntMap["c"] = nil
                #expect(holder.optionalIntMap.keys == ["a", "b"])
                #expect(holder.optionalIntMap["a"] == .some(nil))
                holder.optionalIntMap.removeObject(for: "a")
                #expect(holder.optionalIntMap.removeValue(forKey: "b") == .some(nil))
                #expect(holder.optionalIntMap.isEmpty)
                holder.anyMap["a"] = .int(1)
                holder.anyMap["b"] = AnyRealmValue.none
                holder.anyMap["a"] = nil
                #expect(holder.anyMap.keys == ["b"])
            }
        }
    }

    @Test(
        "P10: keys have no dot and no leading dollar: a write with one fails",
        arguments: ["a.b", ".", "$a", "$", "a.\u{301}b", "$\u{301}"])
    func refusedKeys(key: String) async throws {
        let realm = try await holderRealm()
        for change in [
            { @Sendable (holder: Holder) in holder.intMap[key] = 1 },
            { @Sendable holder in holder.intMap.merge([key: 1]) { $1 } },
            { @Sendable holder in holder.intMap.assign([key: 1]) },
            { @Sendable holder in holder.intMap = [key: 1] },
        ] {
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    change(try tx.create(Holder.self, value: ["key": 1]))
                }
            }
            // An unmanaged map is looked at when it is added.
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let holder = Holder()
                    change(holder)
                    try tx.add(holder)
                }
            }
        }
        let error = await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                try tx.create(Holder.self, value: ["key": 1, "intMap": [key: 1]])
            }
        }
        #expect(error?.description.contains("'\(key)'") == true)
        #expect(realm.objects(Holder.self).isEmpty)
    }

    @Test("P10: other keys are taken: empty, with dollars inside, of any language")
    func acceptedKeys() async throws {
        let long = String(repeating: "k", count: 5000)
        let keys = ["", "a$", "a b", "\u{e9}", "\u{1F600}", "0", "a\u{0}b", "\u{0}", long]
        let frozen = try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            for key in keys { holder.stringMap[key] = key }
            return holder.freeze()
        }
        for key in keys { #expect(frozen.stringMap[key] == key) }
        #expect(frozen.stringMap.count == keys.count)
    }

    @Test("P10: what dictionaries have")
    func dictionaries() async throws {
        try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1])
            for map in [managed.intMap, Map<String, Int>()] {
                map["a", default: 5] += 1
                map["a", default: 0] += 1
                #expect(map["a"] == 7 && map["b", default: 3] == 3)
                #expect(map.updateValue(8, forKey: "a") == 7)
                #expect(map.updateValue(1, forKey: "b") == nil)
                map.merge([(key: "a", value: 2), (key: "c", value: 3)]) { $0 * $1 }
                #expect(map == ["a": 16, "b": 1, "c": 3])
                #expect(map.merging(["a": 1]) { $1 } == ["a": 1, "b": 1, "c": 3])
                #expect(map.mapValues { $0 + 1 } == ["a": 17, "b": 2, "c": 4])
                #expect(map.compactMapValues { $0 > 2 ? "\($0)" : nil } == ["a": "16", "c": "3"])
                #expect(map.filter { $0.value < 4 } == ["b": 1, "c": 3])
                #expect(map.contains { key, value in key == "b" && value == 1 })
                #expect(map.keys == ["a", "b", "c"] && map.values == [16, 1, 3])
                #expect(map.min() == 1 && map.max() == 16 && map.sum() == 20)
                map.merge(map) { $0 + $1 }
                #expect(map.sum() == 40 && Set([map, map]).count == 1)
            }
            #expect(Map(uniqueKeysWithValues: [("a", 1)]) == ["a": 1])
        }
    }

    /// A map of objects gave a property of all of them, and set one; others had no such method.
    @Test("P10: value(forKey:) gives the value of a key, and setValue sets or removes it")
    func valuesOfKeys() async throws {
        try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1])
            let member = try tx.create(Member.self, value: ["number": 7])
            for holder in [managed, Holder()] {
                #expect(holder.intMap.value(forKey: "a") == nil)
                holder.intMap.setValue(3, forKey: "a")
                #expect(holder.intMap.value(forKey: "a") == 3)
                holder.memberMap.setValue(member, forKey: "number")
                let found: Member? = holder.memberMap.value(forKey: "number") ?? nil
                #expect(found?.number == 7 && holder.memberMap.keys == ["number"])
                holder.optionalIntMap.setValue(.some(nil), forKey: "a")
                #expect(holder.optionalIntMap.value(forKey: "a") == .some(nil))
                holder.intMap.setValue(nil, forKey: "a")
                holder.memberMap.setValue(nil, forKey: "number")
                holder.optionalIntMap.setValue(nil, forKey: "a")
                #expect(holder.intMap.isEmpty && holder.memberMap.isEmpty)
                #expect(holder.optionalIntMap.isEmpty)
            }
        }
    }

    @Test("P10: assigning copies the entries")
    func assigning() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1, "intMap": ["a": 1]])
            let map = holder.intMap
            let unmanaged: Map<String, Int> = ["b": 2]
            holder.intMap = unmanaged
            unmanaged["c"] = 3
            #expect(map == ["b": 2] && map.isSame(as: holder.intMap))
            holder.intMap = holder.intMap
            #expect(map == ["b": 2])
            holder.partMap["x"] = Part()
            let part = try #require(holder.partMap["x"] ?? nil)
            holder.partMap["x"] = Part()
            #expect(part.isInvalidated && tx.objects(Member.self).isEmpty)
        }
    }

    @Test("N23: streams report keys; deleting the object of a key modifies the key")
    func streams() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.memberMap["a"] = Member()
            holder.memberMap["b"] = Member()
            return holder.freeze()
        }
        var changes = holder.memberMap.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            let holder = try #require(tx.resolve(holder))
            try tx.delete(try #require(holder.memberMap["a"] ?? nil))
            holder.memberMap.removeObject(for: "b")
            holder.memberMap["c"] = Member()
        }
        guard case .update(_, ["b"], ["c"], ["a"])? = try await changes.next() else {
            Issue.record("not the keys that changed")
            return
        }
    }
}
