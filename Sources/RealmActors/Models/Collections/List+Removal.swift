public import Foundation
import Storage

extension List {
    /// Removes the element at `position`. An embedded object is deleted with it.
    ///
    /// - Returns: the element; an embedded object is invalidated, a list or dictionary within a
    ///   value is a copy.
    @discardableResult
    public func remove(at position: Int) -> Element {
        let element = place.detached(read(position))
        if let box = place.unmanaged {
            box.contents.remove(at: position)
        } else {
            remove([position])
        }
        return element
    }

    /// Removes the elements of a range.
    public func removeSubrange(_ range: Range<Int>) {
        check(range)
        if range.isEmpty { return }
        if let box = place.unmanaged { return box.contents.removeSubrange(range) }
        remove(Array(range))
    }

    /// Removes the elements of a range.
    public func removeSubrange(_ range: some RangeExpression<Int>) {
        removeSubrange(range.relative(to: self))
    }

    /// Removes the elements at the given positions.
    public func remove(atOffsets offsets: IndexSet) {
        guard let first = offsets.first, let last = offsets.last else { return }
        check(first, upTo: count - 1)
        check(last, upTo: count - 1)
        if let box = place.unmanaged {
            var contents = box.contents
            for position in offsets.reversed() { contents.remove(at: position) }
            return box.contents = contents
        }
        remove(Array(offsets))
    }

    /// Removes the elements that satisfy `predicate`. The predicate may change the list and delete
    /// objects: it is called with the elements at the beginning of the call, except objects that
    /// are deleted meanwhile.
    public func removeAll(where predicate: (Element) throws -> Bool) rethrows {
        if let box = place.unmanaged {
            // On a copy, because the predicate may read the list.
            var contents = box.contents
            try contents.removeAll(where: predicate)
            return box.contents = contents
        }
        guard let (owner, column) = place.row else { return }
        let moment = owner._live?.moment
        var elements: [StoredValue] = []
        owner._sequence(column).forEach { elements.append($0) }
        var positions: [Int] = []
        for (position, element) in elements.enumerated() {
            let element = Element._element(
                StorableValue(element), at: ElementPlace(owner, column, position: position))
            if let object = element as? ObjectBase, object.isInvalidated { continue }
            if try predicate(element) { positions.append(position) }
        }
        if moment != owner._live?.moment {
            positions = self.positions(of: positions.map { elements[$0] })
        }
        if !positions.isEmpty { remove(positions) }
    }

    /// The present positions of elements that may have moved or been removed.
    private func positions(of elements: [StoredValue]) -> [Int] {
        var sought: [ExactValue: Int] = [:]
        for element in elements { sought[ExactValue(element), default: 0] += 1 }
        var positions: [Int] = []
        var position = 0
        place.sequence?.forEach { element in
            defer { position += 1 }
            guard let count = sought[ExactValue(element)], count > 0 else { return }
            sought[ExactValue(element)] = count - 1
            positions.append(position)
        }
        return positions
    }

    /// Removes every element.
    public func removeAll(keepingCapacity: Bool = false) {
        if let box = place.unmanaged {
            return box.contents.removeAll(keepingCapacity: keepingCapacity)
        }
        place.change { (managed) throws(RealmError) in
            managed.tree.listRemoveAll(managed.classID, managed.key, managed.column)
        }
    }

    /// Removes the first element; the list must not be empty.
    @discardableResult
    public func removeFirst() -> Element {
        checkRemoval(of: 1, from: count)
        return remove(at: 0)
    }

    /// Removes the first `number` elements; the list must have as many.
    public func removeFirst(_ number: Int) {
        checkRemoval(of: number, from: count)
        removeSubrange(0..<number)
    }

    /// Removes the last element; the list must not be empty.
    @discardableResult
    public func removeLast() -> Element {
        let count = count
        checkRemoval(of: 1, from: count)
        return remove(at: count - 1)
    }

    /// Removes the last `number` elements; the list must have as many.
    public func removeLast(_ number: Int) {
        let count = count
        checkRemoval(of: number, from: count)
        removeSubrange((count - number)..<count)
    }

    /// Removes the last element; nil when there is none.
    public func popLast() -> Element? { isEmpty ? nil : removeLast() }

    private func checkRemoval(of number: Int, from count: Int) {
        precondition(number >= 0, "Cannot remove \(number) elements: give zero or more.")
        precondition(
            number <= count,
            "It is not possible to remove more objects (\(number)) from a list than it already "
                + "contains (\(count)).")
    }

    /// Removes the elements at ascending positions.
    private func remove(_ positions: [Int]) {
        place.change(upTo: (positions.last ?? -1) + 1, removing: { _ in positions }) {
            (managed) throws(RealmError) in
            managed.tree.listRemove(
                at: positions, managed.classID, managed.key, managed.column)
        }
    }
}
