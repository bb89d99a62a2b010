/// Sorts entries by integers, with a radix sort of 11 bits per pass.
///
///     RadixSort.sort(entries) { $0.row }
///     RadixSort.sort(entries) { $0.key }  // Rows with one key stay in their order.
///
/// Public, although only this package uses it: the compiler does not specialize generic `package`
/// functions for other modules, and the unspecialized one takes three times as long.
public enum RadixSort {
    /// Sorts entries by a number. Stable, so that for several orders, the last one decides and
    /// earlier ones break ties. O(n) for each digit that differs among the entries, and as much
    /// memory again; neither if the entries are sorted already.
    @inlinable
    public static func sort<Entry: BitwiseCopyable>(
        _ entries: UnsafeMutableBufferPointer<Entry>, by number: (Entry) -> UInt64
    ) {
        guard entries.count > 1 else { return }
        let first = number(entries[0])
        var differing: UInt64 = 0
        var isOrdered = true
        var last = first
        for index in 1..<entries.count {
            let number = number(entries[index])
            differing |= number ^ first
            if number < last { isOrdered = false }
            last = number
        }
        if isOrdered { return }
        // Unsafe: written before it is read, and freed here.
        let scratch = UnsafeMutableBufferPointer<Entry>.allocate(capacity: entries.count)
        defer { scratch.deallocate() }
        var (source, target) = (entries, scratch)
        for shift in stride(from: UInt64(0), to: 64, by: digitBits)
        where differing &>> shift & digitMask != 0 {
            distribute(source, target) { Int(truncatingIfNeeded: number($0) &>> shift & digitMask) }
            swap(&source, &target)
        }
        if source.baseAddress != entries.baseAddress {
            _ = entries.update(fromContentsOf: source)
        }
    }

    /// The counters of a digit of this size fit into the L1 cache; a number has six such digits
    /// instead of eight of one byte.
    @inlinable static var digitBits: Int { 11 }
    @inlinable static var digitMask: UInt64 { 1 &<< UInt64(digitBits) &- 1 }

    /// - Parameter digit: a number of ``digitBits`` bits.
    @inlinable
    static func distribute<Entry: BitwiseCopyable>(
        _ source: UnsafeMutableBufferPointer<Entry>, _ target: UnsafeMutableBufferPointer<Entry>,
        by digit: (Entry) -> Int
    ) {
        let digits = 1 << digitBits
        // Unsafe: lent for this call, with an element for every digit and one more.
        withUnsafeTemporaryAllocation(of: Int.self, capacity: digits + 1) { starts in
            starts.initialize(repeating: 0)
            for index in 0..<source.count { starts[digit(source[index]) &+ 1] &+= 1 }
            for value in 1..<digits { starts[value] &+= starts[value &- 1] }
            for index in 0..<source.count {
                let entry = source[index]
                let value = digit(entry)
                target.initializeElement(at: starts[value], to: entry)
                starts[value] &+= 1
            }
        }
    }
}
