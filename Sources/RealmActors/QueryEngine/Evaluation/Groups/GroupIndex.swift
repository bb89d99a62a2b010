import Storage

/// Numbers the values by which rows are grouped: equal ones have one number.
///
/// Equal is what an index takes to be one: texts by their bytes, numbers by what they count.
struct GroupIndex: Sendable {
    /// The values, by their numbers.
    private(set) var keys: [StoredValue] = []
    private var null: Int?
    /// Of values of at most eight bytes, which their hashes stand for.
    private var fixed = HashedNumbers()
    /// Of texts and bytes.
    private var hashed = HashedNumbers()
    /// All texts and bytes one after the other, and where each ends, by number.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// Of all other values.
    private var others: [ExactValue: Int] = [:]

    private mutating func add(_ key: StoredValue) -> Int {
        keys.append(key)
        return keys.count - 1
    }

    /// The number of nil.
    mutating func numberOfNull() -> Int {
        if let null { return null }
        let number = add(.null)
        null = number
        return number
    }

    /// Writes the numbers of values in a column, null or not, to their slots in `numbers`.
    mutating func number(
        _ cluster: Cluster, _ column: Int, _ mask: ClusterMask, _ schema: ColumnSchema,
        _ numbers: inout [Int]
    ) {
        var unknown = mask
        if schema.kind == .string, let texts = cluster.strings(column) {
            // Those that are known first: nothing changes meanwhile, so that the processor looks
            // several up at a time, each of which waits for memory.
            var (texted, known) = (mask, ClusterMask())
            if schema.isNullable { texted.subtract(ClusterMask.nulls(column, cluster)) }
            texted.forEach { slot in
                // Unsafe: read before anything can change the cluster.
                let text = texts.utf8(slot)
                if let number = number(of: text, hash: XXH64.hash(text)) {
                    numbers[slot] = number
                    known.insert(slot)
                }
                return true
            }
            unknown.subtract(known)
        }
        unknown.forEach { slot in
            numbers[slot] = number(cluster, column, slot, schema)
            return true
        }
    }

    /// The number of a value in a column, null or not.
    mutating func number(_ cluster: Cluster, _ column: Int, _ slot: Int, _ schema: ColumnSchema)
        -> Int
    {
        if schema.isNullable, schema.kind != .mixed, cluster.isNull(column, slot) {
            return numberOfNull()
        }
        switch schema.kind {
        case .int:
            let bits = UInt64(bitPattern: cluster.int(column, slot))
            return number(bits) { cluster.value(column, slot, schema) }
        case .double, .date:
            let bits = Self.bits(cluster.double(column, slot))
            return number(bits) { cluster.value(column, slot, schema) }
        case .string, .data:
            // Unsafe: read before anything can change the cluster.
            return number(bytes: cluster.bytes(column, slot)) {
                cluster.value(column, slot, schema)
            }
        case .bool, .float, .uuid, .link, .mixed, .objectID, .decimal:
            return number(of: cluster.value(column, slot, schema))
        }
    }

    /// The number of a value that no column is read for.
    mutating func number(of value: StoredValue) -> Int {
        if value.isNull { return numberOfNull() }
        let exact = ExactValue(value)
        if let number = others[exact] { return number }
        let number = add(value)
        others[exact] = number
        return number
    }

    private mutating func number(_ bits: UInt64, _ value: () -> StoredValue) -> Int {
        // An odd factor gives each value a hash of its own.
        let hash = bits &* 0x9E37_79B9_7F4A_7C15
        if let number = fixed.first(hash) { return number }
        let number = add(value())
        fixed.insert(number, hash)
        return number
    }

    /// Zero has one form, and what is no number too.
    private static func bits(_ value: Double) -> UInt64 {
        if value == 0 { return 0 }
        return value.isNaN ? Double.nan.bitPattern : value.bitPattern
    }

    private mutating func number(
        bytes text: UnsafeRawBufferPointer, _ value: () -> StoredValue
    ) -> Int {
        let hash = XXH64.hash(text)
        if let number = number(of: text, hash: hash) { return number }
        let number = add(value())
        while ends.count < number { ends.append(bytes.count) }
        bytes.append(contentsOf: text)
        ends.append(bytes.count)
        hashed.insert(number, hash)
        return number
    }

    /// The number of a text that is there already.
    @inline(__always)
    private func number(of text: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        hashed.first(hash) { isEqual($0, text) }
    }

    private func isEqual(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        let start = number == 0 ? 0 : ends[number - 1]
        // Unsafe: lent for the comparison, which keeps within both.
        return bytes.withUnsafeBytes { bytes in
            let own = UnsafeRawBufferPointer(rebasing: bytes[start..<ends[number]])
            return own.count == text.count && ByteOrder.compare(own, text) == 0
        }
    }
}
