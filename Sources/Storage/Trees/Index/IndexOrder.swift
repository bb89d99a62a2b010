/// How an index orders entries whose keys are equal.
///
/// A key contains eight bytes of the value. If that is the whole value, rows decide next; otherwise
/// the whole values are compared, which are read from the rows, since an index entry never outlives
/// its row. Valid as long as the tree with the rows. Retains nothing, so that a lookup is cheap.
struct IndexOrder {
    private let root: ClassRoot?
    let column: IndexedColumn

    /// The order by key and row, as in backlinks.
    static var exact: IndexOrder { IndexOrder(root: nil, column: .exact) }

    private init(root: ClassRoot?, column: IndexedColumn) {
        self.root = root
        self.column = column
    }

    init(_ root: ClassRoot, _ column: IndexedColumn) { self.init(root: root, column: column) }

    init(_ root: ClassRoot, _ schema: ColumnSchema, column: Int) {
        self.init(root: root, column: IndexedColumn(column, schema))
    }

    var hasNulls: Bool { column.hasNulls }

    /// Whether different values always have different keys.
    var isExact: Bool { column.tie == .none }

    /// Whether entries with `key` can have different values.
    @inline(__always)
    func isAmbiguous(_ key: UInt64) -> Bool {
        switch column.tie {
        case .none: false
        case .null: key == 0
        case .bytes, .low, .mixed, .composite: true
        }
    }

    /// Whether entries with the key of `probe` can have other values.
    @inline(__always)
    func isAmbiguous(_ probe: IndexProbe) -> Bool {
        !probe.hasUniqueKey && isAmbiguous(probe.key)
    }

    /// Calls `body` with the probe for the value of `row`; nil if there is no such row.
    func withProbe<R>(_ row: Int64, _ body: (IndexProbe) -> R) -> R? {
        guard let location = root?.attach(RowKey(row)) else { return nil }
        return withProbe(location.cluster, location.slot, body)
    }

    /// Calls `body` with the probe for the value of a row that has been located.
    func withProbe<R>(_ cluster: Cluster, _ slot: Int, _ body: (IndexProbe) -> R) -> R {
        if let places = PlaceColumns(column.parts) {
            return body(IndexProbe(key: PlaceKey.of(places.place(cluster, slot))))
        }
        guard column.tie == .composite else {
            return body(
                IndexProbe(cluster, slot, column.number, column.kind, hasNulls: hasNulls))
        }
        return CompositeKey.withBytes(of: cluster, slot, column.parts) {
            body(CompositeKey.probe(of: $0))
        }
    }

    /// Compares `probe` with the value of `row`, if their keys are equal: negative if the probe
    /// comes first.
    func compareTie(_ probe: IndexProbe, _ row: Int64) -> Int {
        guard isAmbiguous(probe), let found = locate(row) else { return 0 }
        return compareTie(probe, found.location)
    }

    /// The locations of the values that decide ties.
    @inline(__always)
    func locate(_ row: Int64) -> RowHold? { root?.locate(RowKey(row)) }

    /// Compares `probe` with the value of a row that was located, if their keys are equal.
    func compareTie(_ probe: IndexProbe, _ location: RowLocation) -> Int {
        let (cluster, slot, column) = (location.cluster, location.slot, self.column.number)
        if hasNulls {
            let isNull = cluster.isNull(column, slot)
            if isNull || probe.isNull { return (isNull ? 1 : 0) - (probe.isNull ? 1 : 0) }
        }
        switch self.column.tie {
        case .none, .null: return 0
        case .bytes: return ByteOrder.compare(probe.bytes, cluster.bytes(column, slot))
        case .low:
            let low = self.column.lowBits(cluster, slot)
            return probe.low < low ? -1 : (probe.low == low ? 0 : 1)
        case .mixed:
            let (a, b) = (
                MixedCodec.decode(probe.bytes), MixedCodec.decode(cluster.bytes(column, slot))
            )
            return a < b ? -1 : (b < a ? 1 : 0)
        case .composite:
            // A probe of only the first columns equals all entries that begin with it.
            return CompositeKey.withBytes(of: cluster, slot, self.column.parts) { bytes in
                let common = min(bytes.count, probe.bytes.count)
                return ByteOrder.compare(
                    probe.bytes, UnsafeRawBufferPointer(rebasing: bytes[..<common]))
            }
        }
    }
}
