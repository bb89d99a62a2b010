import Foundation
import Observation
import Storage
import Testing

@testable import RealmActors

/// Live objects take part in Swift's Observation: a closure is notified when a property that it
/// read changes.
@Suite @MainActor struct ObservationTests {
    private func live() async throws -> (Realm, LiveRealm, Holder) {
        let realm = try await holderRealm()
        let live = try await realm.live()
        let holder = try await live.write {
            let holder = try live.create(
                Holder.self,
                value: [
                    "key": 1, "ints": [1, 2, 3], "strings": ["a"], "intSet": [1, 2],
                    "intMap": ["a": 1],
                ])
            holder.members.append(objectsIn: [Member(), Member()])
            return holder
        }
        return (realm, live, holder)
    }

    @Test("K1: changes of a list notify its owner without a proxy")
    func lists() async throws {
        let (_, live, holder) = try await live()
        let changes: [(String, () -> Void)] = [
            ("append", { holder.ints.append(4) }),
            ("append many", { holder.ints.append(objectsIn: [4, 5]) }),
            ("+=", { holder.ints += [6] }),
            ("insert", { holder.ints.insert(9, at: 0) }),
            ("insert many", { holder.ints.insert(contentsOf: [8, 7], at: 1) }),
            ("set", { holder.ints[1] = 5 }),
            ("set the same", { holder.ints[1] = holder.ints[1] }),
            ("move", { holder.ints.move(from: 0, to: 2) }),
            ("move offsets", { holder.ints.move(fromOffsets: [0], toOffset: 2) }),
            ("swap", { holder.ints.swapAt(0, 2) }),
            ("sort", { holder.ints.sort() }),
            ("remove", { holder.ints.remove(at: 0) }),
            ("remove last", { holder.ints.removeLast() }),
            ("remove offsets", { holder.ints.remove(atOffsets: [0, 1]) }),
            ("remove range", { holder.ints.removeSubrange(0..<1) }),
            ("replace range", { holder.ints.replaceSubrange(0..<1, with: [5, 6]) }),
            ("assign", { holder.ints.assign([1]) }),
            ("assign the property", { holder.ints = [1, 2] }),
            ("remove all", { holder.ints.removeAll() }),
        ]
        for (name, change) in changes {
            let observer = ReadObserver { _ = holder.ints.count }
            let other = ReadObserver { _ = holder.strings.count }
            try await live.write { change() }
            #expect(observer.count == 1 && other.count == 0, "\(name)")
        }
    }

    @Test("K1: changes of sets and maps notify their owner without a proxy")
    func setsAndMaps() async throws {
        let (_, live, holder) = try await live()
        let sets: [(String, () -> Void)] = [
            ("insert", { holder.intSet.insert(7) }),
            ("remove", { holder.intSet.remove(7) }),
            ("union", { holder.intSet.formUnion([8, 9]) }),
            ("intersection", { holder.intSet.formIntersection([8]) }),
            ("assign", { holder.intSet.assign([3]) }),
            ("remove all", { holder.intSet.removeAll() }),
        ]
        for (name, change) in sets {
            let observer = ReadObserver { _ = holder.intSet.contains(1) }
            try await live.write { change() }
            #expect(observer.count == 1, "\(name) of a set")
        }
        let maps: [(String, () -> Void)] = [
            ("set", { holder.intMap["b"] = 2 }),
            ("merge", { holder.intMap.merge(["b": 1]) { $0 + $1 } }),
            ("remove", { holder.intMap.removeObject(for: "b") }),
            ("assign", { holder.intMap = ["x": 1] }),
            ("remove all", { holder.intMap.removeAll() }),
        ]
        for (name, change) in maps {
            let observer = ReadObserver { _ = holder.intMap["a"] }
            try await live.write { change() }
            #expect(observer.count == 1, "\(name) of a map")
        }
    }

    @Test("K1: setting a property to the same value notifies")
    func selfAssignment() async throws {
        let (_, live, holder) = try await live()
        let member = holder.members[0]
        let observer = ReadObserver { _ = member.name }
        let other = ReadObserver { _ = holder.members[1].name }
        try await live.write { member.name = member.name }
        #expect(observer.count == 1 && other.count == 0)
    }

