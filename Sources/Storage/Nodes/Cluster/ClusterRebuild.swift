/// Builds one cluster from the live rows of one or several others, which are not changed, and from
/// blank rows, whose values are zero, null or empty.
///
/// The new cluster has no dead slots, no values of deleted rows, and a column for each of the
/// schema. It is sparse, unless its keys happen to be consecutive.
struct ClusterRebuild {
    private let keys: [Int64]
    /// The locations of the rows; nil for blank ones.
    private let rows: [RowLocation?]
    private let schema: ClassSchema
    // Unowned: the working tree retains the account.
    private let account: Unmanaged<NodeAccount>

    /// Neighbours are merged if together they have no more rows than this, so that the result is
    /// not rewritten again soon.
    private static let mergedRowsMax = Cluster.slotsMax / 4 * 3

    /// The live rows of `clusters`, whose keys ascend from one to the next.
    init(_ clusters: [Cluster], schema: ClassSchema, account: Unmanaged<NodeAccount>) {
        let rows = clusters.flatMap(\.liveRows)
        self.init(rows.map { ($0.cluster.key($0.slot).rawValue, $0) }, schema, account)
    }

    private init(
        _ rows: [(key: Int64, place: RowLocation?)], _ schema: ClassSchema,
        _ account: Unmanaged<NodeAccount>
    ) {
        keys = rows.map(\.key)
        self.rows = rows.map(\.place)
        self.schema = schema
        self.account = account
    }

    /// Builds clusters from the live rows of one, or none, and blank rows with the keys `blanks`,
    /// which ascend and are not in the cluster.
    static func clusters(
        of cluster: Cluster?, adding blanks: ArraySlice<RowKey>, schema: ClassSchema,
        account: Unmanaged<NodeAccount>
    ) -> [Cluster] {
        var rows = (cluster?.liveRows ?? []).map { row -> (key: Int64, place: RowLocation?) in
            (row.cluster.key(row.slot).rawValue, row)
        }
        rows += blanks.map { ($0.rawValue, nil) }
        rows.sort { $0.key < $1.key }
        var clusters: [Cluster] = []
        var start = 0
        while start < rows.count {
            var end = start + 1
            while end < min(rows.count, start + Cluster.slotsMax),
                rows[end].key - rows[start].key <= Int64(UInt32.max)
            {
                end += 1
            }
            clusters.append(ClusterRebuild(Array(rows[start..<end]), schema, account).make())
            start = end
        }
        return clusters
    }

    /// Whether the rows of `clusters`, whose keys ascend from one to the next, fit one cluster.
    static func canMerge(_ clusters: [Cluster]) -> Bool {
        guard let first = clusters.first, let last = clusters.last,
            clusters.reduce(0, { $0 + $1.liveCount }) <= mergedRowsMax
        else { return false }
        let end = last.key(last.slotCount - 1).rawValue
        return UInt64(bitPattern: end &- first.firstKey) <= UInt64(UInt32.max)
    }

    /// The new cluster; there must be at least one row.
    func make() -> Cluster {
        let cluster = Cluster.make(firstKey: keys[0], schema: schema, account: account)
        for slot in rows.indices { cluster.setLive(slot, true) }
        cluster.slotCount = rows.count
        cluster.liveCount = rows.count
        if keys[rows.count - 1] - keys[0] != Int64(rows.count - 1) {
            cluster.offsetsSlot.put(offsets().node)
        }
        for (column, schema) in schema.columns.enumerated() {
            copyBits(column, schema, to: cluster)
            cluster.cell(column).put(chunk(column, schema)?.node)
        }
        return cluster
    }

    private func offsets() -> Chunk {
        let chunk = Chunk.make(.integers, width: 4, capacity: keys.count, account: account)
        // In a damaged tree, keys may descend from one cluster to the next, and exceed the range of
        // an offset.
        chunk.data.initializeMemory(as: UInt8.self, repeating: 0, count: keys.count * 4)
        for (slot, key) in keys.enumerated() { _ = chunk.storeInt(slot, key - keys[0]) }
        chunk.used = keys.count
        return chunk
    }

