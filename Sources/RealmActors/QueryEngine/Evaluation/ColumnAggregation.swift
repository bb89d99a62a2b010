import Storage

/// Sums and extremes of one property over the rows of a query, cluster by cluster where possible.
struct ColumnAggregation {
    let query: ResultsQuery
    let path: ValuePath
    let view: TreeView

    func total() -> AggregateTotal {
        var total = AggregateTotal()
        forEachRun { cluster, column, schema, mask in
            total.count += mask.count
            switch schema.kind.number {
            case .int?: total.integers += ClusterSums.integers(cluster, column, mask)
            case .double?:
                guard let values = cluster.doubles(column) else { break }
                var mask = mask
                var sum = ClusterSums.reals(values, mask, cluster.slotCount)
                if sum.isNaN {
                    // Most often because of values that are NaN, which do not count.
                    let count = mask.count
                    mask.filter { !values[$0].isNaN }
                    total.count -= count - mask.count
                    sum = ClusterSums.reals(values, mask, cluster.slotCount)
                }
                total.reals += sum
            case .float?:
                mask.forEach { slot in
                    let value = cluster.float(column, slot)
                    if value.isNaN { total.count -= 1 } else { total.reals += Double(value) }
                    return true
                }
            case .decimal?:
                mask.forEach { slot in
                    let value = Decimal128(bits: cluster.decimal(column, slot))
                    if value.isNaN { total.count -= 1 } else { total.decimals += value }
                    return true
                }
            case nil:
                total.count -= mask.count
                guard schema.kind == .mixed else { break }
                mask.forEach { slot in
                    total.add(cluster.value(column, slot, schema))
                    return true
                }
            }
        }
        return total
    }

    /// The row with the smallest or greatest value; null and NaN do not count.
    func extreme(_ aggregate: CollectionAggregate) -> RowHold? {
        let wantsMaximum = aggregate == .maximum
        if case .value(_, let schema) = path.end, schema.kind == .decimal {
            return extremeDecimal(wantsMaximum)
        }
        if case .value(_, let schema) = path.end, schema.kind == .mixed {
            return extremeOfAnyType(wantsMaximum)
        }
        var best: (value: UInt64, row: RowKey)?
        let key = SortKey(path: ValuePath(steps: [], end: path.end), ascending: true)
        forEachRun { cluster, column, schema, mask in
            if schema.kind == .double || schema.kind == .date,
                let values = cluster.doubles(column), let found = best
            {
                guard
                    ClusterSums.mayImprove(
                        values, mask, cluster.slotCount, found.value, wantsMaximum)
                else { return }
            }
            if schema.kind == .int, let found = best, let chunk = cluster.integers(column) {
                let limit = Int64(bitPattern: found.value ^ (1 << 63))
                let count = cluster.slotCount
                guard ClusterSums.mayImprove(chunk, count, limit, wantsMaximum) else { return }
            }
            mask.forEach { slot in
                let row = RowLocation(cluster: cluster, slot: slot)
                let bits = key.digit(row, view, depth: 0).bits
                if schema.kind != .int, bits == 0 { return true }
                if let found = best, wantsMaximum ? bits <= found.value : bits >= found.value {
                    return true
                }
                best = (bits, cluster.key(slot))
                return true
            }
        }
        return best.flatMap { locate($0.row) }
    }

    /// The same for decimal numbers, which do not fit in eight bytes.
    private func extremeDecimal(_ wantsMaximum: Bool) -> RowHold? {
        extreme(wantsMaximum) { cluster, column, _, slot in
            let value = cluster.decimal(column, slot)
            return value.isNaN ? nil : value
        }
    }

    /// The same for values of any type, in the order of all types.
    private func extremeOfAnyType(_ wantsMaximum: Bool) -> RowHold? {
        extreme(wantsMaximum) { cluster, column, schema, slot in
            let value = view.present(cluster.value(column, slot, schema))
            return value.isNull || value.isNotANumber ? nil : value
        }
    }

    /// The first row with the extreme of values that compare by themselves; nil ones do not count.
    private func extreme<Value: Comparable>(
        _ wantsMaximum: Bool, _ value: (Cluster, Int, ColumnSchema, Int) -> Value?
    ) -> RowHold? {
        var best: (value: Value, row: RowKey)?
        forEachRun { cluster, column, schema, mask in
            mask.forEach { slot in
                guard let value = value(cluster, column, schema, slot) else { return true }
                if let found = best,
                    wantsMaximum ? value <= found.value : value >= found.value
                {
                    return true
                }
                best = (value, cluster.key(slot))
                return true
            }
        }
        return best.flatMap { locate($0.row) }
    }

    /// The class that the path ends in.
    var endClassID: ClassID {
        if case .link(let hop)? = path.steps.last { return hop.target }
        return query.classID
    }

    /// A row of the class that the path ends in.
    private func locate(_ row: RowKey) -> RowHold? { view.classView(endClassID).locate(row) }

