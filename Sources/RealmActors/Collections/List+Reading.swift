public import Foundation
import Storage

extension List {
    /// The first position of an element; nil when it is not in the list. Objects are the same when
    /// they stand for the same row. O(n).
    public func index(of element: Element) -> Int? {
        if let box = place.unmanaged {
            return box.contents.firstIndex { Element._areSame($0, element) }
        }
        guard let row = place.row, let sought = Element._sought(element, in: row.owner) else {
            return nil
        }
        return row.owner._sequence(row.column).position(of: sought.value)
    }

    /// The first position of an element; nil when it is not in the list. O(n).
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// The last position of an element; nil when it is not in the list. O(n).
    public func lastIndex(of element: Element) -> Int? {
        lastIndex { Element._areSame($0, element) }
    }

    /// Whether an element is in the list. Objects are the same when they stand for the same row.
    /// O(n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// The elements at the given positions, which must be in the list.
    public func objects(at positions: IndexSet) -> [Element] { positions.map { self[$0] } }

    /// Whether both are one list: the same property of the same row, or copies of one unmanaged
    /// list.
    public func isSame(as other: List) -> Bool { place.isSame(as: other.place) }
}

extension List where Element: ObjectBase {
    /// The property with this name of every element: nil for a nil, links and collections as they
    /// are.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no persisted property has the name.
    public func value(forKey name: String) throws(RealmError) -> [Any?] {
        try Array(self).values(named: name)
    }

    /// Sets the property with this name of every element.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)``, ``RealmError/invalidValue(_:)``.
    public func setValue(_ value: Any?, forKey name: String) throws(RealmError) {
        for object in Array(self) { try object.setValue(value, forName: name) }
    }
}

extension Array where Element: ObjectBase {
    func values(named name: String) throws(RealmError) -> [Any?] {
        var values: [Any?] = []
        values.reserveCapacity(count)
        for object in self { values.append(try object.value(forName: name)) }
        return values
    }
}

extension SequenceView {
    /// The first position of a value, found leaf by leaf.
    func position(of value: StoredValue) -> Int? {
        var position = 0
        do {
            try forEach { element in
                if element == value { throw Found() }
                position += 1
            }
        } catch {
            return position
        }
        return nil
    }

    private struct Found: Error {}
}
