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

    /// Each stream of an object visited all rows that link to a touched one.
    @Test func aPathOfLinksIsWalkedFromTheRow() {
        let steps = (0..<3).map { PathStep.column(ColumnID($0), of: ClassID($0)) }
        let walker = PathWalker(path: WatchedPath(name: "owner", steps: steps))
        func marks(_ column: Int) -> MergedMarks {
            let written = ColumnSet([ColumnID(column)])
            let rows = (0..<Int64(1_000)).map { (RowKey($0), written) }
            let touched = Dictionary(uniqueKeysWithValues: rows)
            var marks = MergedMarks()
            marks.add([ClassID(2): ClassChanges(created: [], deleted: [], touched: touched)])
            return marks
        }
        let graph = DenseGraph()
        #expect(walker.modifies(RowKey(50_000), by: marks(2), in: graph))
        #expect(graph.visits == 20)
        #expect(!walker.modifies(RowKey(50_000), by: marks(1), in: graph))
        #expect(graph.visits == 40)
    }

    /// Each commit of the class from which an inverse leads computed the hashes of all rows again.
    @Test func hashesAreKeptWhereNoLinkWasWritten() {
        let steps = [PathStep.backlinks(origin: ClassID(1), column: ColumnID(3))]
        var hashes = BacklinkHashes(WatchedPath(name: "owners", steps: steps))
        let graph = DenseGraph()
        let rows = (0..<Int64(100)).map { RowKey($0) }
        hashes.reset(rows, in: graph)
        #expect(graph.visits == 1_000)
        func update(_ column: Int, deleted: [RowKey] = []) {
            let touched = [RowKey(7): ColumnSet([ColumnID(column)])]
            var marks = MergedMarks()
            marks.add([ClassID(1): ClassChanges(created: [], deleted: deleted, touched: touched)])
            _ = hashes.update(rows, marks: marks, in: graph)
        }
        update(0)
        #expect(graph.visits == 1_000)
        update(3)
        #expect(graph.visits == 2_000)
        update(0, deleted: [RowKey(8)])
        #expect(graph.visits == 3_000)
    }
}
