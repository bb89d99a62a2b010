import Foundation

/// An entry that the running transaction has added to a unique index.
struct UncheckedEntry {
    let id: ClassID
    let column: Int
    let row: RowKey
}

extension WorkingTree {
    /// Throws if rows have duplicate values in a unique index, and first of all if a node could not
    /// be read: the index may lack rows then.
    func requireUniqueValues() throws(StorageError) {
        let duplicate = duplicateValues()
        if let failure = account.failure { throw failure }
        if let duplicate { throw .duplicateValues(duplicate) }
    }

    /// Finds rows with duplicate values in a unique index because of the transaction; nil if there
    /// are none. Rows with a null are never equal.
    ///
    /// Called at the end of a transaction, so that two rows can swap their values within it.
    package func duplicateValues() -> DuplicateValues? {
        flushPending()
        if unchecked.isEmpty { return nil }
        let groups = Dictionary(grouping: unchecked) { IndexName(id: $0.id, column: $0.column) }
        let names = groups.keys.sorted { ($0.id, $0.column) < ($1.id, $1.column) }
        for name in names {
            guard let entries = groups[name], let index = UniqueIndex(name, flushedView) else {
                continue
            }
            let fresh = Set(entries.map(\.row))
            if let rows = index.equalRows(among: fresh),
                let found = index.duplicate(rows, fresh)
            {
                return found
            }
        }
        return nil
    }
}

private struct IndexName: Hashable {
    let id: ClassID
    let column: Int
}

/// A unique index at the end of a transaction.
private struct UniqueIndex {
    private let view: ClassView
    private let parts: IndexParts
    private let reader: IndexReader

    /// From this many entries on, a pass over the whole index may be faster than looking up each
    /// one.
    private static let passMin = 64
    private static let passShare = 8

    /// Nil if the index was removed, or has no entries.
    init?(_ name: IndexName, _ tree: TreeView) {
        guard name.id.rawValue < tree.schema.classes.count else { return nil }
        let columns = tree.schema[name.id].columns
        guard name.column < columns.count, columns[name.column].isComposite else { return nil }
        view = tree.classView(name.id)
        guard let root = view.root.indexRoot(name.column) else { return nil }
        parts = columns[name.column].parts
        reader = IndexReader(root: root, order: view.order(name.column))
    }

    /// Two rows with the same values, one of which is in `fresh`.
    func equalRows(among fresh: Set<RowKey>) -> [RowKey]? {
        let count = IndexReader.count(reader.root)
        if fresh.count > Self.passMin, fresh.count > count / Self.passShare {
            return neighbours(among: fresh)
        }
        for row in fresh.sorted() {
            guard let location = view.locate(row),
                !CompositeKey.hasNull(location.cluster, location.slot, parts)
            else { continue }
            let ranks = reader.order.withProbe(location.cluster, location.slot) {
                reader.ranks(equalTo: $0)
            }
            if ranks.count > 1 {
                return ranks.map { RowKey(IndexReader.entry(reader.root, $0).row) }
            }
        }
        return nil
    }

    /// The same in one pass over the whole index: equal rows are neighbours. Rows that were equal
    /// before, because of damage, are not reported.
    private func neighbours(among fresh: Set<RowKey>) -> [RowKey]? {
        var last: IndexEntry?
        var found: [RowKey]?
        IndexReader.forEach(reader.root, 0..<IndexReader.count(reader.root)) { entry in
            defer { last = entry }
            guard let last, last.key == entry.key, let row = view.locate(RowKey(entry.row)),
                !CompositeKey.hasNull(row.cluster, row.slot, parts)
            else { return true }
            let tie = reader.order.withProbe(row.cluster, row.slot) {
                reader.order.compareTie($0, last.row)
            }
            let rows = [RowKey(last.row), RowKey(entry.row)]
            if tie == 0, rows.contains(where: fresh.contains) { found = rows }
            return found == nil
        }
        return found
    }

    func duplicate(_ rows: [RowKey], _ fresh: Set<RowKey>) -> DuplicateValues? {
        let existing = rows.first { !fresh.contains($0) } ?? rows[0]
        guard let rejected = rows.last(where: { $0 != existing && fresh.contains($0) }),
            let location = view.locate(existing)
        else { return nil }
        let columns = view.classSchema.columns
        return DuplicateValues(
            className: view.classSchema.name,
            columns: parts.all.map { columns[$0.column.rawValue].name },
            values: parts.all.map {
                location.value($0.column.rawValue, columns[$0.column.rawValue]).words
            }, existing: name(existing), rejected: name(rejected))
    }

    private func name(_ row: RowKey) -> DuplicateValues.RowName {
        let key = view.classSchema.primaryKey?.rawValue
        return DuplicateValues.RowName(
            row: row.rawValue,
            primaryKey: key.flatMap {
                view.locate(row)?.value($0, view.classSchema.columns[$0]).words
            })
    }
}

extension StoredValue {
    /// A readable description of the value.
    fileprivate var words: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .data(let value): "\(value.count) bytes"
        // `description` traps for a date that is NaN or out of range; this format does not.
        case .date(let value):
            Date(timeIntervalSinceReferenceDate: value)
                .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        case .uuid(let value): value.uuidString
        case .objectID(let value): "\(value)"
        case .decimal, .link, .object, .list, .dictionary: "a value"
        }
    }
}
