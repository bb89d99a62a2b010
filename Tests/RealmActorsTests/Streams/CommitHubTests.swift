import Dispatch
import Storage
import Synchronization
import Testing

@testable import RealmActors

/// A producer whose elements are the rows that were touched in class 0.
private struct TouchedRows: ChangeProducer {
    var watched: Set<ClassID> { [ClassID(0)] }
    var limit = Int.max

    mutating func begin(at moment: UInt64) -> StreamBeginning { .nothing }

    mutating func produce(
        _ marks: MergedMarks, at moment: UInt64
    ) throws(RealmError) -> ProducerResult<[Int64]> {
        if marks.isEverything { return .element([-1]) }
        let rows = marks.classes[ClassID(0)]?.touched.keys.map(\.rawValue).sorted() ?? []
        if rows.isEmpty { return .nothing }
        limit -= 1
        return limit == 0 ? .last(rows) : .element(rows)
    }
}

private func commit(_ version: UInt64, touching rows: Range<Int64>, of id: Int = 0) -> ChangeSet {
    let touched = Dictionary(
        uniqueKeysWithValues: rows.map { (RowKey($0), ColumnSet([ColumnID(0)])) })
    return ChangeSet(
        version: Version(version), author: nil,
        classes: [ClassID(id): ClassChanges(created: [], deleted: [], touched: touched)])
}

@Suite struct CommitHubTests {
    private let hub = CommitHub<UInt64>(latest: { 0 }, at: { $0.version.rawValue })

    private func subscribe(
        limit: Int = .max, buffering: ChangeBuffering = .latest
    ) -> ChangeStreamSubscription<TouchedRows> {
        ChangeStreamSubscription(
            hub: hub, producer: TouchedRows(limit: limit), token: ChangeStreamToken(hub.id),
            buffering: buffering)
    }

