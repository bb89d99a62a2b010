import Storage
import Synchronization
import Testing

@testable import RealmActors

/// What streams that sleep share of the commits that they have to read.
@Suite struct SharedFoldTests {
    private let dogs = ClassID(0)
    private let owners = ClassID(1)

    /// A commit that touches rows of the dogs, and one of the owners.
    private func commit(_ number: UInt64, rows: Range<Int64>, column: Int) -> ChangeSet {
        let columns = ColumnSet([ColumnID(column)])
        let touched = Dictionary(uniqueKeysWithValues: rows.map { (RowKey($0), columns) })
        return ChangeSet(
            version: Version(number), author: nil,
            classes: [
                dogs: ClassChanges(created: [], deleted: [], touched: touched),
                owners: ClassChanges(
                    created: [], deleted: [], touched: [RowKey(Int64(number)): columns]),
            ])
    }

    /// Tells a dictionary from a copy that has memory of its own.
    private func storage(_ marks: PendingMarks) -> Int? {
        let touched = marks.merged().classes[dogs]?.touched
        // Unsafe: a dictionary is one reference, which is only compared.
        return touched.map { unsafeBitCast($0, to: Int.self) }
    }

    /// Each of 1,000 streams that slept added every commit to a set of its own, while the hub's
    /// lock was held.
    @Test func streamsThatSleepEquallyLongShareOneSet() {
        let folds = SharedFolds()
        var pending = Array(repeating: PendingMarks(), count: 50)
        let commits = (0..<5).map { commit($0, rows: 0..<3_000, column: Int($0) % 3) }
        for changes in commits {
            for index in pending.indices {
                _ = pending[index].note(changes, watched: [dogs], sharing: folds)
            }
            #expect(folds.count == 1)
            folds.forget()
        }
        #expect(folds.count == 0)
        #expect(Set(pending.map(storage)).count == 1)
        let merged = pending[0].merged()
        #expect(merged.weight == 3_000 && !merged.touches(owners))
        #expect(
            merged.columns(of: RowKey(2_999), in: dogs)
                == ColumnSet([ColumnID(0), ColumnID(1), ColumnID(2)]))
    }

    /// What is shared is what a stream has noted, and nothing that came before it or that it does
    /// not watch.
    @Test func streamsWithOtherCommitsOrClassesKeepTheirOwn() {
        let folds = SharedFolds()
        var pending = Array(repeating: PendingMarks(), count: 4)
        for number in 0..<6 as Range<UInt64> {
            let first = Int64(number) * 2_000
            let changes = commit(number, rows: first..<first + 2_000, column: 0)
            // One begins with each of the first commits; the last watches another class as well.
            for index in pending.indices where index <= number {
                let watched: Set<ClassID> = index == 3 ? [dogs, owners] : [dogs]
                _ = pending[index].note(changes, watched: watched, sharing: folds)
            }
            folds.forget()
        }
        for (index, marks) in pending.enumerated() {
            let merged = marks.merged()
            let rows = merged.classes[dogs]?.touched.keys.map(\.rawValue) ?? []
            #expect(rows.sorted() == Array(Int64(index) * 2_000..<12_000))
            #expect(merged.touches(owners) == (index == 3))
        }
    }

    /// A shared set is not changed by a stream that continues alone.
    @Test func aStreamThatContinuesAloneLeavesTheOthersTheirSet() {
        let folds = SharedFolds()
        var (first, second) = (PendingMarks(), PendingMarks())
        let shared = commit(0, rows: 0..<2_000, column: 0)
        _ = first.note(shared, watched: [dogs], sharing: folds)
        _ = second.note(shared, watched: [dogs], sharing: folds)
        folds.forget()
        let next = commit(1, rows: 1_000..<4_000, column: 1)
        _ = first.note(next, watched: [dogs], sharing: folds)
        folds.forget()
        #expect(first.merged().weight == 4_000)
        #expect(second.merged().weight == 2_000)
        #expect(second.merged().columns(of: RowKey(1_500), in: dogs) == ColumnSet([ColumnID(0)]))
    }

    /// Rows that are written over and over were kept by each stream that had begun at another
    /// commit: they are in the marks of the last one.
    @Test func marksThatALaterCommitHasAsWellAreKeptOnce() {
        var pending = Array(repeating: PendingMarks(), count: 3)
        for number in 0..<5 as Range<UInt64> {
            let changes = commit(number, rows: 0..<3_000, column: 0)
            for index in pending.indices where index <= number {
                _ = pending[index].note(changes, watched: [dogs])
            }
        }
        #expect(Set(pending.map(storage)).count == 1)
        // What the last one lacks is added to it.
        _ = pending[0].note(commit(5, rows: 1_000..<5_000, column: 1), watched: [dogs])
        let merged = pending[0].merged()
        #expect(merged.weight == 5_000)
        for (row, columns) in [(0, [0]), (1_000, [0, 1]), (4_999, [1])] {
            let expected = ColumnSet(columns.map { ColumnID($0) })
            #expect(merged.columns(of: RowKey(Int64(row)), in: dogs) == expected)
        }
        #expect(pending[1].merged().weight == 3_000)
    }

    /// The streams of a hub use it, and leave nothing there.
    @Test func aHubForgetsWhatWasFoldedWhenItHasPublished() async throws {
        let hub = CommitHub<Int>(latest: { 0 }, at: { _ in 0 })
        let streams = (0..<8).map { _ in
            ChangeStreamSubscription(
                hub: hub, producer: RowCounter(watched: [dogs]), token: ChangeStreamToken(hub.id))
        }
        for number in 0..<3 as Range<UInt64> {
            hub.publish([commit(number, rows: 0..<2_500, column: Int(number))]) {}
            #expect(hub.folds.count == 0)
        }
        for stream in streams {
            let count = try await stream.storage.next()
            #expect(count == 2_500)
        }
    }

    /// Of commits that are published together, a stream that was alone copied the set that it had
    /// made at the one before.
    @Test func commitsThatArePublishedTogetherLeaveNothingToEachOther() async throws {
        let hub = CommitHub<Int>(latest: { 0 }, at: { _ in 0 })
        let stream = ChangeStreamSubscription(
            hub: hub, producer: RowCounter(watched: [dogs]), token: ChangeStreamToken(hub.id))
        let observer = FoldObserver(folds: hub.folds)
        _ = hub.subscribe(observer)
        let commits = (0..<4).map { commit($0, rows: 0..<2_500, column: Int($0)) }
        hub.publish(commits) {}
        #expect(observer.counts.withLock { $0 } == [0, 0, 0, 0])
        #expect(try await stream.storage.next() == 2_500)
    }
}

/// Notes how many sets there are before the streams of a commit are notified.
private final class FoldObserver: CommitSubscriber {
    let interest = CommitInterest.everything
    let counts = Mutex<[Int]>([])
    private let folds: SharedFolds

    init(folds: SharedFolds) { self.folds = folds }

    func committed(_ changes: ChangeSet) -> CommitWaking? {
        let count = folds.count
        counts.withLock { $0.append(count) }
        return nil
    }

    func ended(_ error: RealmError?) {}
}

/// Delivers how many rows were touched.
private struct RowCounter: ChangeProducer {
    let watched: Set<ClassID>

    mutating func begin(at moment: Int) -> StreamBeginning { .nothing }

    mutating func produce(
        _ marks: MergedMarks, at moment: Int
    ) throws(RealmError) -> ProducerResult<Int> { .element(marks.weight) }
}
