/// How much space the way out of a full disk takes: deleting, and emptying page segments.
enum DeletionSpace {
    /// What is enough to delete everything on a full disk, of a store with so many bytes: for the
    /// commit, and for a checkpoint of a tree of nothing but the roots of its classes.
    static func emptying(classes: Int, bytes: Int) -> Int {
        ((20 + classes) << 10) + record(deleting: bytes)
    }

    /// The same where so many rows are left, of which each takes so much of a record.
    static func emptying(classes: Int, bytes: Int, rows: Int, bytesOfRow: Int) -> Int {
        let limit = emptying(classes: classes, bytes: bytes)
        let (record, overflows) = rows.multipliedReportingOverflow(by: max(bytesOfRow, 2))
        return overflows ? limit : min(limit, emptying(classes: classes, bytes: 0) + record)
    }

    /// About what the record of a commit takes that deletes all rows of a store: more than a byte
    /// of each.
    static func record(deleting bytes: Int) -> Int { min(bytes / 8, 1 << 20) + bytes / 64 }

    /// What is kept for that, and besides for emptying a page segment.
    static func reserve(classes: Int, bytes: Int, segmentSize: Int) -> Int {
        emptying(classes: classes, bytes: bytes) + moving + segmentSize
    }

    /// What moving nodes to another page segment takes besides their own size.
    static let moving = 12 << 10
}