    /// The version of a commit that was encoded before the subscription began was not kept: it
    /// comes together with the next one that was, or with the last of those published with it.
    @Test func commitsOfWhichNoVersionWasKeptAreOneElementOfEveryVersion() async throws {
        let subscription = subscribe(buffering: .everyVersion(bufferLimit: 3))
        hub.publish([commit(1, touching: 0..<1), commit(2, touching: 5..<7)]) {}
        hub.publish([commit(3, touching: 9..<10), commit(4, touching: 1..<2, of: 1)]) {}
        hub.publish([commit(5, touching: 6..<8)]) {}
        hub.publish([commit(6, touching: 1..<2)]) {}
        var received: [[Int64]] = []
        for _ in 0..<3 { received += [try await subscription.storage.next() ?? []] }
        #expect(received == [[0, 5, 6], [9], [6, 7]])
        await #expect(throws: RealmError.streamOverflow(bufferLimit: 3)) {
            try await subscription.storage.next()
        }
        #expect(hub.count == 0)
    }

    @Test func onlyClassesWatchedInEveryVersionArePublishedSeparately() {
        func isSeen(_ id: Int) -> Bool { hub.deliversEveryVersion { [ClassID(id)] } }
        let latest = subscribe()
        #expect(!isSeen(0))
        var exact: [ChangeStreamSubscription<TouchedRows>] = []
        for _ in 0..<2 { exact.append(subscribe(buffering: .everyVersion(bufferLimit: 1))) }
        #expect(isSeen(0) && !isSeen(1))
        exact.removeLast()
        #expect(isSeen(0))
        exact.removeLast()
        #expect(!isSeen(0) && hub.count == 1)
        withExtendedLifetime(latest) {}
    }

    @Test func commitsWhileNobodyAsksAreOneElement() async throws {
        let subscription = subscribe()
        hub.publish([commit(1, touching: 0..<1), commit(2, touching: 5..<7)]) {}
        hub.publish([commit(3, touching: 6..<8)]) {}
        let rows = try await subscription.storage.next()
        #expect(rows == [0, 5, 6, 7])
    }

    @Test func aWaitingConsumerIsWoken() async throws {
        let subscription = subscribe()
        async let rows = subscription.storage.next()
        await Task.yield()
        hub.publish([commit(1, touching: 2..<3, of: 1)]) {}
        hub.publish([commit(2, touching: 3..<4)]) {}
        let woken = try await rows
        #expect(woken == [3])
    }

    @Test func droppingTheIteratorUnsubscribesAtOnce() {
        var subscription: ChangeStreamSubscription<TouchedRows>? = subscribe()
        #expect(hub.count == 1 && subscription != nil)
        subscription = nil
        #expect(hub.count == 0)
    }

    @Test func cancellingTheTaskUnsubscribesAtOnce() async throws {
        let subscription = subscribe()
        let waiting = Task { try await subscription.storage.next() }
        await Task.yield()
        waiting.cancel()
        let rows = try await waiting.value
        #expect(rows == nil)
        #expect(hub.count == 0)
    }

    @Test func theLastElementEndsTheStream() async throws {
        let subscription = subscribe(limit: 1)
        hub.publish([commit(1, touching: 1..<2)]) {}
        let rows = try await subscription.storage.next()
        let end = try await subscription.storage.next()
        #expect(rows == [1] && end == nil && hub.count == 0)
    }

    @Test func aFailureIsThrownOnceAndClosingEnds() async throws {
        let failing = subscribe()
        hub.end(.durabilityLost(cause: "test"))
        await #expect(throws: RealmError.self) { try await failing.storage.next() }
        let end = try await failing.storage.next()
        #expect(end == nil)
        let late = subscribe()
        await #expect(throws: RealmError.self) { try await late.storage.next() }
        hub.restart { Version(1) }
        let closing = subscribe()
        hub.end(nil)
        let closed = try await closing.storage.next()
        #expect(closed == nil && hub.count == 0)
    }

    @Test func marksOfASleepingSubscriberAreBounded() async throws {
        let subscription = subscribe()
        // Writing few rows over and over stays exact, however often.
        for version in 0..<5_000 {
            let row = Int64(version % 10)
            hub.publish([commit(UInt64(version), touching: row..<row + 1)]) {}
        }
        let exact = try await subscription.storage.next()
        #expect(exact == Array(0..<10))
        // Past the bound the stream only knows that anything may have changed.
        hub.publish([commit(9_000, touching: 0..<Int64(PendingMarks.rowLimit + 1))]) {}
        let anything = try await subscription.storage.next()
        #expect(anything == [-1])
    }

    /// Resuming a task takes the lock of its status, and cancelling a task unsubscribes under that
    /// lock: with the hub's lock held around a waking, the two waited for each other for ever.
    @Test func consumersAreWokenWithoutTheHubsLock() {
        let hub = hub
        let waker = Waker { hub.count }
        _ = hub.subscribe(waker)
        hub.publish([commit(1, touching: 0..<1)]) {}
        #expect(waker.seen.withLock { $0 } == [1])
    }

    /// What a commit of 200,000 rows changed was worked out under the hub's lock: the main actor
    /// waited for 108 ms to make an iterator.
    @Test func changesAreWorkedOutWithoutTheHubsLock() async throws {
        let hub = hub
        let first = subscribe()
        // A subscriber added meanwhile is notified, although none had watched its class before.
        let later = Mutex<ChangeStreamSubscription<TouchedRows>?>(nil)
        let large = LargeCommit(commit(1, touching: 0..<3)) {
            let subscription = ChangeStreamSubscription(
                hub: hub, producer: TouchedRows(), token: ChangeStreamToken(hub.id))
            later.withLock { $0 = subscription }
        }
        let unwatched = LargeCommit(commit(2, touching: 0..<1, of: 7)) {
            Issue.record("Nobody watches it")
        }
        hub.publish([large, unwatched]) {}
        let received = try await first.storage.next()
        let second = try #require(later.withLock { $0 })
        let receivedLater = try await second.storage.next()
        #expect(received == [0, 1, 2] && receivedLater == [0, 1, 2])
    }

    /// A stream does not retain its store, which may be deallocated before it has reported its end.
    @Test func withoutAStoreStreamsEnd() async throws {
        let latest = Mutex<UInt64?>(1)
        let hub = CommitHub<UInt64>(latest: { latest.withLock { $0 } }, at: { _ in nil })
        func subscribe(
            _ buffering: ChangeBuffering
        ) -> ChangeStreamSubscription<TouchedRows> {
            ChangeStreamSubscription(
                hub: hub, producer: TouchedRows(), token: ChangeStreamToken(hub.id),
                buffering: buffering)
        }
        let coalescing = subscribe(.latest)
        let exact = subscribe(.everyVersion(bufferLimit: 2))
        hub.publish([commit(1, touching: 0..<1)]) {}
        latest.withLock { $0 = nil }
        hub.publish([commit(2, touching: 1..<2)]) {}
        let (end, late) = (try await coalescing.storage.next(), subscribe(.latest))
        let lateEnd = try await late.storage.next()
        #expect(end == nil && lateEnd == nil)
        hub.end(nil)
        while try await exact.storage.next() != nil {}
        #expect(hub.count == 0)
    }

    @Test func cancellingWhileCommitsArePublishedNeverBlocks() async throws {
        let hub = hub
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for version in 1...20_000 {
                    hub.publish([commit(UInt64(version), touching: 0..<1)]) {}
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<2_000 {
                        let subscription = ChangeStreamSubscription(
                            hub: hub, producer: TouchedRows(), token: ChangeStreamToken(hub.id))
                        let waiting = Task {
                            while try await subscription.storage.next() != nil {}
                        }
                        await Task.yield()
                        waiting.cancel()
                        try await waiting.value
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(hub.count == 0)
    }

    @Test func publishingAndTakingMomentsExcludeEachOther() async {
        let latest = LatestVersion()
        let hub = CommitHub<UInt64>(
            latest: { latest.version.withLock { $0 } }, at: { $0.version.rawValue })
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for version in 1...2_000 {
                    hub.publish([commit(UInt64(version), touching: 0..<1)]) {
                        latest.version.withLock { $0 = UInt64(version) }
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<2_000 {
                        let subscriber = LatestVersion()
                        let start = hub.subscribe(subscriber)
                        let captured = hub.capture { _ in subscriber.version.withLock { $0 } }
                        let newest = max(start ?? .max, captured?.taken ?? .max)
                        #expect(captured?.moment == newest)
                        hub.unsubscribe(subscriber)
                    }
                }
            }
        }
        #expect(hub.count == 0)
    }
}