    @Test("K1: what other writers changed notifies when the realm moves, by property")
    func refreshing() async throws {
        let (realm, live, holder) = try await live()
        live.autorefresh = false
        let list = ReadObserver { _ = holder.ints.first }
        let set = ReadObserver { _ = holder.intSet.count }
        let map = ReadObserver { _ = holder.intMap.keys }
        let strings = ReadObserver { _ = holder.strings.count }
        let name = ReadObserver { _ = holder.members[0].name }
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.ints[0] = 7
            holder.intMap["a"] = 9
        }
        #expect(list.count == 0)
        live.refresh()
        #expect(list.count == 1 && map.count == 1)
        #expect(set.count == 0 && strings.count == 0 && name.count == 0)
        try await realm.write { tx in
            let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
            holder.intSet.insert(9)
            holder.strings.append("b")
            holder.strings.removeLast()
            holder.members[0].name = "new"
        }
        live.refresh()
        // The strings are what they were.
        #expect(set.count == 1 && name.count == 1 && strings.count == 0)
    }

    @Test("A list that a checkpoint wrote elsewhere is the same list")
    func checkpoints() async throws {
        try await withFreshRealm(holderTypes) { realm in
            let live = try await realm.live()
            let holder = try await live.write {
                let holder = try live.create(Holder.self, value: ["key": 1])
                holder.ints.append(objectsIn: 0..<500)
                holder.strings.append("a")
                for number in 0..<50 { holder.stringMap["\(number)"] = "x" }
                return holder
            }
            let list = ReadObserver { _ = holder.ints.count }
            let strings = ReadObserver { _ = holder.strings.count }
            let map = ReadObserver { _ = holder.stringMap.count }
            let bools = ReadObserver { _ = holder.bools.count }
            for number in 0..<3 {
                try await realm.compact()
                try await realm.write { tx in
                    tx.object(Holder.self, forPrimaryKey: 1)?.doubles.append(Double(number))
                }
                live.refresh()
            }
            #expect(holder.doubles.count == 3)
            #expect([list, strings, map, bools].map(\.count) == [0, 0, 0, 0])
            try await realm.write { tx in
                tx.object(Holder.self, forPrimaryKey: 1)?.ints[499] = 7
            }
            live.refresh()
            #expect(list.count == 1 && map.count == 0)
        }
    }

    /// Every commit on objects nearby notified who observed one.
    @Test("K1: a value that is not a number stays what it was")
    func notANumber() async throws {
        let (realm, live, holder) = try await live()
        live.autorefresh = false
        let member = holder.members[0]
        try await live.write { member.weight = .nan }
        let observer = ReadObserver { _ = member.weight }
        try await realm.write { tx in
            tx.object(Holder.self, forPrimaryKey: 1)?.members[1].name = "another"
        }
        live.refresh()
        #expect(observer.count == 0 && holder.members[1].name == "another")
        try await realm.write { tx in
            tx.object(Holder.self, forPrimaryKey: 1)?.members[0].weight = 1
        }
        live.refresh()
        #expect(observer.count == 1)
    }

    @Test("K1: cancelWrite and a body that throws notify what they revert")
    func reverts() async throws {
        let (_, live, holder) = try await live()
        let member = holder.members[0]
        try await live.beginWrite()
        holder.ints.append(4)
        member.name = "changed"
        let list = ReadObserver { _ = holder.ints.count }
        let name = ReadObserver { _ = member.name }
        let untouched = ReadObserver { _ = holder.strings.count }
        live.cancelWrite()
        #expect(list.count == 1 && name.count == 1 && untouched.count == 0)
        #expect(holder.ints.count == 3 && member.name == "")

        var observers: [ReadObserver] = []
        await #expect(throws: RealmError.self) {
            try await live.write {
                holder.intSet.insert(9)
                observers.append(ReadObserver { _ = holder.intSet.count })
                throw RealmError.closed
            }
        }
        #expect(observers.map(\.count) == [1] && holder.intSet.count == 2)
        let after = ReadObserver { _ = holder.ints.count }
        try await live.write { holder.ints.append(1) }
        #expect(after.count == 1)
    }

    /// A property that was tracked again in response to a change was forgotten.
    @Test("K1: a property that is tracked again in response to a change notifies of the next one")
    func trackedAgain() async throws {
        let (realm, live, holder) = try await live()
        live.autorefresh = false
        let member = holder.members[0]
        let names = Retelling { _ = member.name }
        let lists = Retelling { _ = holder.ints.count }
        for round in 1...4 {
            let before = (names.count, lists.count)
            if round % 2 == 0 {
                try await live.write {
                    member.name = "\(round)"
                    holder.ints.append(round)
                }
                // Once in the write, and once when the realm shows what is durable.
                #expect(names.count > before.0 && lists.count > before.1)
            } else {
                try await realm.write { tx in
                    let holder = try #require(tx.object(Holder.self, forPrimaryKey: 1))
                    holder.members[0].name = "\(round)"
                    holder.ints.append(round)
                }
                live.refresh()
                #expect(names.count == before.0 + 1 && lists.count == before.1 + 1)
            }
        }
        try await live.beginWrite()
        member.name = "given up"
        var before = names.count
        live.cancelWrite()
        #expect(names.count == before + 1)
        before = names.count
        live.invalidate()
        #expect(names.count == before + 1)
    }

    /// Tracks what `read` reads, and tracks it again whenever it is about to change.
    @MainActor
    private final class Retelling {
        private(set) var count = 0
        private let read: () -> Void

        init(_ read: @escaping () -> Void) {
            self.read = read
            track()
        }

        private func track() {
            withObservationTracking {
                read()
            } onChange: { [weak self] in
                MainActor.assumeIsolated {
                    self?.count += 1
                    self?.track()
                }
            }
        }
    }

    @Test("K1: deletion and invalidation notify isInvalidated and the properties")
    func invalidation() async throws {
        let (realm, live, holder) = try await live()
        let member = holder.members[0]
        let invalidated = ReadObserver { _ = member.isInvalidated }
        let name = ReadObserver { _ = member.name }
        let list = ReadObserver { _ = holder.members.count }
        let kept = ReadObserver { _ = holder.isInvalidated }
        try await realm.write { tx in
            try tx.delete(try #require(tx.object(Holder.self, forPrimaryKey: 1)).members[0])
        }
        live.refresh()
        #expect(invalidated.count == 1 && name.count == 1 && list.count == 1 && kept.count == 0)
        #expect(member.isInvalidated)
        let key = ReadObserver { _ = holder.key }
        live.invalidate()
        #expect(kept.count == 1 && key.count == 1 && holder.isInvalidated)
    }

    @Test("K1: an inverse property notifies when links come or go")
    func inverses() async throws {
        let (realm, live, holder) = try await live()
        let inverse = ReadObserver { _ = holder.rosters.count }
        let list = ReadObserver { _ = holder.ints.count }
        try await live.write {
            try live.create(Roster.self, value: ["key": 1]).members.append(holder)
        }
        #expect(inverse.count == 1 && list.count == 0)
        let again = ReadObserver { _ = holder.rosters.first }
        try await realm.write { tx in
            tx.object(Roster.self, forPrimaryKey: 1)?.members.removeAll()
        }
        live.refresh()
        #expect(again.count == 1 && list.count == 0 && holder.rosters.isEmpty)
        let unrelated = ReadObserver { _ = holder.rosters.count }
        try await live.write { holder.ints.append(1) }
        #expect(unrelated.count == 0 && list.count == 1)
    }

    @Test("K2: an unmanaged object takes no part, and may be added while it is read")
    func unmanaged() async throws {
        let (_, live, _) = try await live()
        let member = Member()
        let observer = ReadObserver { _ = member.name }
        member.name = "a"
        try await live.write { try live.add(member) }
        let managed = ReadObserver { _ = member.name }
        try await live.write { member.name = "b" }
        #expect(observer.count == 0 && managed.count == 1)
    }

    @Test("K3: Observations delivers values after they have changed")
    func observations() async throws {
        guard #available(macOS 26, iOS 26, *) else { return }
        let (realm, live, holder) = try await live()
        let counts = Observations { holder.ints.count }
        let (started, start) = AsyncStream<Int>.makeStream()
        let task = Task {
            var seen: [Int] = []
            for await count in counts {
                seen.append(count)
                start.yield(count)
                if count == 5 { break }
            }
            return seen
        }
        var values = started.makeAsyncIterator()
        #expect(await values.next() == 3)
        try await live.write { holder.ints.append(4) }
        while let value = await values.next(), value != 4 {}
        try await realm.write { tx in
            tx.object(Holder.self, forPrimaryKey: 1)?.ints.append(5)
        }
        live.refresh()
        let seen = await task.value
        #expect(seen.first == 3 && seen.last == 5 && seen == seen.sorted())
    }

    /// Properties of ended trackers that had not changed were compared indefinitely.
    @Test func whatNobodyTracksAnyMoreIsForgotten() async throws {
        let (realm, live, _) = try await live()
        let members = live.objects(Member.self)
        try await live.write { for _ in 0..<4_000 { _ = try live.create(Member.self) } }
        let observation = try #require(live.context.observation)
        // One that stays, with more properties than are ever forgotten at once.
        let lasting = ReadObserver { for member in members.prefix(1_500) { _ = member.number } }
        let others = Array(members.suffix(2_400))
        for start in stride(from: 0, to: others.count, by: 100) {
            let some = others[start..<start + 100]
            let observers = some.map { member in ReadObserver { _ = (member.name, member.number) } }
            try await live.write { for member in some { member.name = "another" } }
            #expect(observers.allSatisfy { $0.count == 1 })
        }
        #expect((1_500..<3_600).contains(observation.observedCount))
        #expect(lasting.count == 0)
        try await realm.write { tx in
            for member in tx.objects(Member.self).prefix(1) { member.number += 1 }
        }
        live.refresh()
        #expect(lasting.count == 1)
    }
}
