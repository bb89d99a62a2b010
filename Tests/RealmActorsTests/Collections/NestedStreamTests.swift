import Foundation
import StorageHarness
import Testing

@testable import RealmActors

/// Lists and dictionaries within values freeze, thaw and report their changes like others.
@Suite @MainActor struct NestedStreamTests {
    private func live() async throws -> (LiveRealm, Host) {
        let live = try await freshRealm(hostTypes).live()
        return (live, try await live.write { try live.makeHost(1) })
    }

    @Test("D23: a collection within a value is frozen and thawed by itself")
    func freezing() async throws {
        let (live, host) = try await live()
        let note = try #require(host.note.dictionaryValue)
        let list = try #require(note["list"]?.listValue)
        let inner = try #require(list[1].listValue)
        let (frozenNote, frozenList) = (note.freeze(), list.freeze())
        #expect(frozenNote.keys == ["list", "map"])
        #expect(frozenNote["list"] == .list([.int(1), .list([.string("deep")])]))
        #expect(Array(frozenList) == [.int(1), .list([.string("deep")])])
        #expect(Array(inner.freeze()) == [.string("deep")])
        #expect(frozenList.index(of: .int(1)) == 0 && frozenList.contains(.int(2)) == false)
        try await live.write {
            list.append(2)
            #expect(list.freeze().count == 3)
        }
        #expect(frozenList.count == 2 && list.freeze().count == 3)
        let thawed = try #require(frozenList.thaw(in: live))
        #expect(thawed.isSame(as: list) && thawed.count == 3)
        #expect(frozenNote.thaw(in: live)?.isSame(as: note) == true)
        let inList = try #require(host.notes[1].listValue)
        let inMap = try #require(host.noteMap["list"]?.listValue)
        #expect(Array(inList.freeze()) == [.int(1), .int(2)])
        #expect(Array(inMap.freeze()) == [.int(3), .int(4)])
        try await live.write {
            host.notes.insert(0, at: 0)
            host.note = 1
        }
        #expect(inList.freeze().thaw(in: live)?.count == 2)
        #expect(frozenList.thaw(in: live) == nil && frozenNote.thaw(in: live) == nil)
        #expect(list.freeze().isEmpty && list.isInvalidated)
    }

    @Test("D23: a list within a value reports its changes, and its end")
    func lists() async throws {
        let (live, host) = try await live()
        let note = try #require(host.note.dictionaryValue)
        let list = try #require(note["list"]?.listValue)
        let deep = try #require(list[1].listValue)
        var changes = list.changes().makeAsyncIterator()
        var deepChanges = deep.changes().makeAsyncIterator()
        guard case .initial(let first)? = try await changes.next(),
            case .initial(let deepFirst)? = try await deepChanges.next()
        else {
            Issue.record("no beginning")
            return
        }
        #expect(first.count == 2 && Array(deepFirst) == [.string("deep")])
        try await live.write {
            list.insert("new", at: 0)
            deep.append(5)
        }
        guard case .update(let second, [], [0], [1])? = try await changes.next(),
            case .update(_, [], [1], [])? = try await deepChanges.next()
        else {
            Issue.record("not what was done")
            return
        }
        #expect(second[2] == .list([.string("deep"), .int(5)]))
        try await live.write {
            list.remove(at: 1)
            host.name = "elsewhere"
        }
        guard case .update(_, [1], [], [])? = try await changes.next() else {
            Issue.record("not what was removed")
            return
        }
        try await live.write { host.note = .none }
        guard case .update(let last, [0, 1], [], [])? = try await changes.next(),
            case .update(_, [0, 1], [], [])? = try await deepChanges.next()
        else {
            Issue.record("not the end")
            return
        }
        #expect(last.isEmpty)
        let (after, deepAfter) = (try await changes.next(), try await deepChanges.next())
        #expect(after == nil && deepAfter == nil)
    }

    @Test("D23: a dictionary within a value reports its changes by key, and its end")
    func dictionaries() async throws {
        let (live, host) = try await live()
        let note = try #require(host.note.dictionaryValue)
        let map = try #require(note["map"]?.dictionaryValue)
        var outer = note.changes().makeAsyncIterator()
        var changes = map.changes().makeAsyncIterator()
        _ = try await (outer.next(), changes.next())
        try await live.write {
            map["k"] = 2
            map["n"] = 3
        }
        guard case .update(let now, [], ["n"], ["k"])? = try await changes.next(),
            case .update(_, [], [], ["map"])? = try await outer.next()
        else {
            Issue.record("not what was done")
            return
        }
        #expect(now["k"] == .int(2) && now.count == 2)
        try await live.write { try live.delete(host) }
        guard case .update(_, ["k", "n"], [], [])? = try await changes.next(),
            case .update(_, ["list", "map"], [], [])? = try await outer.next()
        else {
            Issue.record("not the end")
            return
        }
        let (after, outerAfter) = (try await changes.next(), try await outer.next())
        #expect(after == nil && outerAfter == nil)
    }

