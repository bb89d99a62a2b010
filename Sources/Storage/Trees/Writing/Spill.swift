import Synchronization

// Unchecked, and safe: the body that runs has it until its commit is encoded, then the thread that
// writes the group; what the thread shares with the body meanwhile is inside the mutex.
/// Clusters that a running transaction has written to page segments of its own, because it will
/// hardly touch them again.
///
/// Only the transaction's own tree may refer to them before ``finish()`` has returned. When the
/// transaction is rolled back, they are unused bytes.
final class Spill: @unchecked Sendable {
    /// A cluster, or a long value, that was evicted from memory.
    struct Cluster {
        /// Bytes of its nodes that stand in the spill's segments.
        var bytes: [PageIndex: Int] = [:]
        /// Nodes elsewhere that it uses.
        var kept: [NodePlace] = []
    }

    private struct Syncs {
        var due: [any File] = []
        var failure: StorageError?
    }

    /// Files that were written and not synced.
    private final class Pending: Sendable {
        let syncs = Mutex(Syncs())

        func run() {
            while let file = syncs.withLock({ $0.due.popLast() }) {
                do throws(StorageError) {
                    try file.sync()
                } catch {
                    syncs.withLock { $0.failure = $0.failure ?? error }
                }
            }
        }
    }

    private var writer: TreeWriter
    private let pending = Pending()
    /// By the address of the cluster or value.
    private(set) var clusters: [PageAddress: Cluster] = [:]
    /// Why nothing more is written.
    private(set) var failure: StorageError?
    /// Roots captured before this one have no node in the spill's segments.
    let madeAt: UInt64
    /// The writer lease that its files are made under.
    let lease: UInt64

    /// Runs a job soon, on a thread that may wait for the disk.
    typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// `later` runs what it is given on a thread that may wait for the disk, before ``finish()`` is
    /// called; nil to leave it to that.
    ///
    /// Segments are smaller than 16 of the smallest only where there is less to write.
    init(
        _ pages: PageStore, segmentSize: Int, madeAt capture: UInt64, lease: UInt64, later: Later?
    ) {
        madeAt = capture
        self.lease = lease
        let pending = pending
        writer = TreeWriter(
            pages: PageWriter(
                spillingTo: pages, segmentSize: max(segmentSize, 16 * pages.segmentSizeGrown)
            ) { file in
                pending.syncs.withLock { $0.due.append(file) }
                later?({ pending.run() })
            })
    }

    /// What was written, without saying what of it is in use.
    var segments: [PageSegment] {
        writer.pages.segments.map { PageSegment(index: $0, length: $1.length, live: 0) }
    }

    /// Writes clusters that the writer has to itself, with all below them, and marks them clean.
    func write(_ clusters: [Node]) {
        do throws(StorageError) {
            for cluster in clusters { _ = try writer.write(cluster) }
            try writer.pages.flush()
            for entry in writer.written { entry.node.setPlace(entry.place, used: entry.used) }
        } catch {
            failure = error
        }
        writer.forget()
    }

    /// Takes note of a cluster, or of a long value, that is about to be evicted from memory, so
    /// that nobody need read it to know what it uses.
    func note(_ cluster: Node, at place: NodePlace) {
        let own = writer.pages.segments
        guard own[place.address.segment] != nil else { return }
        var entry = Cluster()
        var isKnown = true
        entry.bytes[place.address.segment] = Int(place.length)
        func visit(_ slot: Slot) {
            guard let place = slot.resident?.imagePlace ?? slot.storedPlace else { return }
            guard own[place.address.segment] != nil else {
                return entry.kept.append(place)
            }
            if slot.resident == nil, let known = clusters[place.address] {
                entry.bytes.merge(known.bytes, uniquingKeysWith: +)
                entry.kept += known.kept
                return
            }
            entry.bytes[place.address.segment, default: 0] += Int(place.length)
            if let node = slot.resident {
                node.forEachSlot(visit)
            } else if place.hasSlots {
                isKnown = false
            }
        }
        cluster.forEachSlot(visit)
        if isKnown { clusters[place.address] = entry }
    }

    /// Makes everything durable. Throws what went wrong meanwhile, too.
    func finish() throws(StorageError) {
        if let failure { throw failure }
        pending.run()
        if let failure = pending.syncs.withLock({ $0.failure }) { throw failure }
        try writer.pages.finish()
    }
}
