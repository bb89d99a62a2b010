public import Foundation

/// Writes the values of one row. Valid until its tree creates, deletes or looks up another row.
///
/// Each setter expects a column of its kind without a container. It maintains indexes and
/// backlinks.
@usableFromInline
package struct RowWriter {
    // Unowned: a writer is used only while its tree, which retains the state, is alive. Reference
    // counting would cost more than the write.
    private let unownedTree: Unmanaged<WorkingTree>
    private let unownedState: Unmanaged<ClassState>
    package let key: RowKey
    package let location: RowLocation

    @inline(__always)
    init(
        tree: WorkingTree, state: Unmanaged<ClassState>, key: RowKey, location: RowLocation
    ) {
        unownedTree = .passUnretained(tree)
        unownedState = state
        self.key = key
        self.location = location
    }

    private var tree: WorkingTree { unownedTree.takeUnretainedValue() }
    private var state: ClassState { unownedState.takeUnretainedValue() }

    private var cluster: Cluster { location.cluster }
    private var slot: Int { location.slot }

    private func cell(_ column: Int, _ shape: ChunkShape) -> ChunkCell {
        ChunkCell(
            slot: cluster.cell(column), shape: shape, count: cluster.slotCount,
            account: cluster.node.account)
    }

    /// Writes with `body`, and maintains indexes and marks around it.
    @inline(__always)
    private func write(_ column: Int, isNull: Bool, _ body: () -> Void) {
        unownedState._withUnsafeGuaranteedRef { state in
            unownedTree._withUnsafeGuaranteedRef { tree in
                if tree.isOpen(state.id, key) {
                    body()
                    if state.hasNullBits(column) { cluster.setBit(column, slot, isNull) }
                    return
                }
                let isIndexed = state.isIndexed(column)
                let words = isIndexed ? removeEntry(column) : []
                let composites = state.isIndexPart(column) ? state.composites(of: column) : []
                for index in composites { tree.removeCompositeEntry(state, index, location, key) }
                body()
                fill(column)
                if state.hasNullBits(column) { cluster.setBit(column, slot, isNull) }
                if isIndexed { addEntry(column, replacing: words) }
                for index in composites { tree.addCompositeEntry(state, index, location, key) }
                tree.touch(state, key, column)
            }
        }
    }

    /// Whether `column` has null bits.
    private func hasNullBits(_ column: Int) -> Bool {
        unownedState._withUnsafeGuaranteedRef { $0.hasNullBits(column) }
    }

    /// Fills a new chunk with zeros for the rows after this one. They are zeros and not null, also
    /// in a nullable column: a row whose value is zero needs no chunk.
    private func fill(_ column: Int) {
        // A chunk that is still only on disk cannot be read.
        guard let node = cluster.cell(column).resident,
            Chunk(node: node).used < cluster.slotCount
        else { return }
        cell(column, state.schema.columns[column].chunkShape).align(
            to: cluster.slotCount, nullable: false)
    }

    /// Removes the row's value from the index. For a full-text index, nothing is removed yet, and
    /// the keys of its terms are returned.
    private func removeEntry(_ column: Int) -> [UInt64] {
        let schema = state.schema.columns[column]
        if schema.isFullText { return tree.words(state, column, location) }
        if schema.kind == .link {
            if let old = cluster.link(column, slot) {
                tree.removeBacklink(state, column, target: old, origin: key)
            }
        } else {
            tree.removeEntry(state, column, location, key)
        }
        return []
    }

    private func addEntry(_ column: Int, replacing words: [UInt64]) {
        let schema = state.schema.columns[column]
        if schema.isFullText {
            tree.replaceWords(words, state, column, location, key)
        } else if schema.kind == .link {
            if let new = cluster.link(column, slot) {
                tree.addBacklink(state, column, target: new, origin: key)
            }
        } else {
            tree.insert(state, column, location, key)
        }
    }

    @usableFromInline
    package func setInt(_ column: Int, _ value: Int64) {
        write(column, isNull: false) { cell(column, .integers).setInt(slot, value) }
    }

    @usableFromInline
    package func setBool(_ column: Int, _ value: Bool) {
        write(column, isNull: false) {
            if hasNullBits(column) {
                cell(column, .integers).setInt(slot, value ? 1 : 0)
            } else {
                cluster.setBit(column, slot, value)
            }
        }
    }

    @usableFromInline
    package func setFloat(_ column: Int, _ value: Float) {
        write(column, isNull: false) { cell(column, .fixed(4)).setFixed(slot, value) }
    }

    @usableFromInline
    package func setDouble(_ column: Int, _ value: Double) {
        write(column, isNull: false) { cell(column, .fixed(8)).setFixed(slot, value) }
    }

    /// Seconds since the reference date.
    @usableFromInline
    package func setDate(_ column: Int, _ value: Double) { setDouble(column, value) }

    @usableFromInline
    package func setString(_ column: Int, _ value: String) {
        var value = value
        value.withUTF8 { setBytes(column, UnsafeRawBufferPointer($0)) }
    }

    @usableFromInline
    package func setData(_ column: Int, _ value: Data) {
        value.withUnsafeBytes { setBytes(column, $0) }
    }

    package func setBytes(_ column: Int, _ bytes: UnsafeRawBufferPointer) {
        write(column, isNull: false) { cell(column, .strings).setBytes(slot, bytes) }
    }

    @usableFromInline
    package func setUUID(_ column: Int, _ value: UUID) {
        write(column, isNull: false) { cell(column, .fixed(16)).setFixed(slot, value.uuid) }
    }

    package func setObjectID(_ column: Int, _ value: ObjectIDBits) {
        write(column, isNull: false) { cell(column, .fixed(12)).setFixed(slot, value) }
    }

    package func setDecimal(_ column: Int, _ value: DecimalBits) {
        write(column, isNull: false) { cell(column, .fixed(16)).setFixed(slot, value) }
    }

    package func setLink(_ column: Int, _ target: RowKey?) {
        guard let target else { return setNull(column) }
        write(column, isNull: false) { cell(column, .integers).setInt(slot, target.rawValue) }
    }

    /// Any value of a mixed column.
    package func setMixed(_ column: Int, _ value: StoredValue) {
        MixedCodec.encode(value).withUnsafeBytes { setMixed(column, encoded: $0) }
    }

    /// The same with valid bytes of ``MixedCodec``.
    func setMixed(_ column: Int, encoded bytes: UnsafeRawBufferPointer) {
        if MixedCodec.mayHoldObjects(bytes) {
            tree.noteTargets(of: MixedCodec.decode(bytes), state)
        }
        setBytes(column, bytes)
    }

    @usableFromInline
    package func setNull(_ column: Int) {
        if state.schema.columns[column].kind == .mixed { return setMixed(column, .null) }
        precondition(hasNullBits(column), "A required column cannot be null")
        write(column, isNull: true) {
            // The value under a null bit is never read, but must be erased.
            let kind = state.schema.columns[column].kind
            let cell = cell(column, kind.chunkShape)
            guard cell.chunk.map({ $0.used > slot }) ?? false else { return }
            if kind == .string || kind == .data {
                cell.setBytes(slot, UnsafeRawBufferPointer(start: nil, count: 0))
            } else if !cluster.isNull(column, slot) {
                cell.clear(slot)
            }
        }
    }

    /// Any value; it must fit the column.
    package func set(_ column: Int, _ value: StoredValue) {
        let kind = state.schema.columns[column].kind
        if value.isNull { return setNull(column) }
        precondition(
            kind == .mixed || value.kind == kind, "A \(kind) column cannot hold \(value)")
        switch kind.layout {
        case .bit: setBool(column, value.integer == 1)
        case .integer: setInt(column, value.integer ?? 0)
        // Unsafe: lent for the calls, which copy the bytes.
        case .fixed: _ = value.withFixedBytes { setFixed(column, $0) }
        case .bytes where kind == .mixed: setMixed(column, value)
        case .bytes: _ = value.withBytes(in: kind) { setBytes(column, $0) }
        }
    }

    // Unsafe: lent for the call, which copies the bytes.
    /// A value of fixed width, as its bytes.
    func setFixed(_ column: Int, _ bytes: UnsafeRawBufferPointer) {
        write(column, isNull: false) {
            cell(column, .fixed(bytes.count)).setFixed(slot, bytes: bytes)
        }
    }

    /// The slot of the row's container, in uniquely owned nodes.
    func containerSlot(_ column: Int) -> Slot {
        cell(column, .slots).writableSlot(slot, of: cluster.slotCount)
    }
}
