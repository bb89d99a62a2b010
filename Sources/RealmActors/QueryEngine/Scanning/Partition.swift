extension RandomAccessCollection where Indices == Range<Int> {
    /// The first index for whose element `isFirst` no longer holds, when it holds for those at the
    /// beginning and for none behind them. O(log n).
    @inline(__always)
    func partition(_ isFirst: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if isFirst(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
