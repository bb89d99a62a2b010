public import Storage

/// Up to 64 rows of one cluster, at the position of a walk.
@frozen @usableFromInline
package struct WalkedRows {
    @usableFromInline package let cluster: Cluster
    /// The slot that the lowest bit represents.
    @usableFromInline package let base: Int
    /// The rows that are still to come.
    @usableFromInline package var bits: UInt64
    /// Whether the rows are valid only until the walk continues: a longer reader takes a count of
    /// the cluster.
    @usableFromInline package let isTransient: Bool

    package init(cluster: Cluster, base: Int, bits: UInt64, isTransient: Bool) {
        self.cluster = cluster
        self.base = base
        self.bits = bits
        self.isTransient = isTransient
    }

    /// Takes the next slot; there must be one.
    @inlinable
    package mutating func takeSlot() -> Int {
        let slot = base &+ bits.trailingZeroBitCount
        bits &= bits &- 1
        return slot
    }
}

/// Iterates over rows: cluster by cluster where their order allows, else by their keys.
///
/// Valid while the view is.
@usableFromInline
package struct RowWalk {
    /// Separate from the row of a look-up, whose walk is copied more often than it is advanced.
    private var long: LongWalk?
    private var row: WalkedRows?
    /// Keeps the one row where the tree does not.
    private var keeper: NodeKeeper?

    init(scanning predicate: RowPredicate, in view: TreeView, _ classID: ClassID) {
        long = LongWalk(clusters: ClusterWalk(predicate, view, classID))
    }

    init(keys: [RowKey], in view: TreeView, _ classID: ClassID) {
        long = LongWalk(keys: KeyWalk(keys, view.classView(classID)))
    }

    /// Iterates over the rows that an index has found. For one row, the usual case, it allocates
    /// and retains nothing.
    init(_ found: MatchedRows, in view: TreeView, _ classID: ClassID) {
        switch found {
        case .none: return
        case .one(let key):
            guard let (row, keeper) = view.classRoot(classID).locate(key)?.keep() else { return }
            self.row = WalkedRows(row, isTransient: keeper != nil)
            self.keeper = keeper
        case .several(let keys):
            long = LongWalk(keys: KeyWalk(keys, view.classView(classID)))
        }
    }

    /// The next existing rows: at least one.
    @usableFromInline
    package mutating func next() -> WalkedRows? {
        if long == nil {
            defer { row = nil }
            return row
        }
        // Copy on write: a copy of the walk continues separately.
        if !isKnownUniquelyReferenced(&long) { long = long?.copy() }
        return long?.next()
    }
}

/// A walk over more than one row.
private final class LongWalk {
    // One of these.
    private var clusters: ClusterWalk?
    private var keys: KeyWalk?

    init(clusters: ClusterWalk? = nil, keys: KeyWalk? = nil) {
        self.clusters = clusters
        self.keys = keys
    }

    func copy() -> LongWalk { LongWalk(clusters: clusters, keys: keys) }

    func next() -> WalkedRows? { clusters?.next() ?? keys?.next() }
}

extension WalkedRows {
    /// One row.
    fileprivate init(_ row: RowLocation, isTransient: Bool) {
        self.init(cluster: row.cluster, base: row.slot, bits: 1, isTransient: isTransient)
    }
}

/// Iterates over the rows of a class that a predicate holds for.
private struct ClusterWalk {
    private let view: TreeView
    private let predicate: RowPredicate
    private var clusters: ClusterIterator
    private var cluster: Cluster?
    private var mask = ClusterMask()
    private var word = 0

    init(_ predicate: RowPredicate, _ view: TreeView, _ classID: ClassID) {
        self.view = view
        self.predicate = predicate
        clusters = view.classView(classID).makeClusterIterator()
    }

    mutating func next() -> WalkedRows? {
        while true {
            if let cluster {
                while word < 4 {
                    let bits = mask.words[word]
                    word &+= 1
                    if bits != 0 {
                        return WalkedRows(
                            cluster: cluster, base: (word &- 1) &* 64, bits: bits,
                            isTransient: clusters.isTransient)
                    }
                }
            }
            guard let following = clusters.next() else {
                cluster = nil
                return nil
            }
            cluster = following
            mask = ClusterMask(live: following)
            predicate.narrow(&mask, following, view)
            word = 0
        }
    }
}

/// Iterates over rows with certain keys.
private struct KeyWalk {
    private var keys: IndexingIterator<[RowKey]>
    private var cursor: RowCursor

    init(_ keys: [RowKey], _ rows: ClassView) {
        self.keys = keys.makeIterator()
        cursor = RowCursor(rows)
    }

    mutating func next() -> WalkedRows? {
        while let key = keys.next() {
            if let row = cursor.locate(key) {
                return WalkedRows(row, isTransient: cursor.isTransient)
            }
        }
        return nil
    }
}
