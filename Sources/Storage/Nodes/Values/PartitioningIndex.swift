extension Range<Int> {
    /// The first index for which `isBehind` holds, where it holds for all that follow one for which
    /// it does; the upper bound when it holds for none. O(log n).
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
