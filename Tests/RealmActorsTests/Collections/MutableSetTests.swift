import Foundation
import RealmActors
import Testing

/// What the contract says about sets, row by row.
@Suite struct MutableSetTests {
    @Test("P9: unique by value, objects by row, managed and unmanaged")
    func uniqueness() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let member = try tx.create(Member.self, value: ["number": 7])
            let again = tx.objects(Member.self)[0]
            #expect(again !== member)
            for set in [holder.memberSet, MutableSet<Member>()] {
                #expect(set.insert(member) && !set.insert(again))
                #expect(set.count == 1 && set.contains(again) && set.first?.number == 7)
                let fresh = Member()
                #expect(!set.contains(fresh))
                #expect(set.remove(again) && set.isEmpty)
            }
        }
    }

    @Test("P9: an unmanaged object in an unmanaged set is the same once it has a row")
    func adoption() async throws {
        try await holderRealm().write { tx in
            let (member, other) = (Member(), Member())
            let set = MutableSet([member, other, member])
            #expect(set.count == 2 && set.contains(member))
            try tx.add(member)
            let accessor = tx.objects(Member.self)[0]
            #expect(set.contains(accessor) && set.contains(member) && !set.insert(accessor))
            let holder = Holder()
            holder.memberSet = set
            try tx.add(holder)
            #expect(holder.memberSet.count == 2 && tx.objects(Member.self).count == 2)
            #expect(set.remove(accessor) && set.count == 1)
        }
    }

    /// The second was taken for the first, when both were the first of their realms.
    @Test("P9: objects of two realms are two elements of an unmanaged set")
    @MainActor func twoRealms() async throws {
        var members: [Member] = []
        for number in 1...2 {
            let live = try await holderRealm().live()
            members.append(
                try await live.write { try live.create(Member.self, value: ["number": number]) })
        }
        let set = MutableSet(members)
        #expect(Set(set.map(\.number)) == [1, 2] && set.contains(members[1]))
        #expect(!MutableSet([members[0]]).contains(members[1]))
        #expect(set.intersection([members[1]]).map(\.number) == [2])
        #expect(MutableSet(members.map { AnyRealmValue.object($0) }).count == 2)
    }

    @Test("P9: assigning copies, and keeps what is in both")
    func assigning() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1, "intSet": [1, 2]])
            let set = holder.intSet
            holder.intSet = [2, 3]
            #expect(Array(set) == [2, 3] && set == [3, 2] && set.isSame(as: holder.intSet))
            set.assign([9])
            #expect(Array(holder.intSet) == [9])
            let unmanaged: MutableSet<Int> = [5, 6]
            holder.intSet = unmanaged
            unmanaged.insert(7)
            #expect(holder.intSet.count == 2)
            holder.intSet = holder.intSet
            #expect(Array(holder.intSet) == [5, 6])
        }
    }

    @Test("P9: set algebra of two managed sets")
    func algebra() async throws {
        try await holderRealm().write { tx in
            let first = try tx.create(Holder.self, value: ["key": 1, "intSet": [1, 2, 3]]).intSet
            let second = try tx.create(Holder.self, value: ["key": 2, "intSet": [2, 3, 4]]).intSet
            #expect(first.union(second) == [1, 2, 3, 4])
            #expect(first.intersection(second) == [2, 3])
            #expect(first.subtracting(second) == [1])
            #expect(first.symmetricDifference(second) == [1, 4])
            #expect(first.intersects(second) && !first.isDisjoint(with: second))
            #expect(!first.isSubset(of: second) && first.isSuperset(of: [1, 2]))
            #expect(first.count == 3 && first.union(second).realm == nil)
            first.formSymmetricDifference(first)
            #expect(first.isEmpty)
            second.formUnion(second)
            second.subtract(second)
            #expect(second.isEmpty)
        }
    }

    @Test("Q16: elements of a set by position")
    func positions() async throws {
        try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1]).stringSet
            for set in [managed, MutableSet<String>()] {
                set.insert(objectsIn: ["b", "c", "a"])
                #expect(Set([set[0], set[1], set[2]]) == ["a", "b", "c"])
                for element in set { #expect(set.index(of: element).map { set[$0] } == element) }
                #expect(set.index(of: "x") == nil && set.objects(at: [0, 2]).count == 2)
                #expect(set.first == set[0] && set.last == set[2] && set.dropFirst().count == 2)
            }
            #expect(Array(managed) == ["a", "b", "c"])
        }
    }

    @Test("P9: large unmanaged sets of values and of new objects")
    func largeSets() {
        let numbers = MutableSet(0..<100_000)
        numbers.insert(objectsIn: 50_000..<150_000)
        let members = MutableSet((0..<20_000).map { _ in Member() })
        #expect(numbers.count == 150_000 && members.count == 20_000)
        #expect(!numbers.contains(-1) && numbers.contains(149_999))
    }

    @Test("P9: zeros and NaNs are one element each")
    func specialNumbers() async throws {
        try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1]).doubleSet
            for set in [managed, MutableSet<Double>()] {
                set.insert(objectsIn: [.nan, -0.0, 0.0, -.nan, .infinity])
                #expect(set.count == 3 && set.contains(.nan) && set.contains(0.0))
                #expect(set.remove(.nan) && !set.contains(.nan) && set.max() == .infinity)
            }
        }
    }

    /// Those with unmanaged objects were not inserted, and nothing was thrown.
    @Test("P9: a set with lists or dictionaries is refused")
    func collectionsOfValues() async throws {
        let realm = try await holderRealm()
        let makers: [@Sendable () -> AnyRealmValue] = [
            { [1] }, { ["a": 1] }, { .fromArray([.object(Member())]) },
            { .fromDictionary(["a": .object(Member())]) },
        ]
        for make in makers {
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let (holder, value) = (Holder(), make())
                    #expect(holder.anySet.insert(value) && holder.anySet.contains(value))
                    try tx.add(holder)
                }
            }
        }
    }

    @Test("P9: a loop may change the set")
    func loops() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.memberSet.insert(objectsIn: try tx.members())
            for member in holder.memberSet { try tx.delete(member) }
            #expect(holder.memberSet.isEmpty && tx.objects(Member.self).isEmpty)
            holder.intSet = [1, 2, 3]
            for number in holder.intSet { holder.intSet.remove(number) }
            #expect(holder.intSet.isEmpty)
        }
    }
}
