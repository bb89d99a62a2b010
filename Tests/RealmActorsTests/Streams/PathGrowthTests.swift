import Storage
import Testing

@testable import RealmActors

/// How much of the links between objects key paths go through.
@Suite struct PathGrowthTests {
    /// Ten rows that are all linked with each other.
    private final class DenseGraph: LinkGraph {
        private(set) var visits = 0

        func forEachOrigin(
            of target: RowKey, origin: ClassID, column: ColumnID, _ visit: (RowKey) -> Void
        ) { visitAll(visit) }

        func forEachTarget(
            of row: RowKey, in id: ClassID, column: ColumnID, _ visit: (RowKey) -> Void
        ) { visitAll(visit) }

        private func visitAll(_ visit: (RowKey) -> Void) {
            for key in Int64(0)..<10 {
                visits += 1
                visit(RowKey(key))
            }
        }
    }

    /// Six steps led to a million rows.
    @Test func whatManyWaysLeadToIsGoneThroughOnce() {
        let step = PathStep.backlinks(origin: ClassID(0), column: ColumnID(0))
        var footprint = PathFootprint(
            WatchedPath(name: "friends", steps: Array(repeating: step, count: 6)))
        let graph = DenseGraph()
        footprint.reset([RowKey(0)], in: graph)
        #expect(graph.visits == 10 + 5 * 100)
    }
}
