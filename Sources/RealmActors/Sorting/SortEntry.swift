/// A row on its way through a sort: its number, and where it stood before.
struct SortEntry {
    var bits: UInt64
    let row: UInt32
    var rank: UInt8

    init(bits: UInt64, row: UInt32, rank: UInt8) {
        self.bits = bits
        self.row = row
        self.rank = rank
    }

    @inline(__always)
    func ties(_ other: SortEntry) -> Bool { rank == other.rank && bits == other.bits }

    @inline(__always)
    func precedes(_ other: SortEntry) -> Bool {
        if rank != other.rank { return rank < other.rank }
        if bits != other.bits { return bits < other.bits }
        return row < other.row
    }

    /// From this many entries on, distributing by bytes beats comparing.
    private static let radixMin = 2048

    static func sort(_ entries: inout ArraySlice<SortEntry>) {
        guard entries.count >= radixMin else {
            return entries.sort { $0.precedes($1) }
        }
        // Unsafe: lent for the call, which leaves every entry initialized.
        entries.withUnsafeMutableBufferPointer { radixSort($0) }
    }

    /// Distributes by one byte after the other, lowest first, skipping bytes that all entries
    /// share.
    ///
    /// Entries arrive in the order of their rows within ties or as an earlier level left them, so
    /// the row is a key too wherever the order of rows is not ascending already.
    private static func radixSort(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
        let count = entries.count
        // Unsafe: the scratch memory is written before it is read, and freed here.
        let scratch = UnsafeMutableBufferPointer<SortEntry>.allocate(capacity: count)
        defer { scratch.deallocate() }
        var ascending = true
        var differing = entries[0].bits ^ entries[0].bits
        var rankDiffers = false
        for index in 1..<count {
            differing |= entries[index].bits ^ entries[0].bits
            if entries[index].rank != entries[0].rank { rankDiffers = true }
            if entries[index].row < entries[index - 1].row { ascending = false }
        }
        var source = entries
        var target = scratch
        func pass(_ digit: (SortEntry) -> Int) {
            var starts = [Int](repeating: 0, count: 257)
            // Unsafe: lent for the pass; a digit is at most 255, so every index is within the 257.
            starts.withUnsafeMutableBufferPointer { starts in
                for index in 0..<count { starts[digit(source[index]) &+ 1] &+= 1 }
                for value in 1...256 { starts[value] &+= starts[value &- 1] }
                for index in 0..<count {
                    let entry = source[index]
                    let value = digit(entry)
                    target.initializeElement(at: starts[value], to: entry)
                    starts[value] &+= 1
                }
            }
            swap(&source, &target)
        }
        if !ascending {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                pass { Int($0.row &>> shift & 0xFF) }
            }
        }
        for shift in stride(from: UInt64(0), to: 64, by: 8)
        where differing &>> shift & 0xFF != 0 {
            pass { Int(truncatingIfNeeded: $0.bits &>> shift & 0xFF) }
        }
        if rankDiffers { pass { Int($0.rank) } }
        if source.baseAddress != entries.baseAddress {
            _ = entries.update(fromContentsOf: source)
        }
    }
}
