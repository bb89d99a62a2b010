import Storage

/// A row during a sort: its number, and its position before.
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

    // Unsafe: parts of the caller's buffer, which is valid for the calls.
    /// Calls `body` with each run of entries that tie, of two or more.
    static func forEachTie(
        _ entries: UnsafeMutableBufferPointer<SortEntry>,
        _ body: (UnsafeMutableBufferPointer<SortEntry>) -> Void
    ) {
        var start = 0
        while start < entries.count {
            var end = start + 1
            while end < entries.count, entries[end].ties(entries[start]) { end += 1 }
            // Unsafe: a part of the caller's buffer, which is valid for the call.
            if end - start > 1 { body(UnsafeMutableBufferPointer(rebasing: entries[start..<end])) }
            start = end
        }
    }

    /// From this many entries on, distributing by digits beats comparing.
    private static let radixMin = 2048

    static func sort(_ entries: inout ArraySlice<SortEntry>) {
        // Unsafe: borrowed for the call, which leaves every entry initialized.
        entries.withUnsafeMutableBufferPointer { sort($0) }
    }

    static func sort(_ entries: UnsafeMutableBufferPointer<SortEntry>) {
        guard entries.count >= radixMin else {
            var entries = entries
            return entries.sort { $0.precedes($1) }
        }
        // Most often the rows ascend, and there is nothing to do.
        RadixSort.sort(entries) { UInt64($0.row) }
        RadixSort.sort(entries) { $0.bits }
        RadixSort.sort(entries) { UInt64($0.rank) }
    }
}
