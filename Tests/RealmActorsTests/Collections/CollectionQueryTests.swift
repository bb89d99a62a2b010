import Foundation
import RealmActors
import Testing

/// Queries and aggregates of lists, sets and maps.
@Suite struct CollectionQueryTests {
    @Test("Q17: where, sorted and distinct give results that follow the list")
    func listResults() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            holder.members.append(objectsIn: members.reversed())
            let few = holder.members.where { $0.number < 3 }
            let sorted = holder.members.sorted(by: \.number)
            #expect(few.map(\.number) == [2, 1, 0] && sorted.map(\.number) == Array(0..<24))
            #expect(sorted.where { $0.number > 20 }.map(\.number) == [21, 22, 23])
            #expect(holder.members.index(matching: { $0.number == 20 }) == 3)
            #expect(holder.members.index(matching: { $0.number == 99 }) == nil)
            holder.members.append(members[1])
            #expect(few.map(\.number) == [2, 1, 0, 1])
            #expect(holder.members.distinct(by: \.number).count == 24)
            let descending = try holder.members.sorted(by: [
                SortDescriptor(keyPath: "weight", ascending: false)
            ])
            #expect(descending.first?.number == 23)
            #expect(throws: RealmError.self) {
                try holder.members.sorted(by: [SortDescriptor(keyPath: "nothing")])
            }
            holder.parts.append(objectsIn: [Part(), Part()])
            holder.parts[1].number = 4
            #expect(holder.parts.where { $0.number == 4 }.count == 1)
            try tx.delete(holder)
            // Results of a deleted parent become empty, not invalidated.
            #expect(few.isEmpty && sorted.isEmpty && !few.isInvalidated)
        }
    }

    @Test("Q6: sets and maps of objects are queried as lists are")
    func setAndMapResults() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            holder.memberSet.insert(objectsIn: members)
            for member in members.prefix(5) { holder.memberMap["k\(member.number)"] = member }
            holder.memberMap["none"] = .some(nil)
            #expect(holder.memberSet.where { $0.number > 20 }.count == 3)
            #expect(holder.memberSet.sorted(by: \.number, ascending: false).first?.number == 23)
            #expect(holder.memberMap.where { $0.number != 2 }.map(\.number) == [0, 1, 3, 4])
            #expect(holder.memberMap.sorted(by: \.number, ascending: false).first?.number == 4)
            #expect(holder.memberSet.sum(of: \.number) == 276)
            #expect(holder.memberMap.sum(of: \.number) == 10)
            #expect(holder.memberMap.max(of: \.weight) == 2)
            try holder.memberMap.where { $0.number < 5 }.setValue("named", forKey: "name")
            #expect(members[4].name == "named" && members[5].name == "m5")
            let unmanaged: Map<String, Member?> = ["a": members[2], "b": nil]
            #expect(unmanaged.average(of: \.number) == 2)
            let frozen = holder.freeze()
            #expect(frozen.memberMap.sum(of: \.number) == 10)
            #expect(frozen.memberSet.max(of: \.number) == 23)
            #expect(frozen.memberSet.distinct(by: \.number).count == 24)
        }
    }

    @Test("Q15: of objects' properties, managed and unmanaged")
    func objectAggregates() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            for list in [holder.members, List<Member>()] {
                #expect(list.min(of: \.number) == nil && list.sum(of: \.weight) == 0)
                #expect(list.average(of: \.number) == nil)
                list.append(objectsIn: try tx.members())
                list[0].weight = nil
                list[3].weight = .nan
                #expect(list.min(of: \.number) == 0 && list.max(of: \.number) == 23)
                #expect(list.sum(of: \.number) == 276 && list.average(of: \.number) == 11.5)
                #expect(list.min(of: \.weight) == 0.5 && list.max(of: \.weight) == 11.5)
                list[3].weight = 1.5
                #expect(list.sum(of: \.weight) == 138 && list.average(of: \.weight) == 6)
                try tx.deleteAll(Member.self)
            }
            let set = MutableSet([Member(), Member()])
            #expect(set.sum(of: \.number) == 0 && set.max(of: \.number) == 0)
        }
    }

    @Test("Q15: of values; sum of empty is 0, the others nil; nil and NaN do not count")
    func valueAggregates() async throws {
        let frozen = try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1])
            for holder in [managed, Holder()] {
                #expect(holder.ints.sum() == 0 && holder.ints.average() == nil)
                #expect(holder.ints.min() == nil && holder.optionalDoubles.max() == nil)
                holder.ints.assign([3, -1, 7])
                #expect(holder.ints.min() == -1 && holder.ints.max() == 7)
                #expect(holder.ints.sum() == 9 && holder.ints.average() == 3)
                holder.smalls.assign([100, 100])
                #expect(holder.smalls.sum() == 200 && holder.smalls.max() == 100)
                holder.floats.assign([0.5, .nan, 2.5])
                #expect(holder.floats.min() == 0.5 && holder.floats.max() == 2.5)
                holder.optionalDoubles.assign([nil, 1, 4, nil])
                #expect(holder.optionalDoubles.min() == 1 && holder.optionalDoubles.max() == 4)
                #expect(holder.optionalDoubles.sum() == 5)
                #expect(holder.optionalDoubles.average() == 2.5)
                holder.dates.assign([.distantFuture, .distantPast])
                #expect(holder.dates.min() == .distantPast && holder.dates.max() == .distantFuture)
                holder.intSet = [4, 2]
                #expect(holder.intSet.min() == 2 && holder.intSet.sum() == 6)
                #expect(holder.intSet.max() == 4 && holder.intSet.average() == 3)
                holder.doubleMap = ["a": 1.5, "b": 2.5]
                #expect(holder.doubleMap.sum() == 4 && holder.doubleMap.average() == 2)
                holder.optionalIntMap = ["a": nil, "b": 2]
                #expect(holder.optionalIntMap.min() == 2 && holder.optionalIntMap.sum() == 2)
                holder.uuids.assign([UUID()])
                holder.ints.append(objectsIn: [.max, .max])
                #expect(holder.ints.sum() == .max)
            }
            return managed.freeze()
        }
        #expect(frozen.ints.min() == -1 && frozen.smalls.sum() == 200)
        #expect(frozen.optionalDoubles.average() == 2.5 && frozen.floats.max() == 2.5)
        #expect(frozen.intSet.max() == 4 && frozen.intSet.sum() == 6)
        #expect(frozen.doubleMap.sum() == 4 && frozen.optionalIntMap.max() == 2)
        #expect(frozen.dates.max() == .distantFuture)
    }

    /// Results alone had them.
    @Test("Q23: aggregates by name, of live and frozen collections of objects")
    func aggregatesByName() async throws {
        let frozen = try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            members[0].weight = nil
            holder.members.append(objectsIn: members)
            holder.memberSet.insert(objectsIn: members[2...4])
            for member in members.prefix(3) { holder.memberMap["k\(member.number)"] = member }
            #expect(try holder.members.min(ofProperty: "number") == .int(0))
            #expect(try holder.members.max(ofProperty: "weight") == .double(11.5))
            #expect(try holder.memberSet.sum(ofProperty: "number") == .int(9))
            #expect(try holder.memberMap.average(ofProperty: "weight") == 0.75)
            #expect(throws: RealmError.self) { try holder.members.sum(ofProperty: "name") }
            return holder.freeze()
        }
        #expect(try frozen.members.min(ofProperty: "weight") == .double(0.5))
        #expect(try frozen.memberSet.max(ofProperty: "number") == .int(4))
        #expect(try frozen.memberMap.sum(ofProperty: "number") == .int(3))
        #expect(try frozen.members.average(ofProperty: "number") == 11.5)
        #expect(throws: RealmError.self) { try frozen.memberMap.max(ofProperty: "nothing") }
    }

    /// They were refused, though Realm has them.
    @Test("Q23: aggregates by name of collections that are unmanaged, or in a frozen object")
    func aggregatesByNameOfWhatIsNotLive() async throws {
        let holder = Holder()
        let member = try Member(value: ["number": 3, "weight": 1.5])
        holder.members.append(objectsIn: [member, try Member(value: ["number": 5])])
        holder.memberSet.insert(member)
        holder.memberMap["a"] = member
        #expect(try holder.members.min(ofProperty: "number") == .int(3))
        #expect(try holder.members.max(ofProperty: "weight") == .double(1.5))
        #expect(try holder.members.sum(ofProperty: "number") == .int(8))
        #expect(try holder.members.average(ofProperty: "number") == 4)
        #expect(try holder.memberSet.sum(ofProperty: "weight") == .double(1.5))
        #expect(try holder.memberMap.average(ofProperty: "weight") == 1.5)
        #expect(try holder.parts.min(ofProperty: "number") == FrozenValue.none)
        #expect(try holder.parts.sum(ofProperty: "number") == .int(0))
        #expect(try holder.parts.average(ofProperty: "number") == nil)
        for name in ["", "name", "nothing", "number.x"] {
            #expect(throws: RealmError.self) { try holder.members.max(ofProperty: name) }
            #expect(throws: RealmError.self) { try holder.parts.sum(ofProperty: name) }
        }
        let rosters = List([Roster()])
        #expect(throws: RealmError.self) { try rosters.sum(ofProperty: "members") }
        #expect(throws: RealmError.self) { try rosters.sum(ofProperty: "members.key") }
        let frozen = try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.members.append(objectsIn: try tx.members())
            return holder.freeze()
        }
        let greatest = try frozen.withObject { holder throws in
            try holder.members.max(ofProperty: "number")
        }
        #expect(greatest == .int(23))
    }

    /// They ended the process.
    @Test("Q10, Q23: what can throw, throws for a collection that is not live")
    func collectionsThatAreNotLive() async throws {
        func check(_ holder: Holder) {
            #expect(throws: RealmError.self) { try holder.members.filter("number > 1") }
            #expect(throws: RealmError.self) {
                try holder.memberSet.sorted(by: [SortDescriptor(keyPath: "number")])
            }
            #expect(throws: RealmError.self) { try holder.memberMap.distinct(by: ["name"]) }
            #expect(throws: RealmError.self) { try holder.rosters.index(matching: "key == 1") }
            #expect(throws: RealmError.self) { try holder.parts.filter("number == 1") }
        }
        check(Holder())
        let frozen = try await holderRealm().write { tx in
            try tx.create(Holder.self, value: ["key": 1]).freeze()
        }
        frozen.withObject { check($0) }
    }
}