    /// The process ended, or read what is none: it was taken for the collection of the property.
    @Test("D23: what a stream of a collection within a value ends with is watched and thawed")
    func lastCollections() async throws {
        let (live, host) = try await live()
        let note = try #require(host.note.dictionaryValue)
        let lists = try #require(note["list"]?.listValue).changes().probe()
        let maps = try note.changes().probe()
        try await live.write { host.note = 1 }
        let (listed, mapped) = (try lists.next(), try maps.next())
        let list = try #require(listed?.collection)
        let map = try #require(mapped?.collection)
        #expect(list.isEmpty && map.isEmpty)
        #expect(list.thaw(in: live) == nil && map.thaw(in: live) == nil)
        var again = list.changes().makeAsyncIterator()
        var mapAgain = map.changes().makeAsyncIterator()
        #expect(try await summary(again.next()) == "end")
        let last = try await mapAgain.next()
        #expect(last == nil)
    }

    /// Each commit on objects of the class was a deletion and an insertion of what differs from
    /// itself.
    @Test("N10: NaN is not reported with each commit")
    func noNumbers() async throws {
        let (live, host) = try await live()
        try await live.write {
            host.note = ["list": [.double(.nan), 1], "map": ["k": .double(.nan)]]
        }
        let note = try #require(host.note.dictionaryValue)
        let list = try #require(note["list"]?.listValue).changes().probe()
        let map = try #require(note["map"]?.dictionaryValue).changes().probe()
        try await live.write { host.name = "elsewhere" }
        #expect(try list.nextSummary() == "" && map.nextSummary() == "")
        try await live.write { note["list"]?.listValue?.append(2) }
        #expect(try list.nextSummary() != "")
    }

    /// It was a deletion and an insertion.
    @Test("N22, D15: another element in a list within a value is a modification, a swap two")
    func replacements() async throws {
        let (live, host) = try await live()
        let list = try #require(host.note.dictionaryValue?["list"]?.listValue)
        let probe = try list.changes().probe()
        try await live.write { list[0] = 7 }
        #expect(try probe.nextSummary() == "-[] +[] ~[0]")
        try await live.write { list.append(objectsIn: [2, 3, 4]) }
        #expect(try probe.nextSummary() == "-[] +[2, 3, 4] ~[]")
        try await live.write {
            list[1] = 5
            list.remove(at: 2)
            list.append(6)
        }
        let change = try #require(try probe.next())
        #expect(summary(change) == "-[2] +[4] ~[1]" && change.newModifications == [1])
        #expect(Array(change.collection) == [7, 5, 3, 4, 6])
        try await live.write { list.swapAt(0, 4) }
        #expect(try probe.nextSummary() == "-[] +[] ~[0, 4]")
        try await live.write { list.move(from: 0, to: 2) }
        #expect(try probe.nextSummary() == "-[0] +[2] ~[]")
    }

    /// The stream of the object reported a change of the whole value.
    @Test("D15: operations that do not change a list within a value are not reported")
    func nothingMoves() async throws {
        let (live, host) = try await live()
        let list = try #require(host.note.dictionaryValue?["list"]?.listValue)
        let before = live.freeze()
        try await live.write {
            list.swapAt(1, 1)
            list.move(from: 0, to: 0)
            list.move(fromOffsets: [0], toOffset: 1)
        }
        #expect(live.freeze().version == before.version)
        try await live.write { list.swapAt(0, 1) }
        #expect(live.freeze().version != before.version)
    }

    @Test("N10, N22: the changes of a list within a value lead from each state to the next")
    func exactPositions() async throws {
        let (live, host) = try await live()
        let list = try #require(host.note.dictionaryValue?["list"]?.listValue)
        let probe = try list.changes().probe()
        var generator = SeededGenerator()
        var shown = Array(list.freeze())
        for step in 0..<100 {
            let numbers = (0..<Int.random(in: 0...7, using: &generator)).map { _ in
                AnyRealmValue.int(Int.random(in: 0..<5, using: &generator))
            }
            try await live.write { list.assign(numbers) }
            var replayed = shown
            shown = Array(list.freeze())
            let change = try probe.next()
            if case .update(_, let deletions, let insertions, let modifications)? = change {
                let new = change?.newModifications ?? []
                for (was, now) in zip(modifications, new) { replayed[was] = shown[now] }
                for position in deletions.reversed() { replayed.remove(at: position) }
                for position in insertions { replayed.insert(shown[position], at: position) }
                #expect(modifications == modifications.sorted() && new.count == modifications.count)
            }
            #expect(replayed == shown, "seed \(generator.seed), step \(step)")
        }
    }
}
