import Synchronization

/// What the nodes of one store have in common: the memory they lie in, how many there are, and
/// where to read the others from.
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
    private let isFailureFatal = Atomic<Bool>(false)
    private let captures = Mutex(LiveCaptures())
    let memory: NodeMemory
    let budget = MemoryBudget()
    private let cache = NodeCache()
    private let hits = Atomic<Int>(0)
    private let reads = Atomic<Int>(0)

    /// Bytes of the largest value, and of the largest record of a commit.
    let valueBytesMax: Int
    let recordBytesMax: Int
    /// Bytes of a value that the running transaction tried to write and that is too large; 0 for
    /// none.
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
        // In this order it is never less than nothing.
        let gone = removed.load(ordering: .acquiring)
        return addedBytes &- gone
    }
    /// Bytes that they have taken in all, those included that are gone.
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

    /// Notes that a value is not written because of its size: its transaction is rolled back.
    func refuse(valueOf byteCount: Int) { refused.store(byteCount, ordering: .relaxed) }

    /// Why the running transaction cannot be committed.
    var refusal: StorageError? {
        let byteCount = refused.load(ordering: .relaxed)
        if byteCount == 0 { return nil }
        return .invalid(
            "A value of \(byteCount) bytes is over the limit of \(valueBytesMax). Nothing of the"
                + " transaction was kept; store large contents in files, or in several values.")
    }

    func clearRefusal() { refused.store(0, ordering: .relaxed) }

    // MARK: Nodes on disk

    /// The page files of the store; nil while it has none, or is in memory.
    var pages: PageStore? {
        get { source.withLock { $0 } }
        set { source.withLock { $0 = newValue } }
    }

    /// Forgets the page files, and what was read of them.
    func forgetPages() {
        pages = nil
        cache.clear()
    }

    /// Why a node could not be read, nil while every one could. Reads that cannot throw answer with
    /// nothing and leave the reason here.
    package var failure: StorageError? { failures.withLock { $0.standing } }

    /// Whether a node that cannot be read ends the process, instead of leaving the reason here.
    package var trapsOnFailure: Bool {
        get { isFailureFatal.load(ordering: .relaxed) }
        set { isFailureFatal.store(newValue, ordering: .relaxed) }
    }

    /// Begins a reading that is whole or fails, also when the store is opened anew meanwhile, which
    /// discards the failure.
    func beginReading() throws(StorageError) -> WholeReading {
        if let failure { throw failure }
        return WholeReading(
            account: self, failures: failures.withLock { $0.count }, visits: NodeVisits(pages))
    }

    fileprivate func failure(since count: Int) -> StorageError? {
        failures.withLock { $0.count == count ? nil : $0.latest }
    }

    /// Discards a failure, because the store is opened anew.
    func clearFailure() { failures.withLock { $0.standing = nil } }

    /// Reads a node, with one count for the caller; nil when it cannot be, which is recorded.
    func load(_ place: NodePlace, _ demand: NodeDemand) -> Node? {
        guard let pages else { return nil }
        reads.wrappingAdd(1, ordering: .relaxed)
        do {
            return try pages.load(place, account: .passUnretained(self), demand)
        } catch {
            if trapsOnFailure {
                preconditionFailure(
                    "A node could not be read, and readFailure is .trap. \(error)")
            }
            failures.withLock { $0.note(error) }
            return nil
        }
    }

    /// Reads a node that is attached whatever the memory budget says.
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

    /// Whether a node just read may be attached to the slot that leads to it.
    func admit(_ node: Node) -> Bool { budget.admit(node, resident: byteCount) }

    /// The node at `place` from the cache, with one count for the caller.
    func cached(_ place: NodePlace) -> Node? {
        let node = cache.find(place)
        if node != nil { hits.wrappingAdd(1, ordering: .relaxed) }
        return node
    }

    /// How many nodes were found in the cache so far.
    package var cacheHits: Int { hits.load(ordering: .relaxed) }
    /// How many nodes were read from the page files so far.
    package var nodeReads: Int { reads.load(ordering: .relaxed) }

    /// Keeps a node just read for others; the caller's count is of the one that is returned.
    func cache(_ node: Node) -> Node {
        guard let place = node.place else { return node }
        return cache.insert(node, place) { budget.isFull(byteCount) }
    }

    // MARK: Roots

    /// Notes that a root was captured; returns the number that it goes by.
    func noteCapture() -> UInt64 { captures.withLock { $0.begin() } }

    /// The number that the next captured root goes by.
    var nextCapture: UInt64 { captures.withLock { $0.next } }

    /// Notes that a captured root was given up.
    func noteRelease(_ capture: UInt64) { captures.withLock { $0.end(capture) } }

    /// Whether a root is held that goes by one of these numbers.
    func holdsCapture(in captures: Range<UInt64>) -> Bool {
        self.captures.withLock { $0.contains(oneOf: captures) }
    }
}

/// A reading of a tree that must not take what stands in for a node for the node.
struct WholeReading {
    fileprivate let account: NodeAccount
    fileprivate let failures: Int
    fileprivate let visits: NodeVisits

    /// Counts a node that is read; throws when the tree leads to it more than once.
    func visit(_ node: Node) throws(StorageError) { try visits.require(node.place) }

    /// Throws why a node could not be read since the reading began.
    func requireAll() throws(StorageError) {
        if let failure = account.failure(since: failures) { throw failure }
    }
}

/// What could not be read.
private struct ReadFailures {
    /// The first failure since the store was opened.
    var standing: StorageError?
    private(set) var latest: StorageError?
    private(set) var count = 0

    mutating func note(_ error: StorageError) {
        standing = standing ?? error
        latest = error
        count += 1
    }
}

/// Which captured roots are held, by their numbers.
private struct LiveCaptures {
    private(set) var next: UInt64 = 0
    private var live = SortedTable<UInt64, Void>()

    mutating func begin() -> UInt64 {
        defer { next += 1 }
        live[next] = ()
        return next
    }

    mutating func end(_ capture: UInt64) { live[capture] = nil }

    func contains(oneOf captures: Range<UInt64>) -> Bool {
        let index = live.place(of: captures.lowerBound).index
        return index < live.count && live.entries[index].key < captures.upperBound
    }
}
