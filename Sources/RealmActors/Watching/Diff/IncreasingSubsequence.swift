/// The longest strictly increasing subsequence, which separates the elements that stayed from those
/// that moved.
enum IncreasingSubsequence {
    /// For each of `values`, whether it belongs to one longest increasing subsequence; nil when
    /// all do. O(n) when nothing moved, else O(n log n).
    static func members(of values: [Int]) -> [Bool]? {
        if zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) { return nil }
        // tails[k] is the index of the smallest value that ends a subsequence of length k + 1.
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for index in values.indices {
            let length = tails.partition { values[$0] < values[index] }
            if length > 0 { previous[index] = tails[length - 1] }
            if length == tails.count { tails.append(index) } else { tails[length] = index }
        }
        var members = [Bool](repeating: false, count: values.count)
        var index = tails.last ?? -1
        while index >= 0 {
            members[index] = true
            index = previous[index]
        }
        return members
    }
}
