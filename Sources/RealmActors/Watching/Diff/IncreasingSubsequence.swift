/// The longest strictly increasing subsequence, which separates the elements that stayed from those
/// that moved.
enum IncreasingSubsequence {
    /// For each of `values`, whether it belongs to one longest increasing subsequence; nil when
    /// all do. O(n) when nothing moved, else O(n log n).
    static func members(of values: [Int]) -> [Bool]? {
        if ascend(values) { return nil }
        // tails[k] is the index of the smallest value that ends a subsequence of length k + 1.
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for index in values.indices {
            let length = tails.partition { values[$0] < values[index] }
            if length > 0 { previous[index] = tails[length - 1] }
            if length == tails.count { tails.append(index) } else { tails[length] = index }
        }
        return members(endingAt: tails.last ?? -1, previous)
    }

    /// The same for distinct values in `range`. Of several longest subsequences, it takes one with
    /// as few as possible of the values that `avoided` returns, which is called only when something
    /// moved.
    static func members(
        of values: [Int], in range: Range<Int>, avoiding avoided: () -> Set<Int>
    ) -> [Bool]? {
        if ascend(values) { return nil }
        let avoided = avoided()
        if avoided.isEmpty { return members(of: values) }
        // One more element weighs more than any number of avoided ones.
        let unit = values.count + 1
        var weights: [Int] = []
        weights.reserveCapacity(values.count)
        var previous: [Int] = []
        previous.reserveCapacity(values.count)
        var tails = HeaviestTails(range)
        for (index, value) in values.enumerated() {
            let before = tails.tail(below: value, weights)
            previous.append(before)
            let own = avoided.contains(value) ? unit - 1 : unit
            weights.append(before < 0 ? own : own + weights[before])
            tails.insert(index, value, weights)
        }
        return members(endingAt: tails.tail(below: range.upperBound, weights), previous)
    }

    private static func ascend(_ values: [Int]) -> Bool {
        zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// The subsequence that ends at an index; each index has that of the element before it.
    private static func members(endingAt end: Int, _ previous: [Int]) -> [Bool] {
        var members = [Bool](repeating: false, count: previous.count)
        var index = end
        while index >= 0 {
            members[index] = true
            index = previous[index]
        }
        return members
    }
}

/// The indices that end the heaviest subsequences, by value: a Fenwick tree of prefix maxima. Both
/// operations are O(log n).
private struct HeaviestTails {
    private let lowerBound: Int
    /// The index with the greatest weight among the values of each node; -1 when it has none.
    private var nodes: [Int]

    init(_ range: Range<Int>) {
        lowerBound = range.lowerBound
        nodes = [Int](repeating: -1, count: range.count + 1)
    }

    /// The index with the greatest weight among those with values below `value`, the last of equal
    /// ones; -1 when there is none.
    func tail(below value: Int, _ weights: [Int]) -> Int {
        var best = -1
        var node = value - lowerBound
        while node > 0 {
            best = Self.heavier(best, nodes[node], weights)
            node &= node - 1
        }
        return best
    }

    /// Inserts an index that is greater than all before.
    mutating func insert(_ index: Int, _ value: Int, _ weights: [Int]) {
        var node = value - lowerBound + 1
        while node < nodes.count {
            nodes[node] = Self.heavier(nodes[node], index, weights)
            node += node & -node
        }
    }

    private static func heavier(_ a: Int, _ b: Int, _ weights: [Int]) -> Int {
        if a < 0 || b < 0 { return max(a, b) }
        return (weights[a], a) > (weights[b], b) ? a : b
    }
}
