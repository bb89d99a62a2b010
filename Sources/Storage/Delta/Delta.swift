/// What a transaction changed: marks, no values.
///
/// New values are read from the new tree when the commit record is encoded.
struct Delta: Sendable {
    private(set) var classes: [ClassDelta?] = []

    init(classCount: Int) { classes = Array(repeating: nil, count: classCount) }

    var isEmpty: Bool { classes.allSatisfy { $0?.isEmpty ?? true } }

    /// The classes of which anything changed.
    var changedClasses: [ClassID] {
        classes.indices.filter { !(classes[$0]?.isEmpty ?? true) }.map { ClassID($0) }
    }

    /// The marks of one class; `nextKey` is where its keys began when the transaction did.
    @inline(__always)
    mutating func update<R>(
        _ id: ClassID, columns: Int, nextKey: () -> Int64, _ body: (inout ClassDelta) -> R
    ) -> R {
        if classes[id.rawValue] == nil {
            classes[id.rawValue] = ClassDelta(createdFrom: nextKey(), columns: columns)
        }
        return body(&classes[id.rawValue]!)
    }
}

/// What a transaction changed of one class.
struct ClassDelta: Sendable {
    /// Rows from this key on were created by the transaction.
    let createdFrom: Int64
    let columns: Int
    /// Rows that were there before and are gone.
    private(set) var deleted: Set<Int64> = []
    /// Edits of lists, sets and maps of rows that were there before.
    var edits: [SequenceID: SequenceEdit] = [:]
    /// Behind the last row that the transaction created; a group's later ones create more.
    private(set) var createdEnd: Int64 = .min

    // Touched rows, in blocks of 256 keys: four words for each column.
    private var blocks: [Int64: Int] = [:]
    private var words: [UInt64] = []
    private var lastBlock: Int64 = .min
    private var lastOffset = 0

    init(createdFrom: Int64, columns: Int) {
        self.createdFrom = createdFrom
        self.columns = columns
    }

    var hasCreated: Bool { createdEnd > createdFrom }

    mutating func create(_ key: Int64) { createdEnd = key + 1 }

    var isEmpty: Bool { !hasCreated && deleted.isEmpty && blocks.isEmpty }

    func isCreated(_ key: Int64) -> Bool { key >= createdFrom }

    @inline(__always)
    mutating func touch(_ key: Int64, _ column: Int) {
        if key >= createdFrom { return }
        let block = key >> 8
        if block != lastBlock { open(block) }
        let slot = Int(key & 255)
        words[lastOffset &+ column &* 4 &+ slot &>> 6] |= 1 &<< UInt64(slot & 63)
    }

    /// Makes `block` the one whose rows are touched next, which most often are its neighbours.
    private mutating func open(_ block: Int64) {
        if let offset = blocks[block] {
            lastOffset = offset
        } else {
            lastOffset = words.count
            blocks[block] = lastOffset
            words += repeatElement(0, count: columns * 4)
        }
        lastBlock = block
    }

    mutating func delete(_ key: Int64) {
        if key >= createdFrom { return }
        deleted.insert(key)
        if !edits.isEmpty {
            edits = edits.filter { $0.key.key.rawValue != key }
        }
    }

    /// The rows of `column` that were touched and still are there, ascending.
    func touchedRows(_ column: Int) -> [RowKey] {
        let first = column * 4
        let sorted = blocks.filter { _, offset in
            (0..<4).contains { words[offset + first + $0] != 0 }
        }.sorted { $0.key < $1.key }
        var rows: [RowKey] = []
        rows.reserveCapacity(
            sorted.reduce(0) { count, block in
                (0..<4).reduce(count) { $0 + words[block.value + first + $1].nonzeroBitCount }
            })
        for (block, offset) in sorted {
            for word in 0..<4 {
                var rest = words[offset + first + word]
                while rest != 0 {
                    let key = block << 8 + Int64(word * 64 + rest.trailingZeroBitCount)
                    if deleted.isEmpty || !deleted.contains(key) { rows.append(RowKey(key)) }
                    rest &= rest - 1
                }
            }
        }
        return rows
    }
}
