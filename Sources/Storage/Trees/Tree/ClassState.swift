/// What the writer keeps beside the tree of one class while transactions run.
final class ClassState {
    let id: ClassID
    let schema: ClassSchema
    /// Columns with an index or backlink tree.
    let indexedColumns: [Int]
    /// Indexes of several columns.
    private let composites: [(index: Int, parts: [Int])]
    // Safety: unchecked exclusivity is safe for what every new row touches. One isolation has the
    // tree and its states, and what changes one of these looks at none of them while it does.
    /// No row gets a key below this one: keys of abandoned transactions are not used again.
    @exclusivity(unchecked) var keyFloor: Int64 = 0
    /// Index entries that have not been sorted into their trees, by column.
    @exclusivity(unchecked) var pending: [[IndexEntry]]
    @exclusivity(unchecked) var hasPending = false
    /// Rows that say another place than their entries do, by index.
    @exclusivity(unchecked) var moved: [Int: MovedRows] = [:]
    /// The rows of the pending primary keys by the keys of their entries, once those have come out
    /// of order; nil while they ascend.
    @exclusivity(unchecked) var pendingKeys: [UInt64: Int64]?
    /// Primary keys out of order that went into the tree at once.
    @exclusivity(unchecked) var keysOutOfOrder = 0

    // Unsafe: one byte of flags per column, allocated here, freed in deinit, never handed out.
    private let flags: UnsafeMutablePointer<UInt8>

    private static let indexedFlag: UInt8 = 1
    private static let nullFlag: UInt8 = 2
    private static let partFlag: UInt8 = 4

    init(id: ClassID, schema: ClassSchema) {
        self.id = id
        self.schema = schema
        let columns = schema.columns
        indexedColumns = columns.indices.filter { columns[$0].hasIndex }
        composites = indexedColumns.filter { columns[$0].isComposite }.map { index in
            (index, columns[index].parts.all.map(\.column.rawValue))
        }
        pending = Array(repeating: [], count: columns.count)
        flags = .allocate(capacity: max(columns.count, 1))
        for (index, column) in columns.enumerated() {
            flags[index] =
                (column.hasIndex ? Self.indexedFlag : 0)
                | (column.hasNullBits ? Self.nullFlag : 0)
        }
        for part in composites.flatMap(\.parts) { flags[part] |= Self.partFlag }
    }

    deinit { flags.deallocate() }

    @inline(__always)
    func isIndexed(_ column: Int) -> Bool { flags[column] & Self.indexedFlag != 0 }

    @inline(__always)
    func hasNullBits(_ column: Int) -> Bool { flags[column] & Self.nullFlag != 0 }

    /// Whether `column` is in an index of several.
    @inline(__always)
    func isIndexPart(_ column: Int) -> Bool { flags[column] & Self.partFlag != 0 }

    /// The indexes of several columns that `column` is in.
    func composites(of column: Int) -> [Int] {
        composites.filter { $0.parts.contains(column) }.map(\.index)
    }

    func dropPending() {
        guard hasPending else { return }
        for column in indexedColumns {
            // The memory of many entries is not kept for the few of most transactions.
            pending[column].removeAll(keepingCapacity: pending[column].count < 4096)
        }
        hasPending = false
        pendingKeys = nil
        moved = [:]
    }
}
