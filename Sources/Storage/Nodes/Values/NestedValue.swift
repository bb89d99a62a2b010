/// The identity of a collection within a mixed value, which is kept when it is moved.
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
    /// The entries as a dictionary, with values mapped by `transform`.
    package func dictionary<Value>(_ transform: (StoredValue) -> Value) -> [String: Value] {
        Dictionary(
            map { ($0.key, transform($0.value)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The index of `key` among ascending keys, or its insertion point. O(log n).
    package func position(of key: String) -> (index: Int, found: Bool) {
        let index = indices.partitioningIndex { !NestedEntry.precedes(self[$0].key, key) }
        return (index, index < count && !NestedEntry.precedes(key, self[index].key))
    }
}

/// A collection in a mixed value.
package enum NestedCollection {
    case list([StoredValue])
    case dictionary([NestedEntry])

    /// The values in it.
    package var values: [StoredValue] {
        switch self {
        case .list(let values): values
        case .dictionary(let entries): entries.map(\.value)
        }
    }
}

extension StoredValue {
    /// The value as a collection; nil if it is none.
    package var collection: (id: NestedID, elements: NestedCollection)? {
        if case .list(let id, let values) = self { return (id, .list(values)) }
        if case .dictionary(let id, let entries) = self { return (id, .dictionary(entries)) }
        return nil
    }

    /// The maximum nesting depth of collections.
    package static var nestingMax: Int { 100 }

    /// The nesting depth of the collections in a value; 0 for other values.
    package var nesting: Int {
        switch collection?.elements {
        case .list(let values)?: 1 + (values.lazy.map(\.nesting).max() ?? 0)
        case .dictionary(let entries)?: 1 + (entries.lazy.map(\.value.nesting).max() ?? 0)
        case nil: 0
        }
    }
}
