/// A first-in, first-out queue with operations in constant time.
struct StepQueue<Element: Sendable>: Sendable {
    private var elements: [Element?] = []
    /// The index of the first element; those before it were taken.
    private var first = 0

    var isEmpty: Bool { first == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    /// Inserts an element before all others, in linear time.
    mutating func prepend(_ element: Element) { elements.insert(element, at: first) }

    mutating func popFirst() -> Element? {
        if isEmpty { return nil }
        let element = elements[first]
        elements[first] = nil
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: true)
            first = 0
        } else if first > 32, first > elements.count / 2 {
            elements.removeSubrange(..<first)
            first = 0
        }
        return element
    }

    /// Changes the last element; nil when there is none.
    mutating func updateLast<R>(_ body: (inout Element) -> R) -> R? {
        guard !isEmpty, var last = elements.removeLast() else { return nil }
        defer { elements.append(last) }
        return body(&last)
    }
}
