import Synchronization

/// The changes of one commit, for observers.
package final class ChangeSet: Sendable {
    package let version: Version
    package let author: String?
    package let classes: [ClassID: ClassChanges]
    /// Unique within this process.
    package let number: UInt64

    private static let newest = Atomic<UInt64>(0)

    package init(version: Version, author: String?, classes: [ClassID: ClassChanges]) {
        number = ChangeSet.newest.wrappingAdd(1, ordering: .relaxed).newValue
        self.version = version
        self.author = author
        self.classes = classes
    }

    /// The changes of a logged commit.
    convenience init(_ commit: LoggedCommit) {
        self.init(
            version: commit.version, author: commit.author,
            classes: Dictionary(
                uniqueKeysWithValues: commit.classes.map { ($0.id, ClassChanges($0)) }))
    }
}

/// The changes of one class by one commit.
package struct ClassChanges: Sendable {
    /// Keys of created rows that still exist, as ascending ranges.
    package let created: [Range<Int64>]
    /// Deleted rows that existed before, ascending.
    package let deleted: [RowKey]
    /// Rows that existed before and after, with the written columns.
    package let touched: [RowKey: ColumnSet]
    package let sequenceEdits: [SequenceID: SequenceEdit]
    /// Whether the edits of collections are unknown, so that observers of one have to compare it.
    package let lacksEdits: Bool
    /// The number of rows in `created`, cached for many streams.
    private let createdCount: Int
    /// The number of positions in `sequenceEdits`, also cached.
    package let editCount: Int

    package init(
        created: [Range<Int64>], deleted: [RowKey], touched: [RowKey: ColumnSet],
        sequenceEdits: [SequenceID: SequenceEdit] = [:], lacksEdits: Bool = false
    ) {
        createdCount = created.reduce(0) { $0 + $1.count }
        editCount = sequenceEdits.values.reduce(0) { $0 + $1.count }
        self.created = created
        self.deleted = deleted
        self.touched = touched
        self.sequenceEdits = sequenceEdits
        self.lacksEdits = lacksEdits
    }

    /// The difference of two versions.
    init(_ difference: ClassDifference) {
        var created: [Range<Int64>] = []
        for key in difference.inserted { created.extend(with: key.rawValue) }
        self.init(
            created: created, deleted: difference.deleted,
            touched: Dictionary(
                uniqueKeysWithValues: difference.modified.map { ($0.key, $0.columns) }),
            lacksEdits: true)
    }

    /// The changes of a logged commit.
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

    /// The number of marks, including the positions of edits.
    package var count: Int { createdCount + deleted.count + touched.count + editCount }

    package func columns(of key: RowKey) -> ColumnSet { touched[key] ?? ColumnSet() }

    /// The number of rows that were created, deleted or written.
    package var rowCount: Int { createdCount + deleted.count + touched.count }

    /// Whether a row was created, deleted or written. O(log n).
    package func touches(_ key: RowKey) -> Bool {
        touched[key] != nil || hasDeleted(key) || hasCreated(key)
    }

    private func hasDeleted(_ key: RowKey) -> Bool {
        let place = deleted.indices.partitioningIndex { deleted[$0] >= key }
        return place < deleted.count && deleted[place] == key
    }

    private func hasCreated(_ key: RowKey) -> Bool {
        let range = created.indices.partitioningIndex { created[$0].upperBound > key.rawValue }
        return range < created.count && created[range].contains(key.rawValue)
    }

    /// The changes of one row. O(log n).
    package func limited(to key: RowKey) -> ClassChanges {
        let columns = touched[key]
        var edits: [SequenceID: SequenceEdit] = [:]
        for column in columns?.columns ?? [] {
            let sequence = SequenceID(key: key, column: column)
            edits[sequence] = sequenceEdits[sequence]
        }
        return ClassChanges(
            created: hasCreated(key) ? [key.rawValue..<key.rawValue + 1] : [],
            deleted: hasDeleted(key) ? [key] : [], touched: columns.map { [key: $0] } ?? [:],
            sequenceEdits: edits, lacksEdits: lacksEdits)
    }

    /// Calls `body` with each row that was created, deleted or written.
    package func forEachRow(_ body: (RowKey) -> Void) {
        for key in touched.keys { body(key) }
        for key in deleted { body(key) }
        for range in created { for key in range { body(RowKey(key)) } }
    }

    package func forEachTouched(_ body: (RowKey, ColumnSet) throws -> Void) rethrows {
        for (key, columns) in touched { try body(key, columns) }
    }
}
