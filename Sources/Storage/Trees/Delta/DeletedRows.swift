/// The keys of deleted rows. Deletions usually come in ascending order: then they are an array,
/// which costs a fraction of a set.
struct DeletedRows: Sendable {
    /// Ascending; empty once a key was out of order.
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
        let index = list.indices.partitioningIndex { list[$0] >= key }
        return index < list.count && list[index] == key
    }

    /// Ascending.
    func sorted() -> [Int64] { set.isEmpty ? list : set.sorted() }
}
