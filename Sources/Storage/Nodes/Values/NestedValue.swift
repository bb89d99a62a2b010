/// What tells one collection within a mixed value from another, wherever it moves to.
package struct NestedID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// One entry of a dictionary within a mixed value.
package struct NestedEntry: Hashable, Sendable {
    package var key: String
    package var value: StoredValue

    package init(key: String, value: StoredValue) {
        self.key = key
        self.value = value
    }

    package static func == (a: NestedEntry, b: NestedEntry) -> Bool {
        a.key.utf8.elementsEqual(b.key.utf8) && a.value == b.value
    }

    package func hash(into hasher: inout Hasher) {
        for byte in key.utf8 { hasher.combine(byte) }
        hasher.combine(value)
    }

    /// The order of keys: that of their bytes.
    package static func precedes(_ a: String, _ b: String) -> Bool {
        a.utf8.lexicographicallyPrecedes(b.utf8)
    }
}

extension [NestedEntry] {
    /// The entries as a dictionary of what `transform` makes of their values.
    package func dictionary<Value>(_ transform: (StoredValue) -> Value) -> [String: Value] {
        Dictionary(
            map { ($0.key, transform($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Where `key` stands among ascending keys, or would be inserted. O(log n).
    package func position(of key: String) -> (index: Int, found: Bool) {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if NestedEntry.precedes(self[middle].key, key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return (low, low < count && !NestedEntry.precedes(key, self[low].key))
    }
}

extension StoredValue {
    /// How deep collections may nest in each other.
    package static var nestingMax: Int { 100 }

    /// How deep collections nest here: none for a value that is none.
    package var nesting: Int {
        switch self {
        case .list(_, let values): 1 + (values.lazy.map(\.nesting).max() ?? 0)
        case .dictionary(_, let entries): 1 + (entries.lazy.map(\.value.nesting).max() ?? 0)
        default: 0
        }
    }
}