    private func copyBits(_ column: Int, _ schema: ColumnSchema, to cluster: Cluster) {
        if schema.hasNullBits {
            for (slot, row) in rows.enumerated() {
                if let row, !row.cluster.isNull(column, row.slot) {
                    cluster.setBit(column, slot, false)
                }
            }
        } else if schema.isBitColumn {
            for (slot, row) in rows.enumerated() {
                if let row, row.cluster.bool(column, row.slot) {
                    cluster.setBit(column, slot, true)
                }
            }
        }
    }

    // MARK: Chunks

    /// The column's values; nil when no row has a chunk, and so every value is zero.
    private func chunk(_ column: Int, _ schema: ColumnSchema) -> Chunk? {
        let sources = rows.map { row -> Source in
            // A placeholder reads as zeros in any form.
            guard let row, let chunk = row.cluster.chunk(column, schema.chunkShape),
                !MissingNode.isChunk(chunk.node)
            else { return nil }
            return (chunk: chunk, index: row.slot)
        }
        guard let first = sources.lazy.compactMap({ $0 }).first?.chunk else { return nil }
        switch first.form {
        case .integers:
            let isNull = rows.map { row in
                schema.hasNullBits && row.map { $0.cluster.isNull(column, $0.slot) } ?? true
            }
            return integers(sources, isNull)
        case .fixed, .slots: return plain(sources, first.form, width: first.width)
        case .strings: return strings(sources)
        }
    }

    private typealias Source = (chunk: Chunk, index: Int)?

    private func integers(_ sources: [Source], _ isNull: [Bool]) -> Chunk {
        let values = sources.map { $0.map { $0.chunk.int($0.index) } ?? 0 }
        // Values under null bits are never read, and must not increase the width.
        let shown = zip(values, isNull).lazy.filter { !$1 }.map(\.0)
        let low = shown.min() ?? 0
        let chunk = Chunk.makeIntegers(
            low: low, high: shown.max() ?? 0, capacity: values.count, account: account)
        for (slot, value) in values.enumerated() {
            _ = chunk.storeInt(slot, isNull[slot] ? low : value)
        }
        chunk.used = values.count
        return chunk
    }

    private func plain(_ sources: [Source], _ form: Chunk.Form, width: Int) -> Chunk {
        let chunk = Chunk.make(form, width: width, capacity: sources.count, account: account)
        chunk.data.initializeMemory(as: UInt8.self, repeating: 0, count: sources.count * width)
        for (slot, source) in sources.enumerated() {
            guard let source else { continue }
            (chunk.data + slot * width).copyMemory(
                from: source.chunk.data + source.index * width, byteCount: width)
        }
        chunk.used = sources.count
        if form == .slots { chunk.forEachSlot { $0.resident?.retain() } }
        return chunk
    }

    private func strings(_ sources: [Source]) -> Chunk {
        var heap = 0
        for source in sources {
            heap += StringView.heapSize(
                of: source.map { $0.chunk.stringView($0.index).length } ?? 0)
        }
        let chunk = Chunk.make(
            .strings, width: StringView.size, capacity: sources.count, heap: heap,
            account: account)
        for (slot, source) in sources.enumerated() {
            guard let source else {
                // Unsafe: an empty buffer.
                chunk.storeBytes(slot, UnsafeRawBufferPointer(start: nil, count: 0))
                continue
            }
            chunk.storeView(slot, from: source.chunk, source.index)
        }
        chunk.used = sources.count
        return chunk
    }
}

extension Cluster {
    fileprivate var liveRows: [RowLocation] {
        (0..<slotCount).lazy.filter { isLive($0) }.map { RowLocation(cluster: self, slot: $0) }
    }
}

extension ColumnSchema {
    /// Whether the values are the bits of the column's cell.
    fileprivate var isBitColumn: Bool { container == .none && kind == .bool && !isNullable }
}

extension Chunk {
    /// Writes the text or data of `other` at `position`; the blob of a long one is shared.
    fileprivate func storeView(_ index: Int, from other: Chunk, _ position: Int) {
        if other.stringView(position).length > StringView.heapMax {
            shareBlob(index, with: other, position)
        } else {
            storeBytes(index, other.bytes(position))
        }
    }
}
