/// The written rows of a class by column: one bit each, in blocks of 256 keys.
struct TouchedRows: Sendable {
    private let columns: Int
    /// The blocks in the order of their first writes, and four words of bits for each of their
    /// columns.
    private var blocks: [Int64] = []
    private var words: [UInt64] = []
    /// The index of each block, once they no longer ascend.
    private var places: [Int64: Int]?
    private var lastBlock: Int64 = .min
    private var lastOffset = 0

    init(columns: Int) { self.columns = columns }

    var isEmpty: Bool { blocks.isEmpty }

    @inline(__always)
    mutating func insert(_ key: Int64, _ column: Int) {
        let block = key >> 8
        if block != lastBlock { open(block) }
        let slot = Int(key & 255)
        words[lastOffset &+ column &* 4 &+ slot &>> 6] |= 1 &<< UInt64(slot & 63)
    }

    /// Makes `block` the current one; consecutive writes are usually in the same block.
    private mutating func open(_ block: Int64) {
        let place = self.place(of: block)
        lastBlock = block
        lastOffset = (place ?? blocks.count) * columns * 4
        if place != nil { return }
        if places == nil, let last = blocks.last, block < last {
            places = Dictionary(uniqueKeysWithValues: zip(blocks, blocks.indices))
        }
        places?[block] = blocks.count
        blocks.append(block)
        words += repeatElement(0, count: columns * 4)
    }

    private func place(of block: Int64) -> Int? {
        if let places { return places[block] }
        guard let last = blocks.last, block <= last else { return nil }
        let place = blocks.indices.partitioningIndex { blocks[$0] >= block }
        return blocks[place] == block ? place : nil
    }

    /// The number of rows written in `column`.
    func count(column: Int) -> Int {
        var count = 0
        for place in blocks.indices {
            let offset = (place * columns + column) * 4
            for word in 0..<4 { count += words[offset + word].nonzeroBitCount }
        }
        return count
    }

    /// The rows written in `column`, ascending.
    func rows(_ column: Int) -> [RowKey] {
        let count = count(column: column)
        if count == 0 { return [] }
        let order =
            places == nil
            ? Array(blocks.indices) : blocks.indices.sorted { blocks[$0] < blocks[$1] }
        var rows: [RowKey] = []
        rows.reserveCapacity(count)
        for place in order {
            for word in 0..<4 {
                var rest = words[(place * columns + column) * 4 + word]
                while rest != 0 {
                    let slot = word * 64 + rest.trailingZeroBitCount
                    rows.append(RowKey(blocks[place] << 8 + Int64(slot)))
                    rest &= rest - 1
                }
            }
        }
        return rows
    }
}
