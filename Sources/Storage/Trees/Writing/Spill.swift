import Synchronization

// Unchecked, and safe: the running body owns it until its commit is encoded, then the thread that
// writes the group; state that they share is inside the mutex.
/// Clusters that a running transaction has written to its own page segments, to bound its memory.
///
/// Only the transaction's own tree may refer to them before ``finish()`` has returned. If the
/// transaction is rolled back, they are unused bytes.
final class Spill: @unchecked Sendable {
    /// A cluster, or a long value, that was evicted from memory.
    struct Cluster {
        /// Bytes of its nodes in the spill's segments.
        var bytes: [PageIndex: Int] = [:]
        /// Nodes in other segments that it refers to.
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
    /// The error after which nothing more is written.
    private var writeFailure: StorageError?
    /// Roots captured before this one have no node in the spill's segments.
    let madeAt: UInt64
    /// The writer lease under which its files are created.
    let lease: UInt64

    /// Runs a job soon, on a thread that may block on the disk.
    typealias Later = @Sendable (@escaping @Sendable () -> Void) -> Void

    /// `later` runs a job on a thread that may block on the disk, before ``finish()`` is called; if
    /// it is nil, ``finish()`` does the work.
    ///
    /// Segments have at least 16 times the minimum size, unless there is less to write.
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

    /// The written segments, without their used bytes.
    var segments: [PageSegment] {
        writer.pages.segments.map { PageSegment(index: $0, length: $1.length, live: 0) }
    }

    /// The first error so far: the transaction then cannot be committed.
    var failure: StorageError? {
        writeFailure ?? pending.syncs.withLock { $0.failure }?.claimingSpace
    }

    /// The error that prevents the transaction from being committed. A shortage of space or
    /// descriptors leaves the store usable; anything else is a failure of the store.
    var refusal: StorageError? {
        failure.map { $0.isShortage ? $0 : .durabilityLost(cause: $0) }
    }

    /// Writes nothing, because of an error.
    func refuse(_ error: StorageError) { writeFailure = error }

    /// Writes uniquely owned clusters, with all nodes below them, and marks them clean.
    func write(_ clusters: [Node]) {
        if writeFailure != nil { return }
        do throws(StorageError) {
            for cluster in clusters { _ = try writer.write(cluster) }
            try writer.pages.flush()
            for entry in writer.written { entry.node.setPlace(entry.place, used: entry.used) }
        } catch {
            writeFailure = error.claimingSpace
        }
        writer.forget()
    }

    /// Records a cluster, or a long value, that is about to be evicted, so that it need not be read
    /// to determine what it refers to.
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

    /// Makes everything durable. Also throws earlier errors.
    func finish() throws(StorageError) {
        if let failure { throw failure }
        pending.run()
        if let failure { throw failure }
        try writer.pages.finish()
    }
}
