import Foundation
import RealmActors
import Testing

private final class MixedHolder: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var set: MutableSet<AnyRealmValue>
}
private final class Target: Object {
    @Persisted(primaryKey: true) var id: Int
}

/// A link within a value of any type kept leading to an object that was deleted: live objects gave
/// an accessor of nothing, frozen ones nil, and queries found neither.
@Suite struct MixedLinkTests {
    private func withHolder(_ body: (Realm) async throws -> Void) async throws {
        try await withFreshRealm([MixedHolder.self, Target.self]) { realm in
            try await realm.write { tx in
                for id in 0..<3 { try tx.create(Target.self, value: ["id": id]) }
                let targets = Array(tx.objects(Target.self))
                let holder = try tx.create(MixedHolder.self, value: ["id": 1])
                holder.value = .object(targets[0])
                holder.list.append(objectsIn: [.int(1), .object(targets[0]), .object(targets[1])])
                holder.map["a"] = .object(targets[0])
                holder.map["b"] = [.object(targets[0]), .object(targets[1])]
                holder.set.insert(objectsIn: [
                    .string("x"), .object(targets[0]), .object(targets[1]),
                ])
                let other = try tx.create(MixedHolder.self, value: ["id": 2])
                other.value = .object(targets[1])
            }
            try await body(realm)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("D23: live and frozen read nil, sets lose the element")
    func reading() async throws {
        try await withHolder { realm in
            let before = realm.snapshot()
            try await realm.write { tx in
                let holder = try #require(tx.object(MixedHolder.self, forPrimaryKey: 1))
                try tx.delete(try #require(tx.object(Target.self, forPrimaryKey: 0)))
                Self.check(holder)
            }
            let holder = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1))
            #expect(holder.value == .none && holder.list.count == 3)
            #expect(holder.list[0] == .int(1) && holder.list[1] == .none)
            #expect(holder.map["a"] == FrozenValue.none && holder.map.keys.contains("a"))
            #expect(holder.set.count == 2 && holder.set.contains(.string("x")))
            try await Self.checkLive(realm)
            // The version before still has it.
            let old = try #require(before.object(MixedHolder.self, forPrimaryKey: 1))
            #expect(old.value != .none && old.set.count == 3)
        }
    }

    private static func check(_ holder: MixedHolder) {
        #expect(holder.value == .none && holder.list.count == 3)
        #expect(holder.list[0] == .int(1) && holder.list[1] == .none)
        #expect(holder.list[2].object(Target.self)?.id == 1)
        #expect(holder.map["a"] == AnyRealmValue.none && holder.map.count == 2)
        #expect(holder.map["b"]?.listValue?.map { $0 == .none } == [true, false])
        #expect(holder.set.count == 2 && holder.set.allSatisfy { $0 != .none })
    }

    @MainActor private static func checkLive(_ realm: Realm) async throws {
        let live = try await realm.live()
        check(try #require(live.object(MixedHolder.self, forPrimaryKey: 1)))
    }

    @Test("D23: queries agree")
    func queries() async throws {
        try await withHolder { realm in
            try await realm.write { tx in
                try tx.delete(try #require(tx.object(Target.self, forPrimaryKey: 0)))
            }
            let holders = realm.objects(MixedHolder.self)
            #expect(holders.where { $0.value == .none }.map(\.id) == [1])
            #expect(holders.where { $0.value != .none }.map(\.id) == [2])
            #expect(try holders.filter("value == nil").map(\.id) == [1])
            #expect(try holders.filter("ANY list == nil").map(\.id) == [1])
            #expect(try holders.filter("ANY set == nil").map(\.id) == [])
            #expect(try holders.filter("map['a'] == nil AND id == 1").map(\.id) == [1])
            #expect(try holders.filter("set.@count == 2").map(\.id) == [1])
        }
    }

    @Test("D23: deleting all that a set holds leaves what is no link")
    func everything() async throws {
        try await withHolder { realm in
            try await realm.write { tx in try tx.deleteAll(Target.self) }
            let holder = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1))
            #expect(holder.set.map { $0 } == [.string("x")])
            #expect(realm.objects(MixedHolder.self).where { $0.value == .none }.count == 2)
        }
    }

    /// It was nil, as if the object had been deleted.
    @Test("D23, F5: the object in a frozen value is resolved and thawed")
    @MainActor func resolving() async throws {
        try await withHolder { realm in
            let holder = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1))
            guard case .object(let frozen) = holder.value else {
                Issue.record("no object")
                return
            }
            #expect(realm.resolve(frozen)?.reference == frozen.reference)
            try await realm.write { tx in
                let target = try #require(tx.resolve(frozen) as? Target)
                #expect(target.id == 0)
            }
            let live = try await realm.live()
            let thawed = try #require(frozen.thaw(in: live) as? Target)
            #expect(thawed.id == 0)
            try await realm.write { tx in try tx.deleteAll(Target.self) }
            #expect(realm.resolve(frozen) == nil)
        }
    }

    /// Lists did not find nil where they read it.
    @Test("D23: positions in lists take it for nil")
    func positions() async throws {
        try await withFreshRealm([MixedHolder.self, Target.self]) { realm in
            try await realm.write { tx in
                for id in 0..<2 { try tx.create(Target.self, value: ["id": id]) }
                let targets = Array(tx.objects(Target.self))
                for id in 0..<2 {
                    let holder = try tx.create(MixedHolder.self, value: ["id": id])
                    holder.value = .object(targets[id])
                    holder.list.append(objectsIn: [.int(1), .object(targets[id]), .int(2)])
                }
                try tx.delete(targets[0])
            }
            let frozen = try #require(realm.object(MixedHolder.self, forPrimaryKey: 0))
            #expect(frozen.list.contains(.none) && frozen.list.index(of: .none) == 1)
            #expect(frozen.list.lastIndex(of: .none) == 1 && frozen.list.index(of: .int(2)) == 2)
            let kept = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1))
            #expect(!kept.list.contains(.none) && kept.list.index(of: kept.value) == 1)
            try await realm.write { tx in
                let holder = try #require(tx.object(MixedHolder.self, forPrimaryKey: 0))
                #expect(holder.list.contains(.none) && holder.list.index(of: .none) == 1)
                #expect(holder.list.lastIndex(of: .none) == 1)
            }
        }
    }

    /// An object of another realm was taken for the one that has its class and number here.
    @Test("D23, F7: positions in frozen lists of collections are those of what reads alike")
    func positionsOfCollections() async throws {
        try await withHolder { realm in
            try await withHolder { other in
                for realm in [realm, other] {
                    try await realm.write { tx in
                        let holder = try #require(tx.object(MixedHolder.self, forPrimaryKey: 1))
                        holder.list.append(objectsIn: [[holder.list[1]], ["a": holder.list[2]]])
                    }
                }
                let list = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1)).list
                let foreign = try #require(other.object(MixedHolder.self, forPrimaryKey: 1)).list
                #expect(list.index(of: list[3]) == 3 && list.lastIndex(of: list[4]) == 4)
                #expect(!list.contains(foreign[3]) && list.lastIndex(of: foreign[4]) == nil)
                try await realm.write { tx in try tx.create(Target.self, value: ["id": 9]) }
                let later = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1)).list
                #expect(later.index(of: list[3]) == 3 && later.index(of: list[4]) == 4)
                #expect(list.index(of: .list([.none])) == nil)
                try await realm.write { tx in try tx.deleteAll(Target.self) }
                let last = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1)).list
                #expect(last.index(of: .list([.none])) == 3 && !last.contains(list[3]))
            }
        }
    }

    /// Links that had become nil were not reported.
    @Test("D23: streams report it")
    func streams() async throws {
        try await withHolder { realm in
            let holder = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1))
            var rows = realm.objects(MixedHolder.self).changes().makeAsyncIterator()
            var list = holder.list.changes().makeAsyncIterator()
            _ = try await rows.next()
            _ = try await list.next()
            try await realm.write { tx in
                try tx.delete(try #require(tx.object(Target.self, forPrimaryKey: 0)))
            }
            guard case .update(let now, [], [], [0])? = try await rows.next() else {
                Issue.record("no modification of the row alone")
                return
            }
            #expect(now[0].value == .none)
            guard case .update(let elements, [], [], [1])? = try await list.next() else {
                Issue.record("no modification of the element alone")
                return
            }
            #expect(elements[1] == .none)
            var object = holder.changes().makeAsyncIterator()
            guard case .change(_, let properties)? = try await object.next() else {
                Issue.record("no change of the object")
                return
            }
            #expect(Set(properties.map(\.name)) == ["value", "list", "map", "set"])
        }
    }

    /// NaN was reported as modified when another element lost its link.
    @Test("D23, N10: streams report nothing else")
    func streamsOfNoNumbers() async throws {
        try await withHolder { realm in
            try await realm.write { tx in
                let holder = try #require(tx.object(MixedHolder.self, forPrimaryKey: 1))
                holder.list[0] = .double(.nan)
                holder.list.append([.double(.nan)])
            }
            let holder = try #require(realm.object(MixedHolder.self, forPrimaryKey: 1))
            var list = holder.list.changes().makeAsyncIterator()
            _ = try await list.next()
            try await realm.write { tx in
                try tx.delete(try #require(tx.object(Target.self, forPrimaryKey: 0)))
            }
            guard case .update(_, [], [], [1])? = try await list.next() else {
                Issue.record("no modification of the element alone")
                return
            }
        }
    }

    @Test("D23: sorts, distinct and aggregates take it for nil")
    func orders() async throws {
        try await withHolder { realm in
            try await realm.write { tx in
                let last = try tx.create(MixedHolder.self, value: ["id": 3])
                last.value = .int(7)
                try tx.deleteAll(Target.self)
            }
            let holders = realm.objects(MixedHolder.self)
            #expect(holders.sorted(by: \.value).map(\.id) == [1, 2, 3])
            #expect(holders.distinct(by: \.value).map(\.id) == [1, 3])
            #expect(holders.where { $0.list.contains(.none) }.map(\.id) == [1])
        }
    }

    /// A realm that was opened without the class read nil, and a change beside the link in its list
    /// or dictionary cleared it for good.
    @Test("D20, D23: a link to an object of a class that is not opened is read by name, and kept")
    func hiddenClass() async throws {
        try await withStorePath { path in
            let all: [ObjectBase.Type] = [MixedHolder.self, Target.self]
            var realm = try await Realm.open(.init(path: path, objectTypes: all))
            try await realm.write { tx in
                let target = try tx.create(Target.self, value: ["id": 7])
                let holder = try tx.create(MixedHolder.self, value: ["id": 1])
                holder.value = ["link": .object(target), "n": 1]
                holder.list.append(objectsIn: [.object(target), .int(1)])
                holder.map["a"] = [.object(target)]
            }
            try await realm.close()
            realm = try await Realm.open(.init(path: path, objectTypes: [MixedHolder.self]))
            try await realm.write { tx in
                let holder = try #require(tx.object(MixedHolder.self, forPrimaryKey: 1))
                let link = try #require(holder.list[0].dynamicObject)
                #expect(link.className == "Target" && link["id"] as? Int == 7)
                holder.value.dictionaryValue?["n"] = 2
                holder.map["a"]?.listValue?.append(3)
                holder.list.swapAt(0, 1)
                holder.list.append(holder.value)
            }
            try await realm.close()
            realm = try await Realm.open(.init(path: path, objectTypes: all))
            try await realm.write { tx in
                let holder = try #require(tx.object(MixedHolder.self, forPrimaryKey: 1))
                #expect(holder.value.dictionaryValue?["link"]?.object(Target.self)?.id == 7)
                #expect(holder.value.dictionaryValue?["n"] == 2)
                #expect(holder.map["a"]?.listValue?[0].object(Target.self)?.id == 7)
                #expect(holder.list[1].object(Target.self)?.id == 7)
                #expect(holder.list[2].dictionaryValue?["link"]?.object(Target.self)?.id == 7)
            }
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    /// An object of another realm was taken for the one that has its class and number here, and an
    /// unmanaged one was ordered as nil is.
    @Test("D23, Q8: only an object of the same realm equals one")
    func objectsOfAnotherRealm() async throws {
        try await withHolder { realm in
            try await withHolder { other in
                try await other.write { tx in
                    let target = try #require(tx.object(Target.self, forPrimaryKey: 0))
                    Self.checkEquality(realm.objects(MixedHolder.self), .object(target), found: [])
                    Self.checkEquality(tx.objects(MixedHolder.self), .object(target), found: [1])
                    let second = try #require(tx.object(Target.self, forPrimaryKey: 1))
                    let all: [AnyRealmValue] = [.int(1), .object(target), .object(second)]
                    // The list of the other one has no elements.
                    let ofThose = tx.objects(MixedHolder.self).where { $0.list.all.in(all) }
                    #expect(ofThose.values(of: \.id) == [1, 2])
                    let ofNone = realm.objects(MixedHolder.self).where { $0.list.all.in(all) }
                    #expect(ofNone.values(of: \.id) == [2])
                    try tx.create(MixedHolder.self, value: ["id": 3])
                    let holders = tx.objects(MixedHolder.self)
                    let unmanaged = AnyRealmValue.object(Target())
                    #expect(holders.where { $0.value <= unmanaged }.isEmpty)
                    #expect(holders.where { $0.value == unmanaged }.isEmpty)
                    #expect(holders.where { $0.value != unmanaged }.count == 3)
                }
            }
        }
    }

    private static func checkEquality<Holders: QueryableResults>(
        _ holders: Holders, _ value: AnyRealmValue, found: [Int]
    ) where Holders.Model == MixedHolder {
        func ids(_ isIncluded: (Query<MixedHolder>) -> Query<Bool>) -> [Int] {
            holders.where(isIncluded).values(of: \.id)
        }
        let others = [1, 2].filter { !found.contains($0) }
        #expect(ids { $0.value == value } == found)
        #expect(ids { $0.value != value } == others)
        #expect(ids { $0.value.in([.int(7), value]) } == found)
        #expect(ids { $0.list == value } == found)
        #expect(ids { $0.list.contains(value) } == found)
        #expect(ids { $0.list.none.in([value]) } == others)
        #expect(ids { $0.map.any.in([value, .int(7)]) } == found)
    }
}
