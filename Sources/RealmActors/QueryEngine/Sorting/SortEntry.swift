import Storage

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
        entries.withUnsafeMutableBufferPointer { entries in
            // Most often the rows ascend, and there is nothing to do.
            RadixSort.sort(entries) { UInt64($0.row) }
            RadixSort.sort(entries) { $0.bits }
            RadixSort.sort(entries) { UInt64($0.rank) }
        }
    }
}
