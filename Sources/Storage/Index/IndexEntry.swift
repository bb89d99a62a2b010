/// One entry of an index: the key of a value and the row that has it.
struct IndexEntry: Equatable {
    var key: UInt64
    var row: Int64
}

extension [IndexEntry] {
    /// The index of the entry with `key` among entries that ascend.
    func index(ofKey key: UInt64) -> Int? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low].key == key ? low : nil
    }
}
