/// The keys of deleted rows. Deletions come in ascending order more often than not: then they are
/// a list, which costs a fraction of a set.
struct DeletedRows: Sendable {
    /// Ascending; empty once a key came out of order.
    private var list: [Int64] = []
    private var set: Set<Int64> = []

    var isEmpty: Bool { list.isEmpty && set.isEmpty }

    var count: Int { list.count + set.count }

    mutating func insert(_ key: Int64) {
        if set.isEmpty {
            guard let last = list.last, key <= last else { return list.append(key) }
            if contains(key) { return }
            set = Set(list)
            list = []
        }
        set.insert(key)
    }

    func contains(_ key: Int64) -> Bool {
        if !set.isEmpty { return set.contains(key) }
        var low = 0
        var high = list.count
        while low < high {
            let middle = (low + high) / 2
            if list[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < list.count && list[low] == key
    }

    /// Ascending.
    func sorted() -> [Int64] { set.isEmpty ? list : set.sorted() }
}
