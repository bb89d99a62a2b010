/// The writer's state for one class besides the tree, while transactions run.
final class ClassState {
    let id: ClassID
    let schema: ClassSchema
    /// Columns with an index or backlink tree.
    let indexedColumns: [Int]
    /// Indexes of several columns.
    private let composites: [(index: Int, parts: [Int])]
    // Safety: unchecked exclusivity is safe for the properties that each new row accesses. One
    // isolation uses the tree and its states, and code that changes one of these reads none of them
    // meanwhile.
    /// The lower bound for keys of new rows: keys of rolled back transactions are not reused.
    @exclusivity(unchecked) var keyFloor: Int64 = 0
    /// Index entries that were not merged into their trees yet, by column.
    @exclusivity(unchecked) var pending: [[IndexEntry]]
    @exclusivity(unchecked) var hasPending = false
    /// Rows whose place differs from that of their index entries, by index.
    @exclusivity(unchecked) var moved: [Int: MovedRows] = [:]
    /// The rows of the pending primary keys by the keys of their entries; nil while those ascend.
    @exclusivity(unchecked) var pendingKeys: [UInt64: Int64]?
    /// The number of primary keys out of order that were inserted into the tree directly.
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

    /// Whether `column` is part of an index of several columns.
    @inline(__always)
    func isIndexPart(_ column: Int) -> Bool { flags[column] & Self.partFlag != 0 }

    /// The indexes of several columns that `column` is part of.
    func composites(of column: Int) -> [Int] {
        composites.filter { $0.parts.contains(column) }.map(\.index)
    }

    func dropPending() {
        guard hasPending else { return }
        for column in indexedColumns {
            // A large buffer is not kept, since most transactions have few entries.
            pending[column].removeAll(keepingCapacity: pending[column].count < 4096)
        }
        hasPending = false
        pendingKeys = nil
        moved = [:]
    }
}
