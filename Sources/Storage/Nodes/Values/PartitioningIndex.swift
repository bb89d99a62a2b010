extension Range<Int> {
    /// The first index for which `isBehind` is true, if it is true for all later ones as well; the
    /// upper bound if there is none. O(log n).
    @inlinable
    @inline(__always)
    package func partitioningIndex(where isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (lowerBound, upperBound)
        while low < high {
            let middle = (low &+ high) / 2
            if isBehind(middle) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}
