import Foundation
import RealmActors
import Testing

/// Lists, sets and maps behave the same before and after their object is added.
@Suite struct CollectionTests {
    @Test func listsChangeInPlace() async throws {
        for isManaged in [false, true] {
            let realm = try await freshRealm()
            try await realm.write { tx in
                let object = Everything()
                let list = object.integers
                if isManaged { try tx.add(object) }
                list.append(1)
                object.integers.append(contentsOf: [2, 3, 4])
                list.insert(0, at: 0)
                #expect(Array(list) == [0, 1, 2, 3, 4] && object.integers == list)
                list.move(from: 0, to: 4)
                #expect(Array(list) == [1, 2, 3, 4, 0])
                list.swapAt(0, 4)
                list[1] = 9
                #expect(Array(list) == [0, 9, 3, 4, 1])
                list.remove(at: 1)
                list.removeLast()
                list.removeFirst()
                #expect(Array(list) == [3, 4] && list.last == 4)
                list.replaceSubrange(0..<1, with: [7, 8])
                #expect(Array(list) == [7, 8, 4])
                list.removeAll { $0 == 8 }
                object.integers = [5, 6]
                #expect(Array(list) == [5, 6])
                object.integers = object.integers
                #expect(Array(list) == [5, 6])
                list.removeAll()
                #expect(list.isEmpty)
            }
        }
    }

    @Test func setsHaveEachElementOnce() async throws {
        for isManaged in [false, true] {
            let realm = try await freshRealm()
            try await realm.write { tx in
                let object = Everything()
                let set = object.numbers
                if isManaged { try tx.add(object) }
                set.insert(objectsIn: [3, 1, 3, 2])
                #expect(set.count == 3 && set.contains(2) && !set.contains(5))
                set.remove(2)
                #expect(Set(set) == [1, 3])
                set.formUnion([4])
                set.formIntersection([3, 4, 5])
                set.subtract([4])
                #expect(Array(set) == [3])
                object.friends.insert(object)
                object.friends.insert(object)
                #expect(object.friends.count == 1 && object.friends.contains(object))
                object.numbers = [8]
                #expect(Array(set) == [8])
                set.removeAll()
                #expect(set.isEmpty)
            }
        }
    }

    @Test func mapsAssignByKey() async throws {
        for isManaged in [false, true] {
            let realm = try await freshRealm()
            try await realm.write { tx in
                let object = Everything()
                let map = object.named
                if isManaged { try tx.add(object) }
                map["b"] = 2
                object.named["a"] = 1
                #expect(map["a"] == 1 && map["c"] == nil && Set(map.keys) == ["a", "b"])
                map["a"] = nil
                #expect(map.count == 1)
                map.merge(["b": 3, "c": 4]) { $0 + $1 }
                #expect(map["b"] == 5 && map["c"] == 4)
                object.linked["me"] = object
                #expect(object.linked["me"] == .some(object))
                object.named = ["z": 26]
                #expect(map["z"] == 26 && map.count == 1)
                map.removeAll()
                #expect(map.isEmpty)
            }
        }
    }

    @Test func mapKeysAreChecked() async throws {
        let realm = try await freshRealm()
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                try tx.create(Everything.self).named["a.b"] = 1
            }
        }
    }

    @Test func embeddedObjectsBelongToOneParent() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            let object = try tx.create(
                Everything.self, value: ["key": 1, "embedded": ["city": "Bern"]])
            let first = try #require(object.embedded)
            object.embedded = Address()
            #expect(first.isInvalidated && object.embedded?.city == "")
            object.addresses.append(Address())
            let second = object.addresses[0]
            object.addresses.remove(at: 0)
            #expect(second.isInvalidated && object.addresses.isEmpty)
        }
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                let object = try #require(tx.object(Everything.self, forPrimaryKey: 1))
                object.addresses.append(try #require(object.embedded))
            }
        }
    }

    @Test("A5: deleted objects leave collections")
    func deletedObjectsLeaveCollections() async throws {
        let realm = try await freshRealm()
        try await realm.write { tx in
            let owner = try tx.create(Everything.self, value: ["key": 1])
            let other = try tx.create(Everything.self, value: ["key": 2])
            owner.links = [other, owner, other]
            owner.friends.insert(other)
            owner.linked["other"] = other
            try tx.delete(other)
            #expect(owner.links.map(\.key) == [1] && owner.friends.isEmpty)
            #expect(owner.linked["other"] == .some(nil))
        }
    }
}
