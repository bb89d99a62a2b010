public import Storage

/// Up to 64 rows of one cluster, where a walk has come to.
@frozen @usableFromInline
package struct WalkedRows {
    @usableFromInline package let cluster: Cluster
    /// The slot that the lowest bit stands for.
    @usableFromInline package let base: Int
    /// The rows that are still to come.
    @usableFromInline package var bits: UInt64
    /// Whether the rows are valid only until the walk goes on: a longer reader takes a
    /// count of the cluster.
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

/// Goes over rows: cluster by cluster where their order allows, else by their keys.
///
/// Valid while the view is.
@usableFromInline
package struct RowWalk {
    private let view: TreeView
    private let predicate: RowPredicate
    private var clusters: ClusterIterator?
    private var cluster: Cluster?
    private var mask = ClusterMask()
    private var word = 0
    private var keys: IndexingIterator<[RowKey]>
    private var cursor: RowCursor

    init(scanning predicate: RowPredicate, in view: TreeView, _ classID: ClassID) {
        self.view = view
        self.predicate = predicate
        let rows = view.classView(classID)
        clusters = rows.makeClusterIterator()
        keys = [].makeIterator()
        cursor = RowCursor(rows)
    }

    init(keys: [RowKey], in view: TreeView, _ classID: ClassID) {
        self.view = view
        predicate = .constant(true)
        self.keys = keys.makeIterator()
        cursor = RowCursor(view.classView(classID))
    }

    /// The next rows that are there: at least one.
    @usableFromInline
    package mutating func next() -> WalkedRows? {
        if clusters == nil { return nextKey() }
        while true {
            if let cluster {
                while word < 4 {
                    let bits = mask.words[word]
                    word &+= 1
                    if bits != 0 {
                        return WalkedRows(
                            cluster: cluster, base: (word &- 1) &* 64, bits: bits,
                            isTransient: clusters?.isTransient ?? false)
                    }
                }
            }
            guard let following = clusters?.next() else {
                cluster = nil
                return nil
            }
            cluster = following
            mask = ClusterMask(live: following)
            predicate.narrow(&mask, following, view)
            word = 0
        }
    }

    private mutating func nextKey() -> WalkedRows? {
        while let key = keys.next() {
            if let row = cursor.locate(key) {
                return WalkedRows(
                    cluster: row.cluster, base: row.slot, bits: 1,
                    isTransient: cursor.isTransient)
            }
        }
        return nil
    }
}
