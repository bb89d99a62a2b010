import Storage
import Testing

@testable import RealmActors

/// How many links between objects key paths traverse.
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

        func isCollection(_ column: ColumnID, of id: ClassID) -> Bool { false }

        func forEachTarget(
            of row: RowKey, in id: ClassID, column: ColumnID, at positions: [Int],
            _ visit: (RowKey) -> Void
        ) { visitAll(visit) }

        private func visitAll(_ visit: (RowKey) -> Void) {
            for key in Int64(0)..<10 {
                visits += 1
                visit(RowKey(key))
            }
        }
    }

    /// Six steps led to a million rows.
    @Test func aRowThatIsReachedInManyWaysIsTraversedOnce() {
        let step = PathStep.backlinks(origin: ClassID(0), column: ColumnID(0))
        var hashes = BacklinkHashes(
            WatchedPath(name: "friends", steps: Array(repeating: step, count: 6)))
        let graph = DenseGraph()
        hashes.reset([RowKey(0)], in: graph)
        #expect(graph.visits == 10 + 5 * 100)
    }

    /// Each stream of an object iterated over all rows that a commit had touched: the cost was the
    /// number of streams times the size of the commit.
    @Test func aPropertyOfOneRowIsLookedUp() {
        let rows = 0..<Int64(40_000)
        let written = ColumnSet([ColumnID(0)])
        let touched = Dictionary(uniqueKeysWithValues: rows.map { (RowKey($0), written) })
        var marks = MergedMarks()
        marks.add([ClassID(0): ClassChanges(created: [], deleted: [], touched: touched)])
        func walker(_ column: Int) -> PathWalker {
            let step = PathStep.column(ColumnID(column), of: ClassID(0))
            return PathWalker(path: WatchedPath(name: "age", steps: [step]))
        }
        let (age, name) = (walker(0), walker(1))
        let graph = DenseGraph()
        #expect(rows.allSatisfy { age.modifies(RowKey($0), by: marks, in: graph) })
        #expect(!rows.contains { name.modifies(RowKey($0), by: marks, in: graph) })
        #expect(!age.modifies(RowKey(rows.upperBound), by: marks, in: graph))
    }
}
