import Foundation
import Synchronization

/// Decides which segments are retained although recovery no longer needs them: those that the
/// policy requires, and those that readers have yet to read.
package final class LogRetention: Sendable {
    /// How many bytes of log are retained for readers that make no progress.
    static let readerBytesMax = 256 << 20

    /// The position of a reader.
    private struct Place {
        /// The last commit that it has read.
        var version: Version
        /// The segment that it reads next, unless that is read to its end.
        var segment: SegmentIndex
    }

    /// A point in time by two clocks: the wall clock, which may be set, and a monotonic one.
    struct Moment: Sendable {
        /// Seconds since 1970.
        var time: Double
        var instant: Instant

        static var now: Moment {
            Moment(time: Date().timeIntervalSince1970, instant: .now)
        }
    }

    /// The cached properties of a segment before the one in which replay begins. Such a segment
    /// never changes.
    private struct Known {
        var length: Int?
        /// Its age in seconds, and when that was determined; nil seconds if it cannot be.
        var age: (seconds: Double?, since: Instant)?
    }

    /// One decision on what is retained.
    private struct Decision {
        var instant: Instant
        /// Where replay began.
        var needed: SegmentIndex
    }

    private struct State {
        var known: [SegmentIndex: Known] = [:]
        /// The last two.
        var decisions: [Decision] = []
    }

    private let policy: HistoryPolicy
    private let readClock: @Sendable () -> Moment
    private let readers = Mutex<[ObjectIdentifier: Place]>([:])
    private let hasReaders = Atomic<Bool>(false)
    private let state = Mutex(State())

    init(_ policy: HistoryPolicy, readClock: @escaping @Sendable () -> Moment = { Moment.now }) {
        self.policy = policy
        self.readClock = readClock
    }

    /// Whether the policy retains history.
    var keepsHistory: Bool { policy != .untilCheckpoint }

    /// Whether history is retained only for readers.
    var keepsForReaders: Bool { !keepsHistory && hasReaders.load(ordering: .acquiring) }

    /// Whether log is retained that recovery does not need: by the policy, or for a reader.
    var keepsMoreThanRecovery: Bool {
        keepsHistory || hasReaders.load(ordering: .acquiring)
    }

    /// Whether commit records contain old values: while the policy retains history, or a reader
    /// exists. On a shared log the policy alone decides: all hosts read the same record, and none
    /// knows the readers of the others.
    func wantsOldValues(onSharedLog isShared: Bool) -> Bool {
        isShared ? keepsHistory : keepsMoreThanRecovery
    }

    /// Retains the log from a segment on for a reader that has read up to `version`.
    func hold(_ segment: SegmentIndex, behind version: Version, for reader: ObjectIdentifier) {
        set(Place(version: version, segment: segment), for: reader)
    }

    /// Retains nothing more for a reader.
    func release(_ reader: ObjectIdentifier) { set(nil, for: reader) }

    /// Releases the readers that need the segments before `index`, which were removed, and are
    /// covered by the checkpoint of `version`. Their next read fails.
    func releaseReaders(before index: SegmentIndex, checkpoint version: Version) {
        readers.withLock { readers in
            readers = readers.filter { $0.value.segment >= index || $0.value.version >= version }
            hasReaders.store(!readers.isEmpty, ordering: .releasing)
        }
    }

    private func set(_ place: Place?, for reader: ObjectIdentifier) {
        readers.withLock { readers in
            readers[reader] = place
            hasReaders.store(!readers.isEmpty, ordering: .releasing)
        }
    }

    /// The first segment to retain of those in `older`, which ascend and precede the one in which
    /// replay from `checkpoint` begins.
    func firstKept(
        of older: [SegmentIndex], by checkpoint: CheckpointRecord, _ store: StoreDirectory,
        _ database: Bits128
    ) throws(StorageError) -> SegmentIndex {
        let needed = checkpoint.replayStart.segment
        var kept = try firstRead(of: older, by: checkpoint, store)
        switch policy {
        case .untilCheckpoint: break
        case .bytes(let bytes):
            kept = min(kept, try first(of: older, needed, SegmentIndex(0), within: bytes, store))
        case .seconds(let seconds):
            let now = readClock()
            for index in older.reversed() where index < kept {
                let age = try age(of: index, at: now, before: needed, store, database)
                if let age, age > seconds { break }
                kept = index
            }
            state.withLock {
                $0.decisions.append(Decision(instant: now.instant, needed: needed))
                $0.decisions.removeFirst(max($0.decisions.count - 2, 0))
            }
        }
        let first = kept
        state.withLock { state in state.known = state.known.filter { $0.key >= first } }
        return kept
    }

    /// The minimum age of a segment's last commit in seconds; nil if it cannot be determined. Once
    /// determined, it grows by the monotonic clock.
    private func age(
        of index: SegmentIndex, at now: Moment, before needed: SegmentIndex,
        _ store: StoreDirectory, _ database: Bits128
    ) throws(StorageError) -> Double? {
        if let age = state.withLock({ $0.known[index]?.age }) {
            return age.seconds.map { $0 + age.since.duration(to: now.instant).inSeconds }
        }
        // The commits of a segment are older than the first one of the next segment.
        let time = try firstTime(in: index.next, store, database)
        // The next segment has no commit yet.
        if time == nil, index.next >= needed { return nil }
        return state.withLock { state in
            var age = time.map { max(now.time - $0, 0) }
            // A segment that was needed at the last decision was written after the decision before
            // that, whatever the wall clock says.
            if let last = state.decisions.last, index >= last.needed, state.decisions.count > 1 {
                let most = state.decisions[0].instant.duration(to: now.instant).inSeconds
                age = age.map { min($0, most) }
            }
            state.known[index, default: Known()].age = (age, now.instant)
            return age
        }
    }

    /// The same, for the readers only.
    func firstRead(
        of older: [SegmentIndex], by checkpoint: CheckpointRecord, _ store: StoreDirectory
    ) throws(StorageError) -> SegmentIndex {
        let needed = checkpoint.replayStart.segment
        // A reader of a version that the checkpoint covers continues after the checkpoint.
        let wanted = readers.withLock { readers in
            readers.values.filter { $0.version < checkpoint.version }.map(\.segment).min()
        }
        guard let wanted, wanted < needed else { return needed }
        return try first(of: older, needed, wanted, within: Self.readerBytesMax, store)
    }

    /// The first segment from `wanted` on that is followed by no more than `bytes` of log.
    private func first(
        of older: [SegmentIndex], _ needed: SegmentIndex, _ wanted: SegmentIndex,
        within bytes: Int, _ store: StoreDirectory
    ) throws(StorageError) -> SegmentIndex {
        var kept = needed
        var rest = bytes
        for index in older.reversed() where index >= wanted {
            rest -= try length(of: index, store)
            guard rest >= 0, index.next == kept else { break }
            kept = index
        }
        return kept
    }

    /// The size of a segment's file.
    private func length(
        of index: SegmentIndex, _ store: StoreDirectory
    ) throws(StorageError) -> Int {
        if let length = state.withLock({ $0.known[index]?.length }) { return length }
        let length = try store.fileSystem.open(store.path(of: index), .readOnly).size().length
        state.withLock { $0.known[index, default: Known()].length = length }
        return length
    }

    /// The time of the first commit that begins in a segment; nil if it cannot be determined.
    private func firstTime(
        in index: SegmentIndex, _ store: StoreDirectory, _ database: Bits128
    ) throws(StorageError) -> Double? {
        let found: SegmentHeader?
        do throws(StorageError) {
            found = try HistorySegments.header(index, store)
        } catch {
            // A bad sector in the history must not stop the store.
            if error.lacksDescriptors { throw error }
            return nil
        }
        guard let header = found else { return nil }
        var reader = HistoryReader(store, database: database, from: LogEnd(beginOf: header))
        // Up to the end of this segment, whatever that is: this does not report damage.
        let end = LogEnd(
            position: LogPosition(.max), hash: .none, salt: .zero, segment: index)
        var time: Double?
        var window = LogWindow()
        while time == nil {
            do throws(HistoryError) {
                let isThere = try reader.readGroup(upTo: end, in: &window) {
                    (record) throws(HistoryError) in
                    time = time ?? CommitRecord.time(of: record.payload)
                }
                if !isThere { return nil }
            } catch {
                return nil
            }
        }
        return time
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
