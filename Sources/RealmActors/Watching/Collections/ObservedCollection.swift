/// A collection whose changes can be watched: frozen results and their sections,
/// frozen lists, sets and maps.
public protocol ObservedCollection: Sendable {
    /// The position of a change: an index, or the key of a map.
    associatedtype Position: Sendable, Hashable

    /// The positions in this collection of the elements that were at `modifications` in the
    /// previous one, before the change that delivered this collection.
    func newPositions(
        of modifications: [Position], deletions: [Position], insertions: [Position]
    ) -> [Position]
}

extension ObservedCollection where Position == Int {
    /// The positions in this collection of the elements that were at `modifications` in the
    /// previous one.
    public func newPositions(
        of modifications: [Int], deletions: [Int], insertions: [Int]
    ) -> [Int] {
        PositionChange.newPositions(
            of: modifications, deletions: deletions, insertions: insertions)
    }
}
