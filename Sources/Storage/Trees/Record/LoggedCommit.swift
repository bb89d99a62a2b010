/// The changes of a commit, from its record in the log.
package struct LoggedCommit: Sendable {
    package let version: Version
    package let author: String?
    /// Seconds since 1970.
    package let time: Double
    /// Whether the log has the new values; those of a page commit are in the page files.
    package let hasValues: Bool
    /// Whether the log has the old values, and those of deleted rows.
    package let hasOldValues: Bool
    package let classes: [LoggedClass]
    /// The new schema, if the commit has one.
    let schema: StoreSchema?
    /// The ``Journal/life`` of the commit.
    package var life: UInt64 = 0
}

extension LoggedCommit {
    /// The same, without the classes and columns that `known` lacks: another process may have added
    /// to the schema since that was read.
    package func limited(to known: StoreSchema) -> LoggedCommit {
        let isKnown = classes.allSatisfy { $0.fits(known) }
        if isKnown { return self }
        return LoggedCommit(
            version: version, author: author, time: time, hasValues: hasValues,
            hasOldValues: hasOldValues, classes: classes.compactMap { $0.limited(to: known) },
            schema: schema, life: life)
    }
}

extension LoggedClass {
    fileprivate func fits(_ known: StoreSchema) -> Bool {
        guard id.rawValue < known.classes.count else { return false }
        let count = known[id].columns.count
        return touched.allSatisfy { $0.column.rawValue < count }
            && (createdValues.first?.count ?? 0) <= count
            && (deletedValues.first?.count ?? 0) <= count
    }

    fileprivate func limited(to known: StoreSchema) -> LoggedClass? {
        guard id.rawValue < known.classes.count else { return nil }
        let count = known[id].columns.count
        var limited = self
        limited.touched.removeAll { $0.column.rawValue >= count }
        limited.createdValues = createdValues.map { Array($0.prefix(count)) }
        limited.deletedValues = deletedValues.map { Array($0.prefix(count)) }
        return limited
    }
}

/// The changes of one class in a logged commit.
package struct LoggedClass: Sendable {
    package let id: ClassID
    /// Keys of created rows, as ascending ranges.
    package internal(set) var created: [Range<Int64>] = []
    /// Of each created row, in order, a value for every column; none in a commit without values.
    package internal(set) var createdValues: [[ColumnContents]] = []
    package internal(set) var touched: [LoggedColumn] = []
    /// Keys of deleted rows, as ascending ranges.
    package internal(set) var deleted: [Range<Int64>] = []
    /// Of each deleted row, in order, the value that every column had; none in a commit without
    /// old values.
    package internal(set) var deletedValues: [[ColumnContents]] = []
}

/// The rows in which a commit has written one column.
package struct LoggedColumn: Sendable {
    package let column: ColumnID
    /// As ascending ranges of keys.
    package let rows: [Range<Int64>]
    /// The new values in the order of the rows. None for collections, whose edits the log has
    /// instead, and in a commit without values.
    package let values: [StoredValue]
    /// The old values in the same order; none in a commit without old values.
    package internal(set) var oldValues: [StoredValue] = []
    /// Of collections, the edits of the rows, in their order.
    var edits: [SequenceEdit] = []
    /// The edits that undo these; none in a commit without old values of collections.
    var reversals: [CommitRecord.Elements] = []

    /// Whether the log has the old values.
    var isReversible: Bool {
        let count = rows.reduce(0) { $0 + $1.count }
        return oldValues.count == count || reversals.count == count
    }
}

extension LoggedCommit {
    /// Whether the log has everything to rewind the tree to the previous version.
    var isReversible: Bool {
        classes.allSatisfy { entry in
            entry.touched.allSatisfy(\.isReversible)
                && entry.deletedValues.count == entry.deleted.reduce(0) { $0 + $1.count }
        }
    }
}
