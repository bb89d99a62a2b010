/// A collection whose changes can be watched: frozen results and frozen lists, sets and maps.
public protocol ObservedCollection: Sendable {
    /// What says where a change happened: an index, or the key of a map.
    associatedtype Position: Sendable, Hashable

    /// Where what stood at `modifications` in the previous collection stands in the present one.
    static func newPositions(
        of modifications: [Position], deletions: [Position], insertions: [Position]
    ) -> [Position]
}

extension ObservedCollection where Position == Int {
    /// Where what stood at `modifications` in the previous collection stands in the present one.
    public static func newPositions(
        of modifications: [Int], deletions: [Int], insertions: [Int]
    ) -> [Int] {
        PositionChange.newPositions(
            of: modifications, deletions: deletions, insertions: insertions)
    }
}
