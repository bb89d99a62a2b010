import Synchronization

/// The shared state of one store's nodes: their memory, the buffer pool's budget and cache, the
/// page files, and the latched read failure.
///
/// Every node of the store points here, so an account must outlive its nodes: the owner of a root
/// (a working tree, a snapshot root) also holds the account.
@usableFromInline
package final class NodeAccount: Sendable {
    private let nodes = Atomic<Int>(0)
    private let added = Atomic<Int>(0)
    private let removed = Atomic<Int>(0)
    private let source = Mutex<PageStore?>(nil)
    private let failures = Mutex(ReadFailures())
    // On another cache line than the counters, since it is read with each snapshot, on any core.
    private let failed = Atomic<Int>(0)
    private let isFailureFatal = Atomic<Bool>(false)
    private let captures = Mutex(LiveCaptures())
    package let reusedKeys = ReusedKeys()
    let memory: NodeMemory
    let budget = MemoryBudget()
    private let cache = NodeCache()
    private let hits = Atomic<Int>(0)
    private let reads = Atomic<Int>(0)

    /// Bytes of the largest value, and of the largest record of a commit.
    let valueBytesMax: Int
    let recordBytesMax: Int
    /// The size of a value that the running transaction has tried to write and that is too large; 0
    /// for none.
    private let refused = Atomic<Int>(0)

    package init(
        valueBytesMax: Int = Limits.valueBytes, recordBytesMax: Int = Limits.recordBytes,
        guardsNodes: Bool = false
    ) {
        memory = NodeMemory(isGuarded: guardsNodes)
        self.valueBytesMax = valueBytesMax
        self.recordBytesMax = recordBytesMax
    }

    deinit { cache.clear() }

    package var nodeCount: Int { nodes.load(ordering: .relaxed) }
    /// Bytes of memory that the nodes take.
    package var byteCount: Int {
        // In this order the difference is never negative.
        let gone = removed.load(ordering: .acquiring)
        return addedBytes &- gone
    }
    /// Total bytes of all nodes ever allocated.
    var addedBytes: Int { added.load(ordering: .relaxed) }

    func add(bytes size: Int) {
        nodes.wrappingAdd(1, ordering: .relaxed)
        added.wrappingAdd(size, ordering: .relaxed)
    }

    func remove(bytes size: Int) {
        nodes.wrappingSubtract(1, ordering: .relaxed)
        removed.wrappingAdd(size, ordering: .releasing)
    }

    // MARK: Values that are too large

    /// Records that a value was not written because of its size: its transaction is rolled back.
    func refuse(valueOf byteCount: Int) { refused.store(byteCount, ordering: .relaxed) }

    /// The error that prevents the running transaction from being committed.
    var refusal: StorageError? {
        let byteCount = refused.load(ordering: .relaxed)
        if byteCount == 0 { return nil }
        return .invalid(
            "A value of \(byteCount) bytes is over the limit of \(valueBytesMax). The transaction "
                + "was rolled back. Store large contents in files, or in several values.")
    }

    func clearRefusal() { refused.store(0, ordering: .relaxed) }

    // MARK: Nodes on disk

    /// The page files of the store; nil while it has none, or is in memory.
    var pages: PageStore? {
        get { source.withLock { $0 } }
        set { source.withLock { $0 = newValue } }
    }

    /// Releases the page files, and the cached nodes.
    func forgetPages() {
        pages = nil
        cache.clear()
    }

    /// The first failure to read a node; nil without one. Reads that cannot throw return a
    /// placeholder and latch the error here.
    package var failure: StorageError? { failures.withLock { $0.standing } }

    /// Whether a failed read ends the process, instead of latching the error here.
    package var trapsOnFailure: Bool {
        get { isFailureFatal.load(ordering: .relaxed) }
        set { isFailureFatal.store(newValue, ordering: .relaxed) }
    }

    /// Begins a read that must be complete or fail, also if the store is reopened meanwhile, which
    /// clears the failure.
    func beginReading() throws(StorageError) -> WholeReading {
        if let failure { throw failure }
        return WholeReading(account: self, failures: failureCount, visits: NodeVisits(pages))
    }

    /// The number of failed reads, for ``failure(since:)``.
    package var failureCount: Int { failed.load(ordering: .acquiring) }

    /// The error of reads that have failed since a ``failureCount``; also if the store was reopened
    /// meanwhile, which clears the failure.
    package func failure(since count: Int) -> StorageError? {
        failures.withLock { $0.standing ?? (failureCount == count ? nil : $0.latest) }
    }

    /// Clears the failure, because the store is reopened.
    func clearFailure() { failures.withLock { $0.standing = nil } }

    private func note(_ failure: StorageError) {
        failures.withLock {
            $0.note(failure)
            failed.wrappingAdd(1, ordering: .releasing)
        }
    }

    /// Reads a node, retained for the caller; nil if that fails, which latches.
    func load(_ place: NodePlace, _ demand: NodeDemand) -> Node? {
        guard let pages else { return nil }
        reads.wrappingAdd(1, ordering: .relaxed)
        do {
            return try pages.load(place, account: .passUnretained(self), demand)
        } catch {
            if trapsOnFailure {
                Platform.endProcess(
                    because: "A node could not be read, and readFailure is .trap. \(error)")
            }
            note(error)
            return nil
        }
    }

    /// Reads a node that is attached regardless of the memory budget.
    func loadToAttach(_ place: NodePlace, _ demand: NodeDemand) -> Node? {
        let node = load(place, demand)
        if let node { budget.charge(node) }
        return node
    }

    // MARK: Memory budget

    /// Bytes of memory that the nodes may take; see ``MemoryBudget``.
    package var memoryBudget: Int {
        get { budget.bytes }
        set { budget.bytes = newValue }
    }

    /// Whether a node just read may be attached to its slot.
    func admit(_ node: Node) -> Bool { budget.admit(node, resident: byteCount) }

    /// The node at `place` from the cache, retained for the caller.
    func cached(_ place: NodePlace) -> Node? {
        let node = cache.find(place)
        if node != nil { hits.wrappingAdd(1, ordering: .relaxed) }
        return node
    }

    /// The number of cache hits.
    package var cacheHits: Int { hits.load(ordering: .relaxed) }
    /// The number of nodes read from the page files.
    package var nodeReads: Int { reads.load(ordering: .relaxed) }

    /// Caches a node just read; returns the cached one, retained for the caller.
    func cache(_ node: Node) -> Node {
        guard let place = node.place else { return node }
        return cache.insert(node, place) { budget.isFull(byteCount) }
    }

    // MARK: Roots

    /// Registers a captured root; returns its number.
    func noteCapture() -> UInt64 { captures.withLock { $0.begin() } }

    /// The number of the next captured root.
    var nextCapture: UInt64 { captures.withLock { $0.next } }

    /// The number of the root that was captured last.
    package var lastCapture: UInt64 { max(nextCapture, 1) - 1 }

    /// A number between those of the roots that were captured before and those that will be.
    func skipCapture() -> UInt64 { captures.withLock { $0.skip() } }

    /// Unregisters a captured root.
    func noteRelease(_ capture: UInt64) { captures.withLock { $0.end(capture) } }

    /// Whether a root with one of these numbers is registered.
    func holdsCapture(in captures: Range<UInt64>) -> Bool {
        self.captures.withLock { $0.contains(oneOf: captures) }
    }
}

