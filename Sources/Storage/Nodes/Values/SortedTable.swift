/// A small dictionary in an array sorted by keys: changes are O(n), but fast for keys in ascending
/// order, and everything else is O(log n).
///
/// For code that opening a store uses: the first `Dictionary` with a new type of key makes the
/// runtime scan all conformances of the program, which takes longer than reading several nodes from
/// disk.
@usableFromInline
package struct SortedTable<Key: Comparable, Value> {
    /// In the order of their keys.
    @usableFromInline
    package internal(set) var entries: [(key: Key, value: Value)] = []

    @inlinable
    package init() {}

    @inlinable package var count: Int { entries.count }
    @inlinable package var isEmpty: Bool { entries.isEmpty }
    /// In ascending order.
    @inlinable package var keys: [Key] { entries.map { $0.key } }
    /// In the order of their keys.
    @inlinable package var values: [Value] { entries.map { $0.value } }
    /// The entry with the smallest key.
    @inlinable package var first: (key: Key, value: Value)? { entries.first }
    /// The entry with the largest key.
    @inlinable package var last: (key: Key, value: Value)? { entries.last }

    /// The value of `key`; setting nil removes it.
    @inlinable
    package subscript(_ key: Key) -> Value? {
        get {
            let place = place(of: key)
            return place.isThere ? entries[place.index].value : nil
        }
        set {
            let place = place(of: key)
            guard let newValue else {
                if place.isThere { entries.remove(at: place.index) }
                return
            }
            if place.isThere {
                entries[place.index].value = newValue
            } else {
                entries.insert((key, newValue), at: place.index)
            }
        }
    }

    /// The value of `key`, modified in place; `fresh` is inserted first if there is none.
    @inlinable
    package subscript(_ key: Key, default fresh: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fresh() }
        _modify {
            let place = place(of: key)
            if !place.isThere { entries.insert((key, fresh()), at: place.index) }
            yield &entries[place.index].value
        }
    }

    /// Modifies the value of `key` in place, and returns what `body` does; nil if there is none.
    @inlinable
    package mutating func update<R>(_ key: Key, _ body: (inout Value) -> R) -> R? {
        let place = place(of: key)
        return place.isThere ? body(&entries[place.index].value) : nil
    }

    /// The index of the key, or its insertion point.
    @inlinable
    func place(of key: Key) -> (index: Int, isThere: Bool) {
        // Most keys are appended, and the newest are looked up most often.
        guard let last = entries.last, last.key >= key else { return (entries.count, false) }
        let index = (0..<entries.count - 1).partitioningIndex { entries[$0].key >= key }
        return (index, entries[index].key == key)
    }
}

extension SortedTable: Sendable where Key: Sendable, Value: Sendable {}
