import Foundation
import RealmActors
import Storage
import Testing

/// What the contract says about lists, row by row.
@Suite struct ListTests {
    @Test("P6: a list is never optional, ordered, allows duplicates; assigning copies contents")
    func assigning() async throws {
        try await holderRealm().write { tx in
            let first = try tx.create(Holder.self, value: ["key": 1])
            let second = try tx.create(Holder.self, value: ["key": 2])
            let member = Member()
            first.members = [member, member]
            #expect(first.members.count == 2 && tx.objects(Member.self).count == 1)
            second.members = first.members
            first.members.removeAll()
            #expect(second.members.count == 2 && first.members.isEmpty)
            let list = List([3, 1, 3])
            first.ints = list
            list.append(4)
            #expect(Array(first.ints) == [3, 1, 3] && list.count == 4)
            let array = [second.members[0]]
            first.members.assign(array)
            first.members.append(objectsIn: array)
            #expect(first.members.count == 2)
        }
    }

    @Test("M13: adding keeps the same list: one taken before follows its object")
    func adoption() async throws {
        try await holderRealm().write { tx in
            let holder = Holder()
            let list = holder.ints
            list.append(1)
            #expect(list.realm == nil && !list.isFrozen && !list.isInvalidated)
            try tx.add(holder)
            list.append(2)
            #expect(Array(holder.ints) == [1, 2] && list.realm != nil)
            #expect(list.isSame(as: holder.ints) && !list.isSame(as: [1, 2]) && list == [1, 2])
        }
    }

