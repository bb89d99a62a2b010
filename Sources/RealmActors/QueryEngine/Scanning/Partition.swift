import Storage

extension RandomAccessCollection where Indices == Range<Int> {
    /// The first index for whose element `isFirst` no longer holds, when it holds for those at the
    /// beginning and for none after them. O(log n).
    @inline(__always)
    func partition(_ isFirst: (Element) -> Bool) -> Int {
        (startIndex..<endIndex).partitioningIndex { !isFirst(self[$0]) }
    }
}
