public import Foundation
import Storage

extension List {
    /// The first position of an element; nil when it is not in the list. Objects are the same when
    /// they represent the same row. O(n).
    public func index(of element: Element) -> Int? {
        if let box = place.unmanaged {
            return box.contents.firstIndex { Element._areSame($0, element) }
        }
        guard let row = place.row else { return nil }
        guard let sought = Element._sought(element, in: row.owner) else {
            // Not by the stored form, which a value that is stored as an embedded object does not
            // have, and which does not tell the realm of objects in a collection within a value.
            return Element.self is ObjectBase.Type
                ? nil : firstIndex { Element._areSame($0, element) }
        }
        return row.owner._sequence(row.column).position(of: sought.value, in: row.owner)
    }

    /// The first position of an element; nil when it is not in the list. O(n).
    public func firstIndex(of element: Element) -> Int? { index(of: element) }

    /// The last position of an element; nil when it is not in the list. O(n).
    public func lastIndex(of element: Element) -> Int? {
        lastIndex { Element._areSame($0, element) }
    }

    /// Whether an element is in the list. Objects are the same when they represent the same row.
    /// O(n).
    public func contains(_ element: Element) -> Bool { index(of: element) != nil }

    /// The elements at the given positions, which must be in the list.
    public func objects(at positions: IndexSet) -> [Element] { positions.map { self[$0] } }

    /// Whether both are one list: the same property of the same row, or copies of one unmanaged
    /// list.
    public func isSame(as other: List) -> Bool { place.isSame(as: other.place) }
}

extension SequenceView {
    /// The first position of a value among the elements of `owner`, searched in the leaves.
    func position(of value: StoredValue, in owner: ObjectBase) -> Int? {
        let matches = matching(value, in: owner)
        var position: Int?
        try? forEachIndexed { index, element in
            guard matches(element) else { return }
            position = index
            throw Found()
        }
        return position
    }

    /// Whether an element of `owner` reads as `value`. A link to a deleted object within a value of
    /// any type reads as null.
    func matching(
        _ value: StoredValue, in owner: ObjectBase
    ) -> (_ element: StoredValue) -> Bool {
        guard value.isNull, let context = owner.__context else {
            return { $0 == value }
        }
        let view = context.view
        return { view.present($0).isNull }
    }

    private struct Found: Error {}
}
