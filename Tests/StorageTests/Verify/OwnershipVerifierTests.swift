import Foundation
import Testing

@testable import Storage

/// Verification did not count parents: an embedded row with no parent, or with two, was not
/// reported.
@Suite struct OwnershipVerifierTests {
    typealias S = ModelSchema

    @Test func aRowWithoutAParentIsFound() throws {
        let damaged = DamagedTree()
        let orphan = damaged.tree.createRow(S.part)
        let problems = try damaged.verify()
        #expect(problems.map(\.kind) == [.ownership])
        #expect(problems.first?.place.row == orphan && problems.first?.place.classID == S.part)
        #expect(problems.first?.reason.contains("no parent") == true)
    }

    @Test func aRowWithTwoParentsIsFound() throws {
        let damaged = DamagedTree()
        let shared = damaged.tree.createRow(S.part)
        damaged.tree.writer(S.item, RowKey(5))?.setLink(S.owned, shared)
        #expect(try damaged.verify().isEmpty)
        damaged.tree.writer(S.item, RowKey(6))?.setLink(S.owned, shared)
        let problems = try damaged.verify()
        #expect(problems.map(\.kind) == [.ownership])
        #expect(problems.first?.reason.contains("2 parents") == true)
    }

    /// Each deleted target was searched for in every list that had it.
    @Test func aListLosesManyElementsInOnePass() throws {
        let damaged = DamagedTree()
        let tree = damaged.tree
        let deleted = (0..<DamagedTree.rows).filter { $0 % 3 == 0 && $0 != 1 }
        func children() -> [StoredValue] {
            let schema = S.schema[S.item].columns[S.children]
            guard
                case .elements(let elements) = tree.contents(
                    S.item, RowKey(1), ColumnID(S.children), schema)
            else { return [] }
            return elements
        }
        let set = Set(deleted.map { StoredValue.link(RowKey(Int64($0))) })
        let expected = children().filter { !set.contains($0) }
        tree.delete(S.item, deleted.map { RowKey(Int64($0)) })
        #expect(children() == expected && expected.count > 400)
        #expect(try damaged.verify().isEmpty)
    }
}
