import Storage

/// The edits of several commits to one list, as one change.
///
/// Every element of the newest state records its position in the oldest one, so that the edits of
/// any number of commits fold into one: an element that was inserted and removed again leaves no
/// trace, and one modified twice is one modification.
struct SequenceScript {
    private struct Element {
        /// The position in the oldest state; nil for an element that was inserted later.
        var origin: Int?
        var isModified = false
    }

    private let oldCount: Int
    private var elements: [Element]

    init(count: Int) {
        oldCount = count
        elements = (0..<count).map { Element(origin: $0) }
    }

    /// How many elements the list has after the commits so far.
    var count: Int { elements.count }

    /// Folds in the edit of the next commit; false if it is not an edit of this state.
    mutating func apply(_ edit: SequenceEdit) -> Bool {
        if let last = edit.deletions.last, last >= elements.count { return false }
        let newCount = elements.count - edit.deletions.count + edit.insertions.count
        if let last = edit.insertions.last, last >= newCount { return false }
        if let last = edit.modifications.last, last >= newCount { return false }
        var survivors = elements[...].makeIterator()
        var deletions = edit.deletions[...]
        var position = 0
        func nextSurvivor() -> Element? {
            while let element = survivors.next() {
                defer { position += 1 }
                if deletions.first == position {
                    deletions.removeFirst()
                } else {
                    return element
                }
            }
            return nil
        }
        var insertions = edit.insertions[...]
        var result: [Element] = []
        result.reserveCapacity(newCount)
        while result.count < newCount {
            if insertions.first == result.count {
                insertions.removeFirst()
                result.append(Element(origin: nil))
            } else if let element = nextSurvivor() {
                result.append(element)
            } else {
                return false
            }
        }
        for position in edit.modifications { result[position].isModified = true }
        elements = result
        return true
    }

    /// The change from the oldest state to the newest. `isModified` adds elements whose objects
    /// were modified, by their positions in the newest state.
    func change(isModified: (Int) -> Bool = { _ in false }) -> PositionChange {
        var change = PositionChange()
        var next = 0
        for (position, element) in elements.enumerated() {
            guard let origin = element.origin else {
                change.insertions.append(position)
                continue
            }
            change.deletions.append(contentsOf: next..<origin)
            next = origin + 1
            if element.isModified || isModified(position) { change.modifications.append(origin) }
        }
        change.deletions.append(contentsOf: next..<oldCount)
        return change
    }
}
