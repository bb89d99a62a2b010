/// A small dictionary in an array that is sorted by the keys: changes are O(n), quick for keys that
/// come in ascending order, and everything else is O(log n).
///
/// It is for what opening a store touches. The first `Dictionary` with a new type of key has the
/// runtime search every conformance in the program, which takes longer than reading several nodes
/// from the disk.
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

    /// The value of `key`, which becomes `fresh` when there is none and it is changed.
    @inlinable
    package subscript(_ key: Key, default fresh: @autoclosure () -> Value) -> Value {
        get { self[key] ?? fresh() }
        set { self[key] = newValue }
    }

    /// Where the key is, or belongs.
    @inlinable
    func place(of key: Key) -> (index: Int, isThere: Bool) {
        // Most keys that are added come behind all others, and the newest are asked for most.
        guard let last = entries.last, last.key >= key else { return (entries.count, false) }
        let index = (0..<entries.count - 1).partitioningIndex { entries[$0].key >= key }
        return (index, entries[index].key == key)
    }
}

extension SortedTable: Sendable where Key: Sendable, Value: Sendable {}
