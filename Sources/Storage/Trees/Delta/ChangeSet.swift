/// What one commit changed, for those who watch.
package final class ChangeSet: Sendable {
    package let version: Version
    package let author: String?
    package let classes: [ClassID: ClassChanges]

    package init(version: Version, author: String?, classes: [ClassID: ClassChanges]) {
        self.version = version
        self.author = author
        self.classes = classes
    }

    /// What a commit in the log says that it changed.
    convenience init(_ commit: LoggedCommit) {
        self.init(
            version: commit.version, author: commit.author,
            classes: Dictionary(
                uniqueKeysWithValues: commit.classes.map { ($0.id, ClassChanges($0)) }))
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
    /// Whether the edits of collections are not known, so that who watches one has to compare it.
    package let lacksEdits: Bool

    package init(
        created: [Range<Int64>], deleted: [RowKey], touched: [RowKey: ColumnSet],
        sequenceEdits: [SequenceID: SequenceEdit] = [:], lacksEdits: Bool = false
    ) {
        self.created = created
        self.deleted = deleted
        self.touched = touched
        self.sequenceEdits = sequenceEdits
        self.lacksEdits = lacksEdits
    }

    /// What differs between two versions.
    init(_ difference: ClassDifference) {
        var created: [Range<Int64>] = []
        for key in difference.inserted { created.extend(with: key.rawValue) }
        self.init(
            created: created, deleted: difference.deleted,
            touched: Dictionary(
                uniqueKeysWithValues: difference.modified.map { ($0.key, $0.columns) }),
            lacksEdits: true)
    }

    /// What a commit in the log changed.
    init(_ logged: LoggedClass) {
        var touched: [RowKey: ColumnSet] = [:]
        for column in logged.touched {
            for key in column.rows.joined() {
                touched[RowKey(key), default: ColumnSet()].insert(column.column)
            }
        }
        self.init(
            created: logged.created, deleted: logged.deleted.joined().map { RowKey($0) },
            touched: touched, lacksEdits: true)
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
