import Storage

/// Numbers the values by which rows are grouped: equal ones have one number.
///
/// Values are equal as in an index: texts by their bytes, numbers numerically. If most texts are
/// different, each may get its own number instead (``isMergedWhenOrdered``).
struct GroupIndex: Sendable {
    private(set) var count = 0
    private var null: Int?
    private var hashed = HashedNumbers()
    /// The texts or bytes of a column, by their numbers.
    private var texts: GroupTexts?
    /// All values where there are no ``texts``, by their numbers.
    private var values: [StoredValue] = []
    /// The bits of the values, for a column of integers or reals.
    private var bits: [UInt64] = []
    /// The numbers of values of any other kind.
    private var others: [ExactValue: Int] = [:]
    /// Whether equal texts may have several numbers: ``ordered(_:merge:)`` has to merge them.
    private(set) var isMergedWhenOrdered = false
    /// The hashes of the texts of a cluster, while they are numbered.
    private var hashes = [UInt64](repeating: 0, count: Cluster.slotsMax)

    /// The value with a number.
    subscript(_ number: Int) -> StoredValue {
        if number == null { return .null }
        return texts?.value(number) ?? values[number]
    }

    /// The values with some numbers.
    func values(of numbers: ArraySlice<Int>) -> [StoredValue] {
        guard let texts else { return numbers.map { self[$0] } }
        var values = texts.values(of: numbers)
        if let null, let place = numbers.firstIndex(of: null) {
            values[place - numbers.startIndex] = .null
        }
        return values
    }

    /// The numbers in `groups`, in the order of their values: nil first. `merge` is called with
    /// each number that is left out, and the one whose value it has.
    func ordered(_ groups: some Sequence<Int>, merge: (Int, Int) -> Void = { _, _ in }) -> [Int] {
        var first: [Int] = []
        var entries: [SortEntry] = []
        entries.reserveCapacity(count)
        for group in groups {
            if group == null {
                first.append(group)
            } else {
                entries.append(SortEntry(bits: 0, row: UInt32(group), rank: 0))
            }
        }
        // Unsafe: borrowed for the call, which leaves every entry initialized.
        entries.withUnsafeMutableBufferPointer { entries in
            if let texts { return texts.sort(entries) }
            for index in entries.indices {
                entries[index].bits = values[Int(entries[index].row)].indexHead
            }
            SortEntry.sort(entries)
            SortEntry.forEachTie(entries) { run in
                var run = run
                run.sort { values[Int($0.row)] < values[Int($1.row)] }
            }
        }
        first.reserveCapacity(first.count + entries.count)
        for entry in entries {
            if entry.rank == 1, let equal = first.last {
                merge(Int(entry.row), equal)
            } else {
                first.append(Int(entry.row))
            }
        }
        return first
    }

    private mutating func next() -> Int {
        count += 1
        return count - 1
    }

    private mutating func add(_ value: StoredValue) -> Int {
        if texts == nil {
            while values.count < count { values.append(.null) }
            values.append(value)
        }
        return next()
    }

    /// The rows of a sample, after which ``adapt(to:mayMerge:)`` is called.
    static let sampleSize = 1 << 14
    /// The most values to reserve in advance.
    private static let reservedMax = 1 << 23

    /// Prepares for `rest` further rows after a sample. If most rows of the sample have distinct
    /// values, expects that of the rest.
    ///
    /// - Parameters:
    ///   - rest: the number of rows after the sample.
    ///   - mayMerge: whether equal texts may have several numbers until they are ordered.
    /// - Returns: the number of values to expect; nil if there are few.
    @discardableResult
    mutating func adapt(to rest: Int, mayMerge: Bool) -> Int? {
        if count <= Self.sampleSize / 2 { return nil }
        if mayMerge, count > Self.sampleSize / 8 * 7 { mergeWhenOrdered() }
        let values = min(count + max(rest, 0), Self.reservedMax)
        reserve(values)
        return values
    }

