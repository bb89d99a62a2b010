public import Foundation

/// Reading single values. `column` and `slot` must be within the cluster's schema and rows.
extension Cluster {
    /// Whether a nullable value is null. A column that the cluster does not have yet is null.
    @inlinable
    package func isNull(_ column: Int, _ slot: Int) -> Bool {
        column >= columnCount || bit(column, slot)
    }

    @inlinable
    package func int(_ column: Int, _ slot: Int) -> Int64 {
        chunk(column, .integers)?.int(slot) ?? 0
    }

    /// A required boolean.
    @inlinable
    package func bool(_ column: Int, _ slot: Int) -> Bool {
        column < columnCount && bit(column, slot)
    }

    @inlinable
    package func float(_ column: Int, _ slot: Int) -> Float {
        chunk(column, .fixed(4))?.data.load(fromByteOffset: slot &* 4, as: Float.self) ?? 0
    }

    @inlinable
    package func double(_ column: Int, _ slot: Int) -> Double {
        chunk(column, .fixed(8))?.data.load(fromByteOffset: slot &* 8, as: Double.self) ?? 0
    }

    /// Seconds since the reference date.
    @inlinable
    package func date(_ column: Int, _ slot: Int) -> Double { double(column, slot) }

    @inlinable
    package func uuid(_ column: Int, _ slot: Int) -> UUID {
        guard let chunk = chunk(column, .fixed(16)) else { return UUID(uuid: zeroUUID) }
        return UUID(uuid: chunk.data.loadUnaligned(fromByteOffset: slot &* 16, as: uuid_t.self))
    }

    package func objectID(_ column: Int, _ slot: Int) -> ObjectIDBits {
        guard let chunk = chunk(column, .fixed(12)) else { return .zero }
        return chunk.data.loadUnaligned(fromByteOffset: slot &* 12, as: ObjectIDBits.self)
    }

    package func decimal(_ column: Int, _ slot: Int) -> DecimalBits {
        guard let chunk = chunk(column, .fixed(16)) else { return .zero }
        return chunk.data.loadUnaligned(fromByteOffset: slot &* 16, as: DecimalBits.self)
    }

