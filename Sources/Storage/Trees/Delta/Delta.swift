/// The changes of a transaction: marks without values.
///
/// New values are read from the new tree when the commit record is encoded.
struct Delta: Sendable {
    private(set) var classes: [ClassDelta?] = []

    init(classCount: Int) { classes = Array(repeating: nil, count: classCount) }

    var isEmpty: Bool { classes.allSatisfy { $0?.isEmpty ?? true } }

    /// The changed classes.
    var changedClasses: [ClassID] {
        classes.indices.filter { !(classes[$0]?.isEmpty ?? true) }.map { ClassID($0) }
    }

    /// The number of changed classes.
    var changedCount: Int {
        var count = 0
        for marks in classes where !(marks?.isEmpty ?? true) { count += 1 }
        return count
    }

    /// The changed classes with their marks.
    var changed: [(id: ClassID, marks: ClassDelta)] {
        classes.enumerated().compactMap { index, marks in
            marks.flatMap { $0.isEmpty ? nil : (ClassID(index), $0) }
        }
    }

    /// Makes room for the classes of `schema`. A class that gets columns must have no marks.
    mutating func grow(to schema: StoreSchema) {
        for (index, marks) in classes.enumerated() {
            guard let marks, marks.columns != schema.classes[index].columns.count else { continue }
            classes[index] = nil
        }
        let missing = max(schema.classes.count - classes.count, 0)
        classes += Array(repeating: nil, count: missing)
    }

    /// The marks of one class; `nextKey` is the first key of rows that the transaction creates.
    @inline(__always)
    mutating func update<R>(
        _ id: ClassID, columns: Int, nextKey: () -> Int64, _ body: (inout ClassDelta) -> R
    ) -> R {
        if classes[id.rawValue] == nil {
            classes[id.rawValue] = ClassDelta(createdFrom: nextKey(), columns: columns)
        }
        return body(&classes[id.rawValue]!)
    }
}

extension Delta {
    /// Whether rows were deleted and none created.
    var onlyDeletes: Bool {
        classes.contains { $0?.deletesRows ?? false }
            && classes.allSatisfy { !($0?.hasCreated ?? false) }
    }
}

/// The changes of one class by a transaction.
struct ClassDelta: Sendable {
    /// Rows from this key on were created by the transaction.
    let createdFrom: Int64
    let columns: Int
    /// Deleted rows that existed before.
    private(set) var deleted = DeletedRows()
    /// Edits of lists, sets and maps of rows that existed before.
    var edits: [SequenceID: SequenceEdit] = [:]
    /// The key after the last row that the transaction has created; later transactions of the group
    /// create more.
    private(set) var createdEnd: Int64 = .min

    /// Written rows that existed before.
    private var touched: TouchedRows

    init(createdFrom: Int64, columns: Int) {
        self.createdFrom = createdFrom
        self.columns = columns
        touched = TouchedRows(columns: columns)
    }

    var hasCreated: Bool { createdEnd > createdFrom }
    var deletesRows: Bool { !deleted.isEmpty }

    mutating func create(_ key: Int64) { createdEnd = key + 1 }

    var isEmpty: Bool { !hasCreated && deleted.isEmpty && touched.isEmpty }

    func isCreated(_ key: Int64) -> Bool { key >= createdFrom }

    @inline(__always)
    mutating func touch(_ key: Int64, _ column: Int) {
        if key < createdFrom { touched.insert(key, column) }
    }

    mutating func delete(_ key: Int64) {
        if key >= createdFrom { return }
        deleted.insert(key)
        if edits.isEmpty { return }
        if edits.count <= columns {
            edits = edits.filter { $0.key.key.rawValue != key }
            return
        }
        // Filtering all edits for each of many rows would take quadratic time.
        for column in 0..<columns {
            edits[SequenceID(key: RowKey(key), column: ColumnID(column))] = nil
        }
    }

    /// The rows of `column` that were touched and still exist, ascending.
    func touchedRows(_ column: Int) -> [RowKey] {
        let rows = touched.rows(column)
        return deleted.isEmpty ? rows : rows.filter { !deleted.contains($0.rawValue) }
    }
}
