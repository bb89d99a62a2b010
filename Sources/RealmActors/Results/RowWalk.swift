public import Storage

/// Where a walk has come to.
@frozen @usableFromInline
package struct WalkedRow {
    @usableFromInline package let cluster: Cluster
    @usableFromInline package let slot: Int

    @inlinable
    package init(cluster: Cluster, slot: Int) {
        self.cluster = cluster
        self.slot = slot
    }

    var location: RowLocation { RowLocation(cluster: cluster, slot: slot) }
}

/// Goes over rows: cluster by cluster where their order allows, else by their keys.
///
/// Valid while the view is.
@usableFromInline
package struct RowWalk {
    private let view: TreeView
    private let predicate: Predicate
    private var clusters: ClusterIterator?
    private var cluster: Cluster?
    private var mask = ClusterMask()
    private var word = 0
    private var keys: IndexingIterator<[RowKey]>
    private var cursor: RowCursor

    init(scanning predicate: Predicate, in view: TreeView, _ classID: ClassID) {
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

    /// The next row that is there.
    @usableFromInline
    package mutating func next() -> WalkedRow? {
        if clusters == nil { return nextKey() }
        while true {
            if let cluster {
                while word < 4 {
                    let bits = mask.words[word]
                    if bits != 0 {
                        mask.words[word] = bits & (bits &- 1)
                        return WalkedRow(
                            cluster: cluster, slot: word &* 64 &+ bits.trailingZeroBitCount)
                    }
                    word &+= 1
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

    private mutating func nextKey() -> WalkedRow? {
        while let key = keys.next() {
            if let row = cursor.locate(key) {
                return WalkedRow(cluster: row.cluster, slot: row.slot)
            }
        }
        return nil
    }
}
