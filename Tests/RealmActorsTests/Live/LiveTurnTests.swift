import Foundation
import Observation
import Storage
import Synchronization
import Testing

@testable import RealmActors

/// Whose turn it is to write on a live realm, and which version it shows meanwhile.
@Suite @MainActor struct LiveTurnTests {
    /// Eight of ten writes that were asked for at once threw `alreadyWriting`, although none was
    /// open: the first one was waiting for its turn.
    @Test func writesThatAreAskedForAtOnceRunOneAfterAnother() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            var order: [Int] = []
            let writes = (0..<10).map { number in
                Task { @MainActor in
                    try await live.write {
                        order.append(number)
                        try live.create(Mark.self, value: ["number": number])
                    }
                }
            }
            for write in writes { _ = try await write.value }
            #expect(order == Array(0..<10))
            #expect(realm.objects(Mark.self).values(of: \.number) == Array(0..<10))
        }
    }

    @Test func aBeginWaitsForTheWriteThatWasAskedForBefore() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            let other = try await realm.live()
            try await other.beginWrite()
            let first = Task { @MainActor in
                try await live.write { _ = try live.create(Mark.self, value: ["number": 1]) }
            }
            let second = Task { @MainActor in
                try await live.beginWrite()
                let seen = live.objects(Mark.self).map { $0.number }
                try await live.commitWrite()
                return seen
            }
            while realm.store.writer.turns.waiterCount < 2 { await Task.yield() }
            try await other.commitWrite()
            try await first.value
            #expect(try await second.value == [1])
        }
    }

    /// The write waited for a version that only the realm itself held, and which it was about to
    /// leave.
    @Test func theVersionThatTheRealmLeavesDoesNotCountAgainstItsWrite() async throws {
        try await withFreshRealm([Mark.self]) {
            $0.maximumNumberOfActiveVersions = 1
        } _: { realm in
            let live = try await realm.live()
            live.autorefresh = false
            for number in 0..<5 {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
                try await live.write { live.objects(Mark.self).last?.weight = number }
                try await live.beginWrite()
                try await live.commitWrite()
            }
            #expect(realm.objects(Mark.self).values(of: \.weight) == Array(0..<5))
        }
    }

    /// The writes before it wait for the version that it shows, which only it can leave.
    @Test("D9: a live realm whose write waits for a version advances for the writes before it")
    func aLiveRealmThatWaitsAdvancesForTheWritesBeforeIt() async throws {
        try await withOneActiveVersion([Mark.self]) { realm in
            let live = try await realm.live()
            live.autorefresh = false
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 0]) }
            var writes: [Task<Void, any Error>] = []
            for number in 1...3 {
                writes.append(
                    Task {
                        try await realm.write { tx in
                            _ = try tx.create(Mark.self, value: ["number": number])
                        }
                    })
                while realm.store.pinner.waiterCount < number { await Task.yield() }
            }
            let last = Task { @MainActor in
                try await live.write {
                    let seen = live.objects(Mark.self).count
                    _ = try live.create(Mark.self, value: ["number": 4])
                    return seen
                }
            }
            for write in writes { try await write.value }
            #expect(try await last.value == 4)
            #expect(realm.store.pinner.waiterCount == 0)
        }
    }

    /// It took the turn after each newer version, and the writer lease from other processes.
    @Test("D9: a live realm whose write waits for a version advances without the turn")
    func aLiveRealmThatWaitsAdvancesWithoutTheTurn() async throws {
        try await withOneActiveVersion([Mark.self]) { realm in
            let (store, turns) = (realm.store, realm.store.writer.turns)
            let live = try await realm.live()
            live.autorefresh = false
            var held: [Snapshot] = [realm.snapshot()]
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            let waiting = Task { @MainActor in
                try await live.write { live.objects(Mark.self).count }
            }
            while store.pinner.waitCount == 0 { await Task.yield() }
            // A newer version, by a write that keeps the turn.
            let engine = try await store.open.takeTurn("a test", author: nil)
            try engine.beginBody()
            let context = LiveContext(writingIn: store, engine, store.models)
            _ = try WriteTransaction(context).create(Mark.self, value: ["number": 2])
            var outcome = Result<Void, any Error>.success(())
            let commit = context.endBody(&outcome, author: nil, silenced: nil)
            engine.endBody(commit, waiter: .nobody)
            await store.open.drain()
            while live.isBehind, turns.waiterCount == 0 { await Task.yield() }
            #expect(!live.isBehind && turns.waiterCount == 0)
            store.releaseTurn()
            held.removeAll()
            #expect(try await waiting.value == 2)
            #expect(store.pinner.waiterCount == 0)
        }
    }

    /// Another thread releases the realm last, while the actor reads what it has written.
    @Test func aRealmDroppedElsewhereRollsBackOnItsActor() async throws {
        // Safe: whoever sets it has a moment in which nobody else looks.
        final class Handle: @unchecked Sendable {
            var live: LiveRealm?
        }
        try await withFreshRealm([Mark.self]) { realm in
            let box = Handle()
            box.live = try await realm.live()
            try await box.live?.beginWrite()
            let mark = try #require(
                try box.live?.create(Mark.self, value: ["number": 7, "weight": 3]))
            let dropped = SharedFlag()
            Thread {
                box.live = nil
                dropped.set()
            }.start()
            dropped.block()
            #expect(!mark.isInvalidated && mark.number == 7 && mark.weight == 3)
            try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 2]) }
            #expect(mark.isInvalidated)
            #expect(realm.objects(Mark.self).values(of: \.number) == [2])
        }
    }

    private final class SharedFlag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .acquiring) }
        func set() { value.store(true, ordering: .releasing) }
        /// Keeps the thread, and so the actor, until it is set.
        func block() { while !isSet { Thread.sleep(forTimeInterval: 0.001) } }
    }

    /// After `invalidate()` the realm was empty until something else moved it.
    @Test("D22: an invalidated realm shows the newest version when it is asked again")
    func anInvalidatedRealmShowsTheNewestVersionWhenItIsAskedAgain() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            live.autorefresh = false
            let old = try await live.write {
                try live.create(Mark.self, value: ["number": 1, "weight": 1])
            }
            let oldResults = live.objects(Mark.self)
            #expect(oldResults.count == 1)
            live.invalidate()
            try await realm.write { tx in
                tx.object(Mark.self, forPrimaryKey: 1)?.weight = 2
                _ = try tx.create(Mark.self, value: ["number": 2])
            }
            #expect(live.objects(Mark.self).count == 2)
            #expect(live.object(Mark.self, forPrimaryKey: 1)?.weight == 2)
            #expect(old.isInvalidated && old.weight == 1)
            #expect(oldResults.isInvalidated && oldResults.isEmpty)
            live.invalidate()
            #expect(live.resolve(old.reference)?.weight == 2)
            live.invalidate()
            try await live.write { try live.deleteAll() }
            #expect(live.objects(Mark.self).isEmpty && realm.objects(Mark.self).isEmpty)
            await #expect(throws: RealmError.self) { try await live.write { old.weight = 3 } }
        }
    }

    /// It moved to its newest version, where the other realm's version had a higher number.
    @Test("D4: an object of another realm does not move a live realm")
    func anObjectOfAnotherRealmDoesNotMoveALiveRealm() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            try await withFreshRealm([Mark.self]) { other in
                let live = try await realm.live()
                live.autorefresh = false
                let shown = live.freeze().version
                try await realm.write { tx in _ = try tx.create(Mark.self) }
                for number in 0..<5 {
                    try await other.write { tx in
                        _ = try tx.create(Mark.self, value: ["number": number])
                    }
                }
                let mark = try #require(other.objects(Mark.self).first)
                #expect(live.resolve(mark) == nil && mark.thaw(in: live) == nil)
                #expect(live.resolve(mark.reference) == nil)
                #expect(live.isBehind && live.freeze().version == shown)
            }
        }
    }

    /// An observer that was notified of the rollback ended the write once more; the rest of the
    /// first rollback then ran without the turn.
    @Test func anObserverCannotEndAWriteThatIsEnding() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            let mark = try await live.write { try live.create(Mark.self, value: ["number": 1]) }
            for cancels in [true, false] {
                try await live.beginWrite()
                mark.weight = 5
                let observer = watch(mark) {
                    live.cancelWrite()
                    live.refresh()
                }
                if cancels {
                    live.cancelWrite()
                } else {
                    live.invalidate()
                }
                #expect(observer.count == 1)
                #expect(!live.isInWriteTransaction)
                // The turn is free exactly once.
                try await realm.write { tx in
                    tx.object(Mark.self, forPrimaryKey: 1)?.weight += 1
                }
                #expect(realm.store.writer.turns.waiterCount == 0)
                #expect(realm.store.writer.turns.tryTake("a test"))
                #expect(!realm.store.writer.turns.tryTake("another"))
                realm.store.releaseTurn()
                live.refresh()
                if mark.isInvalidated { break }
            }
        }
    }

    /// An observer that asked for a newer version while the realm moved saw it go back.
    @Test func anObserverCannotMoveARealmThatIsMoving() async throws {
        try await withFreshRealm([Mark.self]) { realm in
            let live = try await realm.live()
            live.autorefresh = false
            let mark = try await live.write { try live.create(Mark.self, value: ["number": 1]) }
            for leaves in [false, true] {
                let observer = watch(mark) {
                    #expect(!live.refresh())
                    if leaves { live.invalidate() }
                }
                try await realm.write { tx in
                    tx.object(Mark.self, forPrimaryKey: 1)?.weight += 1
                }
                live.refresh()
                #expect(observer.count == 1)
                #expect(mark.isInvalidated == leaves)
                #expect(live.object(Mark.self, forPrimaryKey: 1)?.weight == (leaves ? 2 : 1))
            }
        }
    }

    /// Tracks `weight` once, and calls `body` when it is about to change.
    private func watch(_ mark: Mark, _ body: @escaping () -> Void) -> Observer {
        let observer = Observer(body)
        withObservationTracking {
            _ = mark.weight
        } onChange: {
            MainActor.assumeIsolated { observer.tell() }
        }
        return observer
    }

    @MainActor
    private final class Observer {
        private let body: () -> Void
        private(set) var count = 0
        init(_ body: @escaping () -> Void) { self.body = body }
        func tell() {
            count += 1
            body()
        }
    }
}
