/// What one commit changed, for whoever watches.
package final class ChangeSet: Sendable {
    package let version: Version
    package let author: String?
    package let classes: [ClassID: ClassChanges]

    package init(version: Version, author: String?, classes: [ClassID: ClassChanges]) {
        self.version = version
        self.author = author
        self.classes = classes
    }
}

/// What one commit changed of one class.
package struct ClassChanges: Sendable {
    /// Keys of rows that were created and still are there, as ascending ranges.
    package let created: [Range<Int64>]
    /// Rows that were there before and are gone, ascending.
    package let deleted: [RowKey]
    /// Rows that were there before and stayed, with the columns that were written.
    package let touched: [RowKey: ColumnSet]
    package let sequenceEdits: [SequenceID: SequenceEdit]

    package init(
        created: [Range<Int64>], deleted: [RowKey], touched: [RowKey: ColumnSet],
        sequenceEdits: [SequenceID: SequenceEdit] = [:]
    ) {
        self.created = created
        self.deleted = deleted
        self.touched = touched
        self.sequenceEdits = sequenceEdits
    }

    /// How many marks there are, the positions of edits among them.
    package var count: Int {
        created.reduce(0) { $0 + $1.count } + deleted.count + touched.count
            + sequenceEdits.values.reduce(0) { $0 + $1.count }
    }

    package func columns(of key: RowKey) -> ColumnSet { touched[key] ?? ColumnSet() }

    package func forEachTouched(_ body: (RowKey, ColumnSet) throws -> Void) rethrows {
        for (key, columns) in touched { try body(key, columns) }
    }
}
