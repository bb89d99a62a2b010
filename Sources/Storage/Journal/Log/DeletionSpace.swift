/// How much space it takes to make a store smaller on a full disk: to delete, and to empty page
/// segments.
enum DeletionSpace {
    /// Enough to delete everything in a store of `bytes`: for the commit, and for a checkpoint of a
    /// tree that has only the roots of its classes.
    static func emptying(classes: Int, bytes: Int) -> Int {
        ((20 + classes) << 10) + record(deleting: bytes)
    }

    /// The same for a store with `rows`, each of which takes `bytesOfRow` of the commit record.
    static func emptying(classes: Int, bytes: Int, rows: Int, bytesOfRow: Int) -> Int {
        let limit = emptying(classes: classes, bytes: bytes)
        let (record, overflows) = rows.multipliedReportingOverflow(by: max(bytesOfRow, 2))
        return overflows ? limit : min(limit, emptying(classes: classes, bytes: 0) + record)
    }

    /// An estimate of the record of a commit that deletes all rows of a store: more than one byte
    /// per row.
    static func record(deleting bytes: Int) -> Int { min(bytes / 8, 1 << 20) + bytes / 64 }

    /// The size of the reserve: enough for that, and to empty a page segment.
    static func reserve(classes: Int, bytes: Int, segmentSize: Int) -> Int {
        emptying(classes: classes, bytes: bytes) + moving + segmentSize
    }

    /// What moving nodes to another page segment takes in addition to their size.
    static let moving = 12 << 10
}
