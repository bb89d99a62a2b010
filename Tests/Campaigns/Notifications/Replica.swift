import RealmActors
import StorageHarness

/// A consumer's copy of a collection, which changes keep up to date.
struct Replica<Element: Equatable & Sendable> {
    private(set) var elements: [Element] = []

    /// Applies a change: everything else must be unchanged.
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
                throw Violation("\(witness) was notified of a missing index: \(change)")
            }
            next[before] = present[after]
        }
        for position in deletions.reversed() {
            guard next.indices.contains(position) else {
                throw Violation("\(witness) was notified of an index that was missing: \(change)")
            }
            next.remove(at: position)
        }
        for position in insertions {
            guard position <= next.count, present.indices.contains(position) else {
                throw Violation("\(witness) was notified of a missing index: \(change)")
            }
            next.insert(present[position], at: position)
        }
        elements = next
        guard elements == present else {
            throw Violation("\(witness) has \(elements) after \(change), there is \(present)")
        }
    }
}
