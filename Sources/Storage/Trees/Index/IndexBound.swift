/// A position between the values of an index, where a range begins or ends.
package enum IndexBound: Sendable, Hashable {
    /// Before every value, null among them.
    case start
    /// Before the first value that is equal or greater.
    case before(StoredValue)
    /// After the last value that is equal or less.
    case after(StoredValue)
    /// After the last string or data that begins with this one.
    case afterPrefix(StoredValue)
    /// After every value.
    case end

    /// The first comparable value: after null and NaN.
    package static func first(of kind: ValueKind) -> IndexBound {
        kind.traits.hasNaNInFront ? .after(.double(.nan)) : .after(.null)
    }
}

extension IndexReader {
    /// The number of entries before `bound`. O(log n).
    func rank(of bound: IndexBound, in kind: ValueKind) -> Int {
        switch bound {
        case .start: return 0
        case .end: return IndexReader.count(root)
        case .before(.null), .after(.null):
            // In a column without nulls no entry is null, whatever its key.
            guard order.hasNulls || kind == .mixed else { return 0 }
            let row = bound == .before(.null) ? Int64.min : .max
            return IndexProbe.with(.null, in: kind) { rank(of: $0, row: row) }
        case .before(let value):
            return IndexProbe.with(value, in: kind) { rank(of: $0, row: .min) }
        case .after(let value):
            return IndexProbe.with(value, in: kind) { rank(of: $0, row: .max) }
        case .afterPrefix(let value):
            return IndexProbe.with(value, in: kind) { rank(behindPrefix: Array($0.bytes)) }
        }
    }

    /// The number of entries that are less than, or begin with, `prefix`.
    private func rank(behindPrefix prefix: [UInt8]) -> Int {
        // The least bytes above all with the prefix: its last byte that can be incremented is one
        // higher.
        var above = prefix
        while above.last == 0xFF { above.removeLast() }
        guard let last = above.last else { return IndexReader.count(root) }
        above[above.count - 1] = last + 1
        // Unsafe: lent for the call, which does not keep the probe.
        return above.withUnsafeBytes { rank(of: IndexProbe(bytes: $0), row: .min) }
    }
}