    /// Visits clusters with the rows that have a value; rows across links one at a time.
    private func forEachRun(_ body: (Cluster, Int, ColumnSchema, ClusterMask) -> Void) {
        guard case .value(let column, let schema) = path.end else { return }
        func visit(_ cluster: Cluster, _ mask: ClusterMask) {
            var mask = mask
            // Values of any type are null by what they hold.
            if schema.isNullable, schema.kind != .mixed {
                mask.subtract(ClusterMask.nulls(column, cluster))
            }
            if !mask.isEmpty { body(cluster, column, schema, mask) }
        }
        query.forEachMask(view) { cluster, mask in
            if path.steps.isEmpty { return visit(cluster, mask) }
            mask.forEach { slot in
                let row = RowLocation(cluster: cluster, slot: slot)
                if let last = row.following(path.steps[...], view) {
                    visit(last.cluster, ClusterMask(slot: last.slot))
                }
                return true
            }
        }
    }
}

/// The loops over one cluster.
enum ClusterSums {
    static func integers(_ cluster: Cluster, _ column: Int, _ mask: ClusterMask) -> Int128 {
        guard let chunk = cluster.integers(column) else { return 0 }
        let rows = mask.count
        let count = cluster.slotCount
        let base = Int128(chunk.base) * Int128(rows)
        if rows == count, chunk.width < 8 {
            // Unsafe: the chunk holds an offset for each slot.
            var sum: UInt64 = 0
            switch chunk.width {
            case 1:
                for slot in 0..<count {
                    sum &+= UInt64(chunk.data.load(fromByteOffset: slot, as: UInt8.self))
                }
            case 2:
                for slot in 0..<count {
                    sum &+= UInt64(
                        chunk.data.loadUnaligned(fromByteOffset: slot &* 2, as: UInt16.self))
                }
            default:
                for slot in 0..<count {
                    sum &+= UInt64(
                        chunk.data.loadUnaligned(fromByteOffset: slot &* 4, as: UInt32.self))
                }
            }
            return base + Int128(sum)
        }
        var sum: Int128 = 0
        mask.forEach { slot in
            sum += Int128(cluster.int(column, slot))
            return true
        }
        return sum
    }

    static func reals(
        _ values: UnsafePointer<Double>, _ mask: ClusterMask, _ count: Int
    ) -> Double {
        var sum = 0.0
        guard mask.count == count else {
            mask.forEach { slot in
                sum += values[slot]
                return true
            }
            return sum
        }
        // Four sums at a time: one alone waits for each addition before the next.
        // Unsafe: the chunk holds a value for each slot.
        var sums = SIMD4<Double>.zero
        var slot = 0
        while slot &+ 4 <= count {
            sums += UnsafeRawPointer(values + slot).loadUnaligned(as: SIMD4<Double>.self)
            slot &+= 4
        }
        while slot < count {
            sum += values[slot]
            slot &+= 1
        }
        return sum + sums.sum()
    }

    /// Whether a value of the cluster may be better than the best so far.
    static func mayImprove(
        _ values: UnsafePointer<Double>, _ mask: ClusterMask, _ count: Int, _ limit: UInt64,
        _ wantsMaximum: Bool
    ) -> Bool {
        let best = Double(bitPattern: limit >> 63 == 1 ? limit & ~(1 << 63) : ~limit)
        var hits: UInt64 = 0
        // Unsafe: the chunk holds a value for each slot; those outside the mask only cost time.
        if wantsMaximum {
            for slot in 0..<count { hits |= values[slot] > best ? 1 : 0 }
        } else {
            for slot in 0..<count { hits |= values[slot] < best ? 1 : 0 }
        }
        return hits != 0
    }

    /// Whether an integer of the cluster may be better than the best so far.
    static func mayImprove(
        _ chunk: IntegerChunk, _ count: Int, _ limit: Int64, _ wantsMaximum: Bool
    ) -> Bool {
        switch chunk.width {
        case 1: mayImprove(UInt8.self, chunk, count, limit, wantsMaximum)
        case 2: mayImprove(UInt16.self, chunk, count, limit, wantsMaximum)
        case 4: mayImprove(UInt32.self, chunk, count, limit, wantsMaximum)
        default: true
        }
    }

    @inline(__always)
    private static func mayImprove<Offset: FixedWidthInteger & BitwiseCopyable>(
        _ type: Offset.Type, _ chunk: IntegerChunk, _ count: Int, _ limit: Int64,
        _ wantsMaximum: Bool
    ) -> Bool {
        // Unsafe: the chunk holds an offset for each slot; those without a row only cost time.
        let data = chunk.data
        let stride = MemoryLayout<Offset>.size
        var least = Offset.max
        var greatest = Offset.min
        if wantsMaximum {
            for slot in 0..<count {
                greatest = max(
                    greatest, data.loadUnaligned(fromByteOffset: slot &* stride, as: Offset.self))
            }
            return Int128(chunk.base) + Int128(greatest) > Int128(limit)
        }
        for slot in 0..<count {
            least = min(
                least, data.loadUnaligned(fromByteOffset: slot &* stride, as: Offset.self))
        }
        return Int128(chunk.base) + Int128(least) < Int128(limit)
    }
}
