/// The keys of the objects of a class, ascending, as runs without a gap.
///
/// O(runs) memory: keys that count up are one run.
struct RealmFileKeys {
    private var starts: [Int64] = []
    /// The last key of each run.
    private var ends: [Int64] = []

    /// Adds a key, which is above all that are there.
    mutating func append(_ key: Int64) {
        if let end = ends.last, key == end + 1 {
            ends[ends.count - 1] = key
        } else {
            starts.append(key)
            ends.append(key)
        }
    }

    func contains(_ key: Int64) -> Bool {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= key { low = middle + 1 } else { high = middle }
        }
        return low > 0 && key <= ends[low - 1]
    }
}
