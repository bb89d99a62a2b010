extension [IndexEntry] {
    /// From this many entries on, a radix sort is faster than comparing.
    private static let radixMin = 512

    /// Orders by key, then by value, then by row.
    ///
    /// - Parameters:
    ///   - isExact: whether all values with a key are equal.
    ///   - tie: compares the values of entries whose keys are equal: negative if the first comes
    ///     first.
    mutating func sort(
        exact isExact: (UInt64) -> Bool, tie: (IndexEntry, IndexEntry) -> Int
    ) {
        guard count >= Self.radixMin else {
            return sort { a, b in
                if a.key != b.key { return a.key < b.key }
                let tie = isExact(a.key) ? 0 : tie(a, b)
                return tie == 0 ? a.row < b.row : tie < 0
            }
        }
        // Unsafe: lent for the call, which leaves every entry initialized.
        withUnsafeMutableBufferPointer { entries in
            // Usually the rows ascend already.
            RadixSort.sort(entries) { UInt64(bitPattern: $0.row) }
            RadixSort.sort(entries) { $0.key }
            var start = 0
            while start < entries.count {
                let key = entries[start].key
                var end = start + 1
                while end < entries.count, entries[end].key == key { end += 1 }
                // Stable: rows with equal values stay in order.
                if end - start > 1, !isExact(key) {
                    entries[start..<end].sort { tie($0, $1) < 0 }
                }
                start = end
            }
        }
    }

    /// The index of the entry with `key` among entries that ascend.
    func index(ofKey key: UInt64) -> Int? {
        let index = indices.partitioningIndex { self[$0].key >= key }
        return index < count && self[index].key == key ? index : nil
    }
}