    /// Reserves capacity for so many values, so that storage is reallocated once.
    private mutating func reserve(_ values: Int) {
        if texts != nil {
            if !isMergedWhenOrdered { hashed.reserve(values) }
            texts?.reserve(values)
        } else if !bits.isEmpty {
            hashed.reserve(values)
            bits.reserveCapacity(values)
            self.values.reserveCapacity(values)
        }
    }

    /// From now on each text gets a new number, up to a memory limit: if most differ, merging equal
    /// ones by a sort is faster than looking each up.
    private mutating func mergeWhenOrdered() { isMergedWhenOrdered = texts != nil }

    /// The limit of bytes for texts that may be equal.
    private static let unmergedMax = 256 << 20

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
        var rest = mask
        if schema.kind == .string, let texts = cluster.strings(column) {
            if schema.isNullable { rest.subtract(ClusterMask.nulls(column, cluster)) }
            number(texts, rest, &numbers)
            // The nil values remain.
            let given = rest
            rest = mask
            rest.subtract(given)
        }
        rest.forEach { slot in
            numbers[slot] = number(cluster, column, slot, schema)
            return true
        }
    }

    /// Known texts first: without changes in between, the processor overlaps the cache misses of
    /// several look-ups.
    private mutating func number(
        _ texts: StringChunk, _ mask: ClusterMask, _ numbers: inout [Int]
    ) {
        if isMergedWhenOrdered, (self.texts?.byteCount ?? 0) < Self.unmergedMax {
            return append(texts, mask, &numbers)
        }
        mask.forEach { slot in
            // Unsafe: read before anything can change the cluster.
            hashes[slot] = XXH64.hash(texts.utf8(slot))
            return true
        }
        // The first slots of all of them are loaded before any is compared, so that cache misses
        // overlap: in few instructions, as the processor reorders within a few hundred.
        var read = 0
        mask.forEach { slot in
            read &+= hashed.begin(hashes[slot])
            return true
        }
        // Keeps the compiler from removing the loads.
        precondition(read >= 0)
        var unknown = ClusterMask()
        mask.forEach { slot in
            // Unsafe: read before anything can change the cluster.
            let text = texts.utf8(slot)
            if let number = number(of: text, hash: hashes[slot]) {
                numbers[slot] = number
            } else {
                unknown.insert(slot)
            }
            return true
        }
        unknown.forEach { slot in
            // Unsafe: read before anything can change the cluster.
            numbers[slot] = number(of: texts.utf8(slot), .string, hash: hashes[slot])
            return true
        }
    }

    private mutating func append(
        _ texts: StringChunk, _ mask: ClusterMask, _ numbers: inout [Int]
    ) {
        mask.forEach { slot in
            let number = next()
            // Unsafe: read before anything can change the cluster.
            self.texts?.append(texts.utf8(slot), as: number)
            numbers[slot] = number
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
            let bytes = cluster.bytes(column, slot)
            return number(of: bytes, schema.kind, hash: XXH64.hash(bytes))
        case .bool, .float, .uuid, .link, .mixed, .objectID, .decimal:
            return number(of: cluster.value(column, slot, schema))
        }
    }

    /// The number of a value that was not read from a column.
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
        if let number = hashed.first(hash, where: { self.bits[$0] == bits }) { return number }
        let number = add(value())
        while self.bits.count < number { self.bits.append(0) }
        self.bits.append(bits)
        hashed.insert(number, hash)
        return number
    }

    /// Both zeros have one form, and so have all NaN.
    private static func bits(_ value: Double) -> UInt64 {
        if value == 0 { return 0 }
        return value.isNaN ? Double.nan.bitPattern : value.bitPattern
    }

    private mutating func number(
        of text: UnsafeRawBufferPointer, _ kind: ValueKind, hash: UInt64
    ) -> Int {
        if let number = number(of: text, hash: hash) { return number }
        let number = next()
        if texts == nil { texts = GroupTexts(kind) }
        texts?.append(text, as: number)
        hashed.insert(number, hash)
        return number
    }

    /// The number of a text that is there already.
    @inline(__always)
    private func number(of text: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        guard let texts else { return nil }
        return hashed.first(hash) { texts.isEqual($0, text) }
    }
}