/// A read of a tree that must fail instead of using placeholders.
struct WholeReading {
    fileprivate let account: NodeAccount
    fileprivate let failures: Int
    fileprivate let visits: NodeVisits

    /// Counts a visited node; throws if the tree reaches it more than once.
    func visit(_ node: Node) throws(StorageError) { try visits.require(node.place) }

    /// Throws if a node could not be read since this reading began.
    func requireAll() throws(StorageError) {
        if let failure = account.failure(since: failures) { throw failure }
    }
}

/// The failures of reads.
private struct ReadFailures {
    /// The first failure since the store was opened.
    var standing: StorageError?
    private(set) var latest: StorageError?

    mutating func note(_ error: StorageError) {
        standing = standing ?? error
        latest = error
    }
}

/// The registered roots, by their numbers.
private struct LiveCaptures {
    private(set) var next: UInt64 = 0
    private var live = SortedTable<UInt64, Void>()

    mutating func begin() -> UInt64 {
        live[next] = ()
        return skip()
    }

    mutating func skip() -> UInt64 {
        defer { next += 1 }
        return next
    }

    mutating func end(_ capture: UInt64) { live[capture] = nil }

    func contains(oneOf captures: Range<UInt64>) -> Bool {
        let index = live.place(of: captures.lowerBound).index
        return index < live.count && live.entries[index].key < captures.upperBound
    }
}