    @Test("Q17: changes of a property happen in place, and nothing is written back")
    func inPlace() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            try tx.create(
                Holder.self, value: ["key": 1, "ints": [1, 2, 3, 4], "parts": [["number": 5]]]
            ).freeze()
        }
        var changes = holder.ints.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            let holder = try #require(tx.resolve(holder))
            holder.ints += [5]
            holder.ints.removeAll { $0 == 2 }
            holder.ints[0] += 10
            holder.ints.replaceSubrange(2..<3, with: [])
            let part = holder.parts[0]
            holder.parts += []
            holder.parts.reverse()
            #expect(!part.isInvalidated && Array(holder.ints) == [11, 3, 5])
        }
        guard
            case .update(_, let deletions, let insertions, let modifications)? =
                try await changes.next()
        else {
            Issue.record("no update")
            return
        }
        #expect(deletions == [1, 3] && insertions == [2] && modifications == [0])
    }

    @Test("D15: swapAt is two modifications, a move is a deletion and an insertion")
    func streams() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            try tx.create(Holder.self, value: ["key": 1, "strings": ["a", "b", "c"]]).freeze()
        }
        var changes = holder.strings.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in tx.resolve(holder)?.strings.swapAt(0, 2) }
        guard case .update(let swapped, [], [], [0, 2])? = try await changes.next() else {
            Issue.record("a swap is not two modifications")
            return
        }
        #expect(Array(swapped) == ["c", "b", "a"])
        try await realm.write { tx in tx.resolve(holder)?.strings.move(from: 0, to: 2) }
        guard case .update(let moved, [0], [2], [])? = try await changes.next() else {
            Issue.record("a move is not a deletion and an insertion")
            return
        }
        #expect(Array(moved) == ["b", "a", "c"])
    }

    /// Streams reported elements that had not moved, and assigning a list of embedded objects to
    /// itself failed the write.
    @Test("D15: operations that do not change a list are not reported")
    func nothingMoves() async throws {
        let realm = try await holderRealm()
        let holder = try await realm.write { tx in
            try tx.create(
                Holder.self, value: ["key": 1, "ints": [1, 2, 3], "parts": [["number": 5]]]
            ).freeze()
        }
        var changes = holder.ints.changes().makeAsyncIterator()
        _ = try await changes.next()
        try await realm.write { tx in
            let holder = try #require(tx.resolve(holder))
            holder.ints.swapAt(1, 1)
            holder.ints.move(from: 2, to: 2)
            holder.ints.move(fromOffsets: [0, 1], toOffset: 0)
            holder.ints.assign(holder.ints)
            let part = holder.parts[0]
            holder.parts.assign(holder.parts)
            #expect(!part.isInvalidated && holder.parts.count == 1)
        }
        try await realm.write { tx in tx.resolve(holder)?.ints.append(4) }
        guard case .update(let ints, [], [3], [])? = try await changes.next() else {
            Issue.record("more than the element that was added")
            return
        }
        #expect(Array(ints) == [1, 2, 3, 4])
    }

    @Test("Q17: objects are the same when they stand for the same row")
    func identity() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            holder.members.append(objectsIn: members[0...3] + members[0...3])
            let again = Array(tx.objects(Member.self))
            #expect(again[2] !== members[2])
            #expect(holder.members.index(of: again[2]) == 2)
            #expect(holder.members.firstIndex(of: again[3]) == 3)
            #expect(holder.members.lastIndex(of: again[3]) == 7)
            #expect(holder.members.contains(again[0]) && !holder.members.contains(again[9]))
            #expect(!holder.members.contains(Member()) && holder.members.index(of: Member()) == nil)
            let copy = List(again[0...3] + again[0...3])
            #expect(copy == holder.members && copy.contains(members[1]))
            #expect(Set([copy, holder.members]).count == 1)
            try tx.delete(members[0])
            #expect(!holder.members.contains(members[0]) && holder.members.count == 6)
        }
    }

    @Test("Q17, P3: nil, empty values and zeros are found where they stand")
    func positionsOfValues() async throws {
        let frozen = try await holderRealm().write { tx in
            let managed = try tx.create(Holder.self, value: ["key": 1])
            for holder in [managed, Holder()] {
                let (texts, numbers) = (holder.optionalStrings, holder.optionalInts)
                texts.append(objectsIn: ["", nil, "a", nil])
                #expect(texts.index(of: nil) == 1 && texts.lastIndex(of: nil) == 3)
                #expect(texts.index(of: "") == 0 && texts.contains("a") && !texts.contains("b"))
                numbers.append(objectsIn: [0, nil])
                #expect(numbers.index(of: nil) == 1 && numbers.index(of: 0) == 0)
                #expect(numbers.contains(nil) && !numbers.contains(1))
                holder.datas.append(objectsIn: [Data([1]), Data()])
                #expect(holder.datas.index(of: Data()) == 1)
                holder.doubles.append(objectsIn: [.nan, 0.0, 1])
                #expect(holder.doubles.index(of: -0.0) == 1 && !holder.doubles.contains(.nan))
            }
            return managed.freeze()
        }
        #expect(frozen.optionalStrings.index(of: nil) == 1 && frozen.datas.index(of: Data()) == 1)
        #expect(frozen.optionalStrings.lastIndex(of: nil) == 3)
        #expect(frozen.optionalInts.contains(nil) && !frozen.optionalInts.contains(1))
        #expect(frozen.doubles.index(of: -0.0) == 1 && !frozen.doubles.contains(.nan))
    }

    @Test("P11: lists within values change in place, and are one list")
    func nestedLists() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.anys = [.list([.int(3), .int(1), .int(2)]), .int(4)]
            guard case .list(let inner) = holder.anys[0], case .list(let again) = holder.anys[0]
            else {
                Issue.record("no list")
                return
            }
            inner += [.int(5)]
            inner.move(from: 3, to: 0)
            inner.reverse()
            inner.removeAll { $0 == .int(1) }
            #expect(again == [.int(2), .int(3), .int(5)] && again.isSame(as: inner))
            #expect(again.index(of: .int(5)) == 2 && !again.isInvalidated && again.realm != nil)
            #expect(holder.anys.index(of: .list([.int(2), .int(3), .int(5)])) == 0)
            holder.anys.insert(.none, at: 0)
            again.assign([.int(9)])
            #expect(holder.anys.index(of: .list([.int(9)])) == 1)
            holder.anys.remove(at: 1)
            #expect(inner.isInvalidated && inner.isEmpty)
        }
    }

    @Test("Q17: reading by positions, ranges and names")
    func reading() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            for list in [holder.members, List<Member>()] {
                list.append(objectsIn: try tx.members())
                #expect(list.objects(at: [1, 5]).map(\.number) == [1, 5])
                #expect(list[2..<4].map(\.number) == [2, 3] && list[22...].count == 2)
                #expect(list.first?.number == 0 && list.last?.number == 23)
                #expect(try list.value(forKey: "number").compactMap { $0 as? Int }.max() == 23)
                try list.setValue("same", forKey: "name")
                #expect(Set(list.name) == ["same"])
                #expect(throws: RealmError.self) { try list.value(forKey: "nothing") }
                #expect(throws: RealmError.self) { try list.setValue("x", forKey: "number") }
                #expect(list.dropFirst(20).reversed().map(\.number) == [23, 22, 21, 20])
            }
        }
    }

    @Test("Q17: adding lists makes a new one")
    func sums() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1, "ints": [1, 2]])
            let sum = holder.ints + [3]
            let sums = holder.ints + holder.ints
            #expect(Array(sum) == [1, 2, 3] && Array(sums) == [1, 2, 1, 2])
            #expect(holder.ints.count == 2 && ([0] + holder.ints) == [0, 1, 2])
            #expect((holder.ints + Set([7])).count == 3)
            #expect(List(repeating: 4, count: 2) == [4, 4])
        }
    }

    @Test("Q17: a loop sees the elements that were there, without those deleted meanwhile")
    func loops() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            holder.members.append(objectsIn: try tx.members())
            var seen: [Int] = []
            for member in holder.members {
                seen.append(member.number)
                if member.number == 3 { try tx.delete(holder.members[1]) }
                try tx.delete(member)
            }
            #expect(seen == [0, 1, 2, 3] + Array(5..<24) && holder.members.isEmpty)
            holder.ints = [1, 2, 3]
            for number in holder.ints { holder.ints.append(number) }
            #expect(Array(holder.ints) == [1, 2, 3, 1, 2, 3])
        }
    }

    /// A predicate that deleted what it was asked about made the process end at the position of an
    /// element that had moved.
    @Test("Q17: what decides which elements are removed may change the list")
    func removingMeanwhile() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1])
            let members = try tx.members()
            holder.members.append(objectsIn: members)
            var asked: [Int] = []
            holder.members.removeAll { member in
                asked.append(member.number)
                if member.number == 3 { _ = try? tx.delete(members[5]) }
                guard member.number < 10 else { return false }
                if member.number % 2 == 0 { _ = try? tx.delete(member) }
                return true
            }
            #expect(asked == Array(0..<24).filter { $0 != 5 })
            #expect(holder.members.map(\.number) == Array(10..<24))
            #expect(tx.objects(Member.self).count == 18)
            holder.doubles.append(objectsIn: [1, .nan, 2, 1, .nan, 3])
            holder.doubles.removeAll { $0.isNaN || $0 == 2 }
            #expect(Array(holder.doubles) == [1, 1, 3])
            holder.doubles.removeAll { number in
                if number == 1 { holder.doubles.insert(7, at: 0) }
                return number != 1
            }
            #expect(Array(holder.doubles) == [7, 7, 1, 1])
        }
        #expect(try await realm.verify().isIntact)
    }

    /// Elements were exchanged with positions that were not there any more.
    @Test("Q17: what compares elements for an order may not change the list")
    func changingWhileSorting() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            try tx.create(Holder.self, value: ["key": 1, "ints": [3, 1, 2]])
        }
        await #expect(throws: RealmError.self) {
            try await realm.write { tx in
                let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
                holder.ints.sort { a, b in
                    if holder.ints.count > 1 { holder.ints.removeLast() }
                    return a < b
                }
            }
        }
        let holder = try #require(realm.object(Holder.self, forPrimaryKey: 1))
        #expect(Array(holder.ints) == [3, 1, 2])
    }

    @Test("P15: lists own their objects: what leaves a list is deleted")
    func embedded() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(
                Holder.self, value: ["key": 1, "parts": (0..<6).map { ["number": $0] }])
            let parts = Array(holder.parts)
            holder.parts.sort { $0.number > $1.number }
            holder.parts.swapAt(0, 1)
            holder.parts.move(fromOffsets: [0, 2], toOffset: 6)
            holder.parts.shuffle()
            #expect(!parts.contains { $0.isInvalidated })
            holder.parts.removeAll { $0.number < 2 }
            holder.parts.replaceSubrange(0..<1, with: [Part()])
            holder.parts[1] = Part()
            #expect(parts.filter { $0.isInvalidated }.count == 4 && holder.parts.count == 4)
            holder.parts.assign([])
            #expect(parts.allSatisfy { $0.isInvalidated })
        }
        await #expect(throws: RealmError.self) {
            try await holderRealm().write { tx in
                let holder = try tx.create(
                    Holder.self, value: ["key": 1, "parts": [["number": 1]]])
                holder.parts.append(holder.parts[0])
            }
        }
    }

    @Test("D21: changing a list whose owner was deleted fails the write")
    @MainActor func goneOwner() async throws {
        let realm = try await holderRealm()
        try await realm.write { tx in
            try tx.create(Holder.self, value: ["key": 1, "ints": [1, 2]])
        }
        let live = try await realm.live()
        let holder = try #require(live.object(Holder.self, forPrimaryKey: 1))
        let list = holder.ints
        let (set, map) = (holder.intSet, holder.intMap)
        #expect(list.realm != nil && !list.isInvalidated)
        try await realm.write { tx in try tx.deleteAll(Holder.self) }
        live.refresh()
        #expect(list.isInvalidated && list.realm == nil && Array(list) == [1, 2])
        for change in [
            { list.append(3) }, { list[0] = 7 }, { list.removeAll() }, { list.swapAt(0, 1) },
            { set.insert(3) }, { set.formUnion([4]) }, { map["a"] = 1 }, { map.removeAll() },
        ] {
            await #expect(throws: RealmError.self) { try await live.write { change() } }
        }
        #expect(Array(list) == [1, 2])
    }

    @Test("L3: a list describes its elements, one under the other")
    func descriptions() async throws {
        try await holderRealm().write { tx in
            let holder = try tx.create(Holder.self, value: ["key": 1, "ints": [7, 8]])
            #expect(holder.ints.description == "List<Int> (\n\t[0] 7,\n\t[1] 8\n)")
            #expect(holder.ints.freeze().description == "FrozenList<Int> (\n\t[0] 7,\n\t[1] 8\n)")
            #expect(List<Int>().description == "List<Int> (\n\n)")
            holder.intMap["a"] = 1
            #expect(holder.intMap.description == "Map<String, Int> (\n\t[a] 1\n)")
            holder.stringSet.insert("x")
            #expect(holder.stringSet.description == "MutableSet<String> (\n\t[0] x\n)")
            let part = Part()
            holder.parts.append(part)
            #expect(
                holder.parts.description == "List<Part> (\n\t[0] Part {\n\t\tnumber = 0;\n\t}\n)")
            holder.ints.assign(0..<150)
            #expect(holder.ints.description.hasSuffix("\t... 50 more\n)"))
        }
    }
}
