import Foundation
import RealmActors
import Testing

/// Lists, sets and maps of frozen objects: values that can go anywhere, with the same reading API.
@Suite struct FrozenCollectionTests {
    private static func holder(
        _ realm: Realm
    ) async throws -> Frozen<Holder> {
        try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            holder.members.append(objectsIn: members + members[0..<2])
            holder.memberSet.insert(objectsIn: members[0..<4])
            holder.memberMap["a"] = members[0]
            holder.memberMap["b"] = .some(nil)
            holder.strings.assign(["x", "y", "x"])
            holder.stringSet.insert(objectsIn: ["p", "q"])
            holder.intMap = ["a": 1, "b": 2]
            holder.anys.assign([.int(1), .string("s"), .object(members[1]), .none])
            return holder.freeze()
        }
    }

    @Test("F7: lists find, query and aggregate")
    func lists() async throws {
        let realm = try await holderRealm()
        let holder = try await Self.holder(realm)
        let members = holder.members
        #expect(members.count == 26 && members.index(of: members[1]) == 1)
        #expect(members.lastIndex(of: members[1]) == 25 && members.contains(members[9]))
        #expect(members.where { $0.number > 20 }.map(\.number) == [21, 22, 23])
        #expect(members.sorted(by: \.number, ascending: false).first?.number == 23)
        #expect(try members.sorted(by: [SortDescriptor(keyPath: "number")])[1].number == 0)
        #expect(members.distinct(by: \.number).count == 24)
        #expect(members.min(of: \.number) == 0 && members.max(of: \.weight) == 11.5)
        #expect(members.sum(of: \.number) == 277 && members.average(of: \.number) == 277 / 26)
        #expect(members.values(of: \.number).suffix(2) == [0, 1])
        #expect(holder.strings.index(of: "y") == 1 && holder.strings.lastIndex(of: "x") == 2)
        #expect(!holder.strings.contains("z") && Array(holder.strings[1...]) == ["y", "x"])
        #expect(holder.anys.index(of: .string("s")) == 1 && holder.anys.contains(.none))
        #expect(holder.anys.index(of: holder.anys[2]) == 2)
        let other = try await Self.holder(try await holderRealm())
        #expect(!members.contains(other.members[1]) && !holder.anys.contains(other.anys[2]))
        #expect(members.where { $0.number == 99 }.isEmpty)
    }

    @Test("F7: sets and maps look up, compare and combine")
    func setsAndMaps() async throws {
        let holder = try await Self.holder(try await holderRealm())
        let set = holder.stringSet
        #expect(set.contains("p") && !set.contains("x") && set.firstIndex(of: "q") == 1)
        #expect(set.isSubset(of: ["p", "q", "r"]) && set.isSuperset(of: ["p"]))
        #expect(set.isSubset(of: set) && !set.isStrictSubset(of: set))
        #expect(set.intersects(["q"]) && set.isDisjoint(with: ["z"]))
        #expect(set.union(["r"]) == ["p", "q", "r"] && set.subtracting(["p"]) == ["q"])
        #expect(set.intersection(["p", "z"]) == ["p"])
        #expect(set.symmetricDifference(["p", "z"]) == ["q", "z"])
        #expect(holder.memberSet.contains(holder.members[2]))
        #expect(!holder.memberSet.contains(holder.members[20]))
        #expect(holder.memberSet.where { $0.number < 2 }.count == 2)
        #expect(holder.memberSet.sorted(by: \.number).map(\.number) == [0, 1, 2, 3])
        let map = holder.intMap
        #expect(map["a"] == 1 && map["c"] == nil && map["c", default: 9] == 9)
        #expect(map.keys == ["a", "b"] && map.values == [1, 2] && map.contains(key: "b"))
        #expect(map.dictionary == ["a": 1, "b": 2] && map.index(forKey: "b") == 1)
        #expect(map.mapValues { $0 * 2 } == ["a": 2, "b": 4])
        #expect(map.compactMapValues { $0 > 1 ? $0 : nil } == ["b": 2])
        #expect(map.filter { $0.key == "a" } == ["a": 1])
        #expect(map.merging([(key: "a", value: 5)]) { $0 + $1 } == ["a": 6, "b": 2])
        #expect(holder.memberMap["b"] == .some(nil) && holder.memberMap["a"]??.number == 0)
        #expect(holder.memberMap.where { $0.number == 0 }.count == 1)
        #expect(holder.memberMap.sorted(by: \.number).count == 1)
    }

    @Test("F7: sets of two versions have an object in common when they have its row")
    func setsOfTwoVersions() async throws {
        let realm = try await holderRealm()
        let before = try await Self.holder(realm).memberSet
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.memberSet.remove(holder.members[0])
            holder.memberSet.insert(holder.members[9])
        }
        let after = try #require(realm.object(Holder.self, forPrimaryKey: 1)).memberSet
        #expect(after.subtracting(before).map(\.number) == [9])
        #expect(before.subtracting(after).map(\.number) == [0])
        #expect(after.symmetricDifference(before).map(\.number).sorted() == [0, 9])
        #expect(after.union(before).count == 5 && after.intersection(before).count == 3)
        #expect(!after.isSubset(of: Array(before)))
        #expect(after.isSubset(of: Array(before) + [after[3]]))
    }

    @Test("P10: a map by its name has the first of two keys that are one to a dictionary")
    func mapsByName() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.stringMap["\u{E9}"] = "one scalar"
            holder.stringMap["e\u{301}"] = "two scalars"
            return holder.freeze()
        }
        #expect(holder.stringMap.count == 2)
        #expect(holder.stringMap.dictionary == ["\u{E9}": "two scalars"])
        #expect(try holder["stringMap"] == .dictionary(["\u{E9}": "two scalars"]))
    }

    @Test("F1: freezing a list inside a write shows the write's state, and stays as it is")
    func freezing() async throws {
        let realm = try await holderRealm()
        let (list, set, map, anys) = try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.ints.append(1)
            holder.intSet.insert(2)
            holder.memberMap["a"] = Member()
            holder.anys.append(.int(4))
            let result = (
                holder.ints.freeze(), holder.intSet.freeze(), holder.memberMap.freeze(),
                holder.anys.freeze()
            )
            holder.ints.append(2)
            holder.intSet.removeAll()
            holder.memberMap.removeAll()
            holder.anys.removeAll()
            return result
        }
        #expect(Array(list) == [1] && Array(set) == [2] && map.keys == ["a"])
        #expect(Array(anys) == [.int(4)])
        #expect(realm.object(Holder.self, forPrimaryKey: 1)?.ints.count == 2)
    }

    @Test("F5, D4: thawing gives the live collection at the newest version, or nil")
    @MainActor func thawing() async throws {
        let realm = try await holderRealm()
        let live = try await realm.live()
        let holder = try await Self.holder(realm)
        let members = try #require(holder.members.thaw(in: live))
        let strings = try #require(holder.strings.thaw(in: live))
        let anys = try #require(holder.anys.thaw(in: live))
        let set = try #require(holder.stringSet.thaw(in: live))
        let objects = try #require(holder.memberSet.thaw(in: live))
        let map = try #require(holder.intMap.thaw(in: live))
        let links = try #require(holder.memberMap.thaw(in: live))
        try await live.write {
            members.removeLast(2)
            strings.append("z")
            anys.removeFirst()
            set.insert("r")
            objects.insert(members[9])
            map["c"] = 3
            links["b"] = members[3]
        }
        let after = try #require(realm.object(Holder.self, forPrimaryKey: 1))
        #expect(after.members.count == 24 && after.strings.last == "z" && after.anys.count == 3)
        #expect(after.stringSet.count == 3 && after.memberSet.count == 5 && after.intMap["c"] == 3)
        #expect(after.memberMap["b"]??.number == 3 && holder.members.count == 26)
        #expect(members.contains(members[3]) && !members.isFrozen)
        try await realm.write { tx in try tx.deleteAll(Holder.self) }
        live.refresh()
        #expect(holder.members.thaw(in: live) == nil && holder.intMap.thaw(in: live) == nil)
        let other = try await holderRealm().live()
        #expect(holder.strings.thaw(in: other) == nil)
    }

    @Test("L4: frozen collections are equal by their elements, and encode as arrays and objects")
    func equality() async throws {
        let realm = try await holderRealm()
        let holder = try await Self.holder(realm)
        let again = try #require(realm.object(Holder.self, forPrimaryKey: 1))
        #expect(again.members == holder.members && again.intMap == holder.intMap)
        #expect(Set([again.strings, holder.strings]).count == 1)
        #expect(again.memberSet.hashValue == holder.memberSet.hashValue)
        let encoder = JSONEncoder()
        #expect(try encoder.encode(holder.strings) == Data(#"["x","y","x"]"#.utf8))
        let map = try JSONDecoder().decode([String: Int].self, from: encoder.encode(holder.intMap))
        #expect(map == ["a": 1, "b": 2])
    }

    @Test("O1: frozen collections cross isolation")
    func crossing() async throws {
        let holder = try await Self.holder(try await holderRealm())
        let (list, set, map) = (holder.members, holder.stringSet, holder.intMap)
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { list.sum(of: \.number) + set.count + map.sum() }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == [282, 282, 282, 282])
    }
}