    // Unsafe: valid while the owner of the cluster lives and the writer does not change the value.
    /// The bytes of a string or data value.
    @inlinable
    package func bytes(_ column: Int, _ slot: Int) -> UnsafeRawBufferPointer {
        chunk(column, .strings)?.bytes(slot) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    @inlinable
    package func string(_ column: Int, _ slot: Int) -> String {
        String(decoding: bytes(column, slot), as: UTF8.self)
    }

    @inlinable
    package func data(_ column: Int, _ slot: Int) -> Data { Data(bytes(column, slot)) }

    /// The row that a link column points to.
    @inlinable
    package func link(_ column: Int, _ slot: Int) -> RowKey? {
        isNull(column, slot) ? nil : RowKey(int(column, slot))
    }

    /// Any value without a container, as the general enum. `isNullable` as in the schema.
    package func value(_ column: Int, _ slot: Int, _ schema: ColumnSchema) -> StoredValue {
        if schema.hasNullBits, isNull(column, slot) { return .null }
        switch schema.kind.layout {
        case .bit:
            return .bool(schema.isNullable ? int(column, slot) != 0 : bool(column, slot))
        case .integer: return StoredValue(schema.kind, integer: int(column, slot))
        case .fixed: return fixed(column, slot, schema.kind)
        case .bytes: return StoredValue(schema.kind, bytes: bytes(column, slot))
        }
    }

    /// A value of a kind of fixed width.
    package func fixed(_ column: Int, _ slot: Int, _ kind: ValueKind) -> StoredValue {
        guard let chunk = chunk(column, kind.chunkShape) else { return .zero(kind) }
        return StoredValue(kind, fixed: chunk.fixed(slot, kind.fixedWidth))
    }

    // Unsafe: valid while the owner of the cluster lives and the writer does not change the value.
    /// The bytes of a value of a kind of fixed width; nil if they are zeros.
    func fixedBytes(_ column: Int, _ slot: Int, _ kind: ValueKind) -> UnsafeRawBufferPointer? {
        chunk(column, kind.chunkShape).map { $0.fixed(slot, kind.fixedWidth) }
    }

    // MARK: Columns as a whole

    /// 64 null bits of a nullable column.
    @inlinable
    package func nullWord(_ column: Int, _ index: Int) -> UInt64 {
        column < columnCount ? bitsWord(column, index) : ~0
    }

    /// 64 values of a required boolean column.
    @inlinable
    package func boolWord(_ column: Int, _ index: Int) -> UInt64 {
        column < columnCount ? bitsWord(column, index) : 0
    }

    /// The integers of a column, nil when all are zero.
    @inlinable
    package func integers(_ column: Int) -> IntegerChunk? {
        chunk(column, .integers).map { IntegerChunk($0) }
    }

    // Unsafe: valid for the cluster's rows while its owner lives; the chunk holds doubles only.
    /// The doubles (or dates) of a column, nil when all are zero.
    @inlinable
    package func doubles(_ column: Int) -> UnsafePointer<Double>? {
        chunk(column, .fixed(8)).map {
            UnsafePointer($0.data.assumingMemoryBound(to: Double.self))
        }
    }

    // Unsafe: valid for the cluster's rows while its owner lives; the chunk holds floats only.
    /// The floats of a column, nil when all are zero.
    @inlinable
    package func floats(_ column: Int) -> UnsafePointer<Float>? {
        chunk(column, .fixed(4)).map {
            UnsafePointer($0.data.assumingMemoryBound(to: Float.self))
        }
    }

    /// The strings or data of a column, nil when all are empty.
    @inlinable
    package func strings(_ column: Int) -> StringChunk? {
        chunk(column, .strings).map { StringChunk($0) }
    }

    /// The elements of a list or set.
    package func sequence(_ column: Int, _ slot: Int, _ schema: ColumnSchema) -> SequenceView {
        SequenceView(root: container(column, slot, schema), kind: schema.elementKind)
    }

    /// The entries of a map.
    package func map(_ column: Int, _ slot: Int, _ schema: ColumnSchema) -> MapView {
        MapView(root: container(column, slot, schema), kind: schema.elementKind)
    }

    /// Calls `body` with each link that a row has in `column`.
    func forEachLink(
        _ column: Int, _ slot: Int, _ schema: ColumnSchema, _ body: (RowKey) -> Void
    ) {
        switch schema.container {
        case .none:
            if let target = link(column, slot) { body(target) }
        case .list, .set: sequence(column, slot, schema).forEachLink(body)
        case .map:
            map(column, slot, schema).values.forEach {
                if case .link(let target) = $0 { body(target) }
            }
        }
    }

    /// An identifier of the contents of a list, set or map within a store.
    package func containerIdentity(_ column: Int, _ slot: Int) -> Int {
        guard let chunk = chunk(column, .slots) else { return 0 }
        // The place on disk, if there is one: the node may be read into memory more than once.
        if let place = chunk.slot(slot).place {
            return Int(truncatingIfNeeded: place.address.rawValue)
        }
        return chunk.slot(slot).resident.map { Int(bitPattern: $0.raw) } ?? 0
    }

    func container(_ column: Int, _ slot: Int, _ schema: ColumnSchema) -> Node? {
        guard let chunk = chunk(column, .slots) else { return nil }
        return chunk.slot(slot).node(schema.containerDemand)
    }
}

@usableFromInline
let zeroUUID: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)

extension Cluster {
    /// The bits of word `index` of a bitmap that belong to `count` slots.
    static func mask(_ count: Int, _ index: Int) -> UInt64 {
        let bits = min(max(count - index * 64, 0), 64)
        return bits == 64 ? ~0 : (1 << UInt64(bits)) - 1
    }
}
