import Foundation

/// How an index orders entries whose keys are equal.
///
/// A key holds eight bytes of the value. Where that is the whole value, rows decide next; else the
/// whole values are compared, read from the rows themselves, which an index entry never outlives.
/// Valid as the tree is that holds the rows. Holds no counts: looking up retains nothing.
struct IndexOrder {
    /// What two different values with one key differ in.
    private enum Tie {
        /// In nothing: there are none.
        case none
        /// In being null, where the key is zero.
        case null
        case bytes
        case low
        case mixed
    }

    private let root: ClassRoot?
    private let column: Int
    private let kind: ValueKind
    let hasNulls: Bool
    private let tie: Tie

    /// The order of keys and rows, as backlinks have it.
    static var exact: IndexOrder { IndexOrder() }

    private init() {
        root = nil
        column = 0
        kind = .link
        hasNulls = false
        tie = .none
    }

    init(_ root: ClassRoot, _ schema: ColumnSchema, column: Int) {
        self.root = root
        self.column = column
        kind = schema.kind
        // Of links there are entries only where they are not null.
        hasNulls = schema.hasNullBits && schema.kind != .link
        switch schema.kind {
        case .string, .data: tie = .bytes
        case .uuid: tie = .low
        case .mixed: tie = .mixed
        case .link: tie = .none
        case .bool, .int, .float, .double, .date: tie = hasNulls ? .null : .none
        }
    }

    /// Whether no two different values have one key.
    var isExact: Bool { tie == .none }

    /// Whether entries with `key` can be of different values.
    @inline(__always)
    func isAmbiguous(_ key: UInt64) -> Bool {
        switch tie {
        case .none: false
        case .null: key == 0
        case .bytes, .low, .mixed: true
        }
    }

    /// The probe for the value of `row`. Valid while its cluster is not changed.
    func probe(_ row: Int64) -> IndexProbe? {
        guard let location = attach(row) else { return nil }
        return IndexProbe(location.cluster, location.slot, column, kind, hasNulls: hasNulls)
    }

    private func attach(_ row: Int64) -> RowLocation? {
        guard let cluster = root?.cluster(for: row), let slot = cluster.slot(of: RowKey(row))
        else { return nil }
        return RowLocation(cluster: cluster, slot: slot)
    }

    private func locate(_ row: Int64) -> RowHold? {
        guard let cluster = root?.hold(for: row) else { return nil }
        guard let slot = Cluster(node: cluster.node).slot(of: RowKey(row)) else { return nil }
        return RowHold(cluster, slot: slot)
    }

    /// Compares `probe` with the value of `row`, their keys being equal: below zero when the probe
    /// comes first.
    func compareTie(_ probe: IndexProbe, _ row: Int64) -> Int {
        guard isAmbiguous(probe.key), let location = locate(row) else { return 0 }
        let (cluster, slot) = (location.cluster, location.slot)
        if hasNulls {
            let isNull = cluster.isNull(column, slot)
            if isNull || probe.isNull { return (isNull ? 1 : 0) - (probe.isNull ? 1 : 0) }
        }
        switch tie {
        case .none, .null: return 0
        case .bytes: return IndexOrder.compare(probe.bytes, cluster.bytes(column, slot))
        case .low:
            let low = cluster.uuid(column, slot).orderedBits.low
            return probe.low < low ? -1 : (probe.low == low ? 0 : 1)
        case .mixed:
            let (a, b) = (
                MixedCodec.decode(probe.bytes), MixedCodec.decode(cluster.bytes(column, slot))
            )
            return a < b ? -1 : (b < a ? 1 : 0)
        }
    }

    /// Compares bytes as `memcmp` does, the shorter first when it is the beginning of the longer.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let x = a.baseAddress, let y = b.baseAddress {
            let order = memcmp(x, y, common)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }
}
