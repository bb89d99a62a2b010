import Foundation
import Synchronization

/// Which segments of the log stay although opening the store no longer needs them: those that the
/// policy says, and those that someone has yet to read.
package final class LogRetention: Sendable {
    /// How many bytes of log are kept for readers that do not come forward.
    static let readerBytesMax = 256 << 20

    /// Where a reader stands.
    private struct Place {
        /// The last commit that it has read.
        var version: Version
        /// The segment that it reads on in, unless there is nothing more to be read there.
        var segment: SegmentIndex
    }

    /// A moment by two clocks: one that the system's user may set, and one that only goes forward.
    struct Moment: Sendable {
        /// Seconds since 1970.
        var time: Double
        var instant: ContinuousClock.Instant

        static var now: Moment {
            Moment(time: Date().timeIntervalSince1970, instant: .now)
        }
    }

    /// What was found out of a segment before that in which replay begins: nothing changes it.
    private struct Known {
        var length: Int?
        /// How many seconds old it was found to be, and when; nil seconds where that cannot be
        /// determined.
        var age: (seconds: Double?, since: ContinuousClock.Instant)?
    }

    /// One decision on what is kept.
    private struct Look {
        var instant: ContinuousClock.Instant
        /// Where replay began.
        var needed: SegmentIndex
    }

    private struct State {
        var known: [SegmentIndex: Known] = [:]
        /// The last two.
        var looks: [Look] = []
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

    /// Whether history is kept on purpose.
    var keepsHistory: Bool { policy != .untilCheckpoint }

    /// Whether history is kept only because readers need it.
    var keepsForReaders: Bool { !keepsHistory && hasReaders.load(ordering: .acquiring) }

    /// Whether commits say what they replace: where history is kept on purpose, and while someone
    /// reads it.
    var wantsOldValues: Bool {
        keepsHistory || hasReaders.load(ordering: .acquiring)
    }

    /// Keeps the log from a segment on for a reader that has read up to `version`.
    func hold(_ segment: SegmentIndex, behind version: Version, for reader: ObjectIdentifier) {
        set(Place(version: version, segment: segment), for: reader)
    }

    /// Keeps nothing more for a reader.
    func release(_ reader: ObjectIdentifier) { set(nil, for: reader) }

    /// Releases the readers of what stood before segment `index`, which was removed, and is covered
    /// by the checkpoint of `version`. Their next read fails.
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

    /// The first segment to keep, of those in `older`, which ascend and stand before that in which
    /// replay begins by `checkpoint`.
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
                $0.looks.append(Look(instant: now.instant, needed: needed))
                $0.looks.removeFirst(max($0.looks.count - 2, 0))
            }
        }
        let first = kept
        state.withLock { state in state.known = state.known.filter { $0.key >= first } }
        return kept
    }

    /// How many seconds ago the last commit in a segment was made at least; nil when it cannot be
    /// determined. From the first answer on it ages by the clock that nobody sets.
    private func age(
        of index: SegmentIndex, at now: Moment, before needed: SegmentIndex,
        _ store: StoreDirectory, _ database: Bits128
    ) throws(StorageError) -> Double? {
        if let age = state.withLock({ $0.known[index]?.age }) {
            return age.seconds.map { $0 + age.since.duration(to: now.instant).inSeconds }
        }
        // What a segment holds is older than what the next one begins with.
        let time = try firstTime(in: index.next, store, database)
        // The next segment has no commit yet.
        if time == nil, index.next >= needed { return nil }
        return state.withLock { state in
            var age = time.map { max(now.time - $0, 0) }
            // What was needed at the last look was written after the one before that, whatever the
            // clock says that may be set.
            if let last = state.looks.last, index >= last.needed, state.looks.count > 1 {
                let most = state.looks[0].instant.duration(to: now.instant).inSeconds
                age = age.map { min($0, most) }
            }
            state.known[index, default: Known()].age = (age, now.instant)
            return age
        }
    }

    /// The same for those who read the history alone.
    func firstRead(
        of older: [SegmentIndex], by checkpoint: CheckpointRecord, _ store: StoreDirectory
    ) throws(StorageError) -> SegmentIndex {
        let needed = checkpoint.replayStart.segment
        // Who has read what the checkpoint holds goes on behind it.
        let wanted = readers.withLock { readers in
            readers.values.filter { $0.version < checkpoint.version }.map(\.segment).min()
        }
        guard let wanted, wanted < needed else { return needed }
        return try first(of: older, needed, wanted, within: Self.readerBytesMax, store)
    }

    /// The first segment from `wanted` on behind which no more than `bytes` of log stand.
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

    /// Bytes of a segment's file.
    private func length(
        of index: SegmentIndex, _ store: StoreDirectory
    ) throws(StorageError) -> Int {
        if let length = state.withLock({ $0.known[index]?.length }) { return length }
        let length = try store.fileSystem.open(store.path(of: index), .readOnly).size().length
        state.withLock { $0.known[index, default: Known()].length = length }
        return length
    }

    /// When the first commit that begins in a segment was made; nil when it cannot be determined.
    private func firstTime(
        in index: SegmentIndex, _ store: StoreDirectory, _ database: Bits128
    ) throws(StorageError) -> Double? {
        guard let header = try HistorySegments.header(index, store) else { return nil }
        var reader = HistoryReader(store, database: database, from: LogEnd(beginOf: header))
        // Up to the end of this segment, whatever that is: damage there is for others to find.
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
