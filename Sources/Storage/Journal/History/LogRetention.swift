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

    private let policy: HistoryPolicy
    private let readers = Mutex<[ObjectIdentifier: Place]>([:])
    private let hasReaders = Atomic<Bool>(false)

    init(_ policy: HistoryPolicy) { self.policy = policy }

    /// Whether history is kept on purpose.
    var keepsHistory: Bool { policy != .untilCheckpoint }

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
            let limit = Date().timeIntervalSince1970 - seconds
            for index in older.reversed() where index < kept {
                // What a segment holds is older than what the next one begins with.
                let time = try firstTime(in: index.next, store, database)
                if let time, time < limit { break }
                kept = index
            }
        }
        return kept
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
            let file = try store.fileSystem.open(store.path(of: index), .readOnly)
            rest -= try file.size().length
            guard rest >= 0, index.next == kept else { break }
            kept = index
        }
        return kept
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
