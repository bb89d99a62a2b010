import RealmActors
import StorageHarness

/// A consumer's own copy of a collection, which changes keep up to date.
struct Replica<Element: Equatable & Sendable> {
    private(set) var elements: [Element] = []

    /// Applies a change: what it does not mention must be as it was.
    mutating func apply<C: ObservedCollection & Collection>(
        _ change: CollectionChange<C>, _ witness: String, _ element: (C.Element) -> Element
    ) throws where C.Position == Int {
        let present = change.collection.map(element)
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
            elements = present
            return
        }
        var next = elements
        for (before, after) in zip(modifications, change.newModifications) {
            guard next.indices.contains(before), present.indices.contains(after) else {
                throw Violation("\(witness) was told of a place that there is not: \(change)")
            }
            next[before] = present[after]
        }
        for position in deletions.reversed() {
            guard next.indices.contains(position) else {
                throw Violation("\(witness) was told of a place that there was not: \(change)")
            }
            next.remove(at: position)
        }
        for position in insertions {
            guard position <= next.count, present.indices.contains(position) else {
                throw Violation("\(witness) was told of a place that there is not: \(change)")
            }
            next.insert(present[position], at: position)
        }
        elements = next
        guard elements == present else {
            throw Violation("\(witness) has \(elements) after \(change), there is \(present)")
        }
    }
}