/// A commit whose changes are worked out by a thread that does something else first, for which the
/// publisher waits, but not for ever.
private struct LargeCommit: PublishedCommit {
    let changes: ChangeSet
    let work: @Sendable () -> Void

    init(_ changes: ChangeSet, _ work: @escaping @Sendable () -> Void) {
        self.changes = changes
        self.work = work
    }

    var version: Version { changes.version }
    var touchedClasses: [ClassID] { changes.touchedClasses }
    var root: SnapshotRoot? { nil }
    var silenced: Set<ChangeStreamToken> { [] }

    func changeSet() -> ChangeSet {
        let done = DispatchSemaphore(value: 0)
        Platform.runOnThread {
            work()
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 60) == .success, "The hub's lock is held")
        return changes
    }
}

/// Records the newest version that it was notified of.
private final class LatestVersion: CommitSubscriber {
    let version = Mutex<UInt64>(0)
    let interest = CommitInterest.everything

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        version.withLock { $0 = changes.version.rawValue }
        return nil
    }

    func ended(_ error: RealmError?) {}
}

/// Calls the hub when it is woken.
private final class Waker: CommitSubscriber {
    let seen = Mutex<[Int]>([])
    let interest = CommitInterest.everything
    private let look: @Sendable () -> Int

    init(_ look: @escaping @Sendable () -> Int) { self.look = look }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        { [self] in
            let count = look()
            seen.withLock { $0.append(count) }
        }
    }

    func ended(_ error: RealmError?) {}
}
