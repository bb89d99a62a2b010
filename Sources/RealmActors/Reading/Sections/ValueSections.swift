/// The values of a collection in sections, at the time of the call.
///
///     let names = person.nicknames.sectioned { String($0.prefix(1)) }
///     for section in names { show(section.key, Array(section)) }
///
/// Values with equal keys are in one section. Sections are in the order of their first values, the
/// values of each in their order. No section is empty. The sections do not follow changes of the
/// collection, and are Sendable if the values are.
public struct ValueSections<Key: Hashable & Sendable, Value> {
    fileprivate let values: [Value]
    fileprivate let table: SectionTable<Key>

    init(_ values: [Value], _ key: (Value) throws -> Key) rethrows {
        self.values = values
        table = SectionTable(try values.map(key))
    }

    /// The keys of the sections, in their order.
    public var allKeys: [Key] { table.keys }

    /// The value at a path, which must exist. O(log n).
    public subscript(path: SectionPath) -> Value { self[path.section][path.item] }

    /// The section with a key; nil when no value has it.
    public func section(forKey key: Key) -> ValueSection<Key, Value>? {
        table.number(of: key).map { self[$0] }
    }
}

extension ValueSections: Sendable where Value: Sendable {}

extension ValueSections: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { table.keys.count }

    /// The section at `position`, which must be below `count`. O(1).
    public subscript(position: Int) -> ValueSection<Key, Value> {
        let keys = table.keys
        guard keys.indices.contains(position) else { outOfBounds(position, in: self) }
        return ValueSection(self, number: position, key: keys[position])
    }
}

extension ValueSections: CustomStringConvertible {
    /// The sections with their keys, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "ValueSections<\(Key.self), \(Value.self)>", count: count,
            lazy.map { ("\($0.key)", $0) })
    }
}

/// One section of the values of a collection: those with one key.
public struct ValueSection<Key: Hashable & Sendable, Value> {
    private let sections: ValueSections<Key, Value>
    private let number: Int
    /// The common key of the values.
    public let key: Key

    fileprivate init(_ sections: ValueSections<Key, Value>, number: Int, key: Key) {
        self.sections = sections
        self.number = number
        self.key = key
    }
}

extension ValueSection: Sendable where Value: Sendable {}

extension ValueSection: RandomAccessCollection {
    /// Zero.
    public var startIndex: Int { 0 }
    /// The number of values.
    public var endIndex: Int { sections.table.counts[number] }

    /// The value at `position`, which must be below `count`. O(log n).
    public subscript(position: Int) -> Value {
        guard position >= 0, position < count else { outOfBounds(position, in: self) }
        let path = SectionPath(section: number, item: position)
        return sections.values[sections.table.position(of: path)]
    }
}

extension ValueSection: Identifiable {
    /// The key, which no other section has.
    public var id: Key { key }
}

extension ValueSection: CustomStringConvertible {
    /// The values with their positions, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "ValueSection<\(Key.self), \(Value.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}

// Values have no results type: like `sorted()` and `distinct()`, these are the sections at the time
// of the call.

extension AggregatableCollection where AggregatedValue: PersistableScalar {
    /// The sorted values in sections with the same result of `key`.
    ///
    /// - Parameter key: is called once for each value, in this call.
    /// - Parameter ascending: whether the values are in ascending order; else in descending order.
    /// - Throws: what `key` throws.
    /// - Complexity: O(n log n).
    public func sectioned<Key: Hashable & Sendable>(
        by key: (AggregatedValue) throws -> Key, ascending: Bool = true
    ) rethrows -> ValueSections<Key, AggregatedValue> {
        try ValueSections(sorted(ascending: ascending), key)
    }
}

extension AggregatableCollection {
    /// The sorted values, nil before all others, in sections with the same result of `key`.
    ///
    /// - Throws: what `key` throws.
    public func sectioned<Key: Hashable & Sendable, Wrapped: PersistableScalar>(
        by key: (Wrapped?) throws -> Key, ascending: Bool = true
    ) rethrows -> ValueSections<Key, Wrapped?> where AggregatedValue == Wrapped? {
        try ValueSections(sorted(ascending: ascending), key)
    }
}

extension AggregatableCollection where AggregatedValue == AnyRealmValue, Element == AnyRealmValue {
    /// The sorted values in sections with the same result of `key`.
    ///
    /// - Throws: what `key` throws.
    public func sectioned<Key: Hashable & Sendable>(
        by key: (AnyRealmValue) throws -> Key, ascending: Bool = true
    ) rethrows -> ValueSections<Key, AnyRealmValue> {
        try ValueSections(sorted(ascending: ascending), key)
    }
}

extension AggregatableCollection where AggregatedValue == FrozenValue, Element == FrozenValue {
    /// The sorted values in sections with the same result of `key`.
    ///
    /// - Throws: what `key` throws.
    public func sectioned<Key: Hashable & Sendable>(
        by key: (FrozenValue) throws -> Key, ascending: Bool = true
    ) rethrows -> ValueSections<Key, FrozenValue> {
        try ValueSections(sorted(ascending: ascending), key)
    }
}
