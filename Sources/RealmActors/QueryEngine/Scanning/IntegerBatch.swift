import Storage

/// The results of a calculation with integers, for rows of one cluster.
struct IntegerBatch {
    /// By slot. Slots without a row in ``rows`` have arbitrary values.
    private var values: [Int64]
    /// The rows whose result is an integer.
    private(set) var rows: ClusterMask

    /// A constant.
    init(_ constant: Int64, _ rows: ClusterMask) {
        values = [Int64](repeating: constant, count: Cluster.slotsMax)
        self.rows = rows
    }

    /// The values of a column.
    init(_ cluster: Cluster, _ column: Int, _ rows: ClusterMask) {
        values = [Int64](repeating: 0, count: Cluster.slotsMax)
        self.rows = rows
        guard let chunk = cluster.integers(column) else { return }
        switch chunk.width {
        case 1: load(UInt8.self, chunk, cluster.slotCount)
        case 2: load(UInt16.self, chunk, cluster.slotCount)
        case 4: load(UInt32.self, chunk, cluster.slotCount)
        default: load(UInt64.self, chunk, cluster.slotCount)
        }
    }

    @inline(__always)
    private mutating func load<Offset: FixedWidthInteger & BitwiseCopyable>(
        _ type: Offset.Type, _ chunk: IntegerChunk, _ count: Int
    ) {
        let (data, base) = (chunk.data, chunk.base)
        let stride = MemoryLayout<Offset>.size
        // Unsafe: a chunk holds at least as many offsets as its cluster has slots, and there is a
        // value for each slot.
        values.withUnsafeMutableBufferPointer { values in
            for slot in 0..<count {
                let offset = data.loadUnaligned(fromByteOffset: slot &* stride, as: Offset.self)
                values[slot] = base &+ Int64(truncatingIfNeeded: offset)
            }
        }
    }

    // MARK: Calculations

    /// Calculates with a constant as the right side.
    mutating func apply(_ operation: ArithmeticOperator, _ constant: Int64) {
        if operation == .remainder, let divisor = UInt32(exactly: constant), divisor > 0 {
            return applyRemainder(divisor)
        }
        replace { value, _ in operation.integer(value, constant) }
    }

    /// Calculates with other results as the right side, which are of these rows or fewer.
    mutating func apply(_ operation: ArithmeticOperator, _ other: IntegerBatch) {
        rows = other.rows
        replace { value, slot in operation.integer(value, other.values[slot]) }
    }

    /// Two multiplications instead of a division, for values of 32 bits: see Lemire, Kaser and
    /// Kurz, "Faster remainder by direct computation", 2019.
    private mutating func applyRemainder(_ divisor: UInt32) {
        let wide = UInt64(divisor)
        let reciprocal = UInt64.max / wide &+ 1
        replace { value, _ in
            guard let small = UInt32(exactly: value) else { return value % Int64(divisor) }
            let fraction = reciprocal &* UInt64(small)
            return Int64(truncatingIfNeeded: fraction.multipliedFullWidth(by: wide).high)
        }
    }

    /// Replaces the value of each row. A row without a result is removed.
    @inline(__always)
    private mutating func replace(_ result: (_ value: Int64, _ slot: Int) -> Int64?) {
        var kept = rows
        // Unsafe: borrowed for the call, with a value for each slot.
        values.withUnsafeMutableBufferPointer { values in
            kept.filter { slot in
                guard let value = result(values[slot], slot) else { return false }
                values[slot] = value
                return true
            }
        }
        rows = kept
    }

    // MARK: Comparisons

    /// The rows for whose value the comparison with a constant holds.
    func matching(_ comparison: QueryComparison, _ constant: Int64) -> ClusterMask {
        var matching = rows
        // Unsafe: borrowed for the call, with a value for each slot.
        values.withUnsafeBufferPointer { values in
            matching.scan(count: values.count) { comparison.holds(values[$0], constant) }
        }
        return matching
    }

    /// The rows of `other` for which the comparison of both values holds.
    func matching(_ comparison: QueryComparison, _ other: IntegerBatch) -> ClusterMask {
        var matching = other.rows
        // Unsafe: borrowed for the call, with a value for each slot.
        values.withUnsafeBufferPointer { values in
            other.values.withUnsafeBufferPointer { others in
                matching.scan(count: values.count) { comparison.holds(values[$0], others[$0]) }
            }
        }
        return matching
    }
}
