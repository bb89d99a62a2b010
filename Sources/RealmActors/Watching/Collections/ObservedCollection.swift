/// A collection whose changes can be watched: frozen results and their sections,
/// frozen lists, sets and maps.
public protocol ObservedCollection: Sendable {
    /// What says where a change happened: an index, or the key of a map.
    associatedtype Position: Sendable, Hashable

    /// Where what stood at `modifications` in the previous collection stands in this one, to which
    /// the change led.
    func newPositions(
        of modifications: [Position], deletions: [Position], insertions: [Position]
    ) -> [Position]
}

extension ObservedCollection where Position == Int {
    /// Where what stood at `modifications` in the previous collection stands in this one.
    public func newPositions(
        of modifications: [Int], deletions: [Int], insertions: [Int]
    ) -> [Int] {
        PositionChange.newPositions(
            of: modifications, deletions: deletions, insertions: insertions)
    }
}
