import Foundation
import Observation
import RealmActors
import Testing

/// Actions of observers in response to a notification.
@Suite @MainActor struct ObserverWriteTests {
    /// The collection was changed without a write, which ended the process.
    @Test("K1, T3: an observer may cancel the write that it is notified of")
    func cancelling() async throws {
        let live = try await holderRealm().live()
        let holder = try await live.write {
            try live.create(Holder.self, value: ["key": 1, "ints": [1], "intMap": ["a": 1]])
        }
        _ = Answer(to: { _ = holder.ints.count }) { live.cancelWrite() }
        try await live.write { holder.ints.append(2) }
        _ = Answer(to: { _ = holder.intMap.count }) { live.cancelWrite() }
        try await live.write { holder.intMap["a"] = 2 }
        #expect(Array(holder.ints) == [1] && holder.intMap["a"] == 1)
        try await live.write { holder.ints.append(3) }
        #expect(Array(holder.ints) == [1, 3])
    }

    /// The assignment was lost without a word.
    @Test("K1, D21: an assignment fails the write when an observer of it deletes the object")
    func deleting() async throws {
        let live = try await holderRealm().live()
        let member = try await live.write { try live.create(Member.self) }
        _ = Answer(to: { _ = member.name }) { _ = try? live.delete(member) }
        await #expect(throws: RealmError.self) { try await live.write { member.name = "a" } }
        #expect(member.isInvalidated && live.objects(Member.self).map(\.name) == [""])
    }

    /// The change was recorded for positions that were not there, and embedded objects were deleted
    /// by them.
    @Test("K1, D21: a change of positions that an observer of it has removed fails the write")
    func shortening() async throws {
        let realm = try await holderRealm()
        let live = try await realm.live()
        let parts: [[String: Any]] = [["number": 1], ["number": 2], ["number": 3]]
        let holder = try await live.write {
            try live.create(Holder.self, value: ["key": 1, "parts": parts])
        }
        let changes: [() -> Void] = [
            { holder.parts[2] = Part() }, { holder.parts.insert(Part(), at: 2) },
            { holder.parts.removeLast() }, { holder.parts.remove(atOffsets: [0, 2]) },
            { holder.parts.replaceSubrange(1..<3, with: []) }, { holder.parts.swapAt(0, 2) },
            { holder.parts.move(from: 0, to: 2) }, { holder.parts.reverse() },
        ]
        for (number, change) in changes.enumerated() {
            _ = Answer(to: { _ = holder.parts.count }) { holder.parts.removeSubrange(1..<3) }
            await #expect(throws: RealmError.self, "change \(number)") {
                try await live.write { change() }
            }
            #expect(holder.parts.map(\.number) == [1, 2, 3], "change \(number)")
        }
        #expect(try await realm.verify().isIntact)
    }

    @Test("K1: an observer may write, also to the object that it is notified of")
    func writing() async throws {
        let live = try await holderRealm().live()
        let member = try await live.write { try live.create(Member.self) }
        _ = Answer(to: { _ = member.name }) {
            for _ in 0..<300 { _ = try? live.create(Member.self) }
            member.number = 7
        }
        try await live.write { member.name = "a" }
        #expect(member.name == "a" && member.number == 7)
        #expect(live.objects(Member.self).count == 301)
    }
}

/// Does something once, when what a closure read is about to change.
@MainActor private final class Answer {
    private let answer: () -> Void

    init(to read: () -> Void, _ answer: @escaping () -> Void) {
        self.answer = answer
        withObservationTracking(read) { [self] in
            MainActor.assumeIsolated { self.answer() }
        }
    }
}
