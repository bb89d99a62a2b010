/// The ascending keys of the objects of a class, with the keys of their rows.
///
/// Rows are numbered without gaps, for any keys: those of old files are hashes, up to the largest
/// integer. O(runs) memory: consecutive keys are one run.
struct RealmFileKeys {
    /// The first key of each run.
    private var starts: [Int64] = []
    /// The number of keys before each run.
    private var places: [Int64] = []
    private var count: Int64 = 0
    /// The key of the first row.
    let base: RowKey

    init(base: RowKey) { self.base = base }

    /// Adds a key, which is above all existing ones.
    mutating func append(_ key: Int64) {
        if starts.isEmpty || key - starts[starts.count - 1] != count - places[places.count - 1] {
            starts.append(key)
            places.append(count)
        }
        count += 1
    }

    /// The row of an object; nil if there is none with this key.
    func row(of key: Int64) -> RowKey? {
        let low = starts.indices.partitioningIndex { starts[$0] > key }
        guard low > 0 else { return nil }
        let place = places[low - 1] + (key - starts[low - 1])
        let end = low < places.count ? places[low] : count
        return place < end ? RowKey(base.rawValue + place) : nil
    }
}
