import Storage
import Testing

@testable import RealmActors

/// What the planner decides, from numbers alone.
@Suite struct QueryPlannerTests {
    private typealias Candidate = QueryPlanner.Candidate

    private func exact(_ rows: Int) -> Candidate { Candidate(rows: rows, isExact: true) }
    private func inexact(_ rows: Int) -> Candidate { Candidate(rows: rows, isExact: false) }

    @Test func anIndexServesWhereItLeavesFewRows() {
        let planner = QueryPlanner(total: 1000)
        #expect(planner.choice([]) == nil)
        #expect(planner.choice([exact(250)]) == 0)
        #expect(planner.choice([exact(251)]) == nil)
        #expect(planner.choice([inexact(7)]) == 0)
        #expect(planner.choice([inexact(8)]) == nil)
        #expect(planner.choice([inexact(7), inexact(3), inexact(5)]) == 1)
        #expect(planner.choice([exact(0)]) == 0)
        #expect(QueryPlanner(total: 0).choice([exact(0)]) == 0)
    }

    @Test func aScanHasTheFirstOfManySooner() {
        // Of 200 matching rows in 1000, the first one lies about five rows in.
        #expect(QueryPlanner(total: 1000, limit: 1).choice([exact(200)]) == nil)
        #expect(QueryPlanner(total: 1000, limit: 1).choice([exact(30)]) == 0)
        #expect(QueryPlanner(total: 1000, limit: 500).choice([exact(200)]) == 0)
    }

    @Test func anOrderIsWalkedWhereItsIndexServes() {
        let planner = QueryPlanner(total: 6400)
        #expect(planner.order(inOrder: nil, others: []) == .walk(evaluatesFilter: false))
        #expect(planner.order(inOrder: exact(6400), others: []) == .walk(evaluatesFilter: false))
        #expect(planner.order(inOrder: inexact(50), others: []) == .walk(evaluatesFilter: true))
        #expect(planner.order(inOrder: inexact(6400), others: []) == .attempt(entries: 100))
        #expect(
            planner.order(inOrder: inexact(6400), others: [inexact(6400)])
                == .attempt(entries: 100))
        #expect(planner.order(inOrder: inexact(6400), others: [inexact(9)]) == .sort)
    }

    @Test func linkedRowsAreWalkedBackFromWhereTheyAreFew() {
        let planner = QueryPlanner(total: 6400)
        #expect(planner.prefersBacklinkSeek(found: 100))
        #expect(!planner.prefersBacklinkSeek(found: 101))
        #expect(planner.isSmall(targets: 800))
        #expect(!planner.isSmall(targets: 801))
        #expect(planner.prefersTargetPrefilter(targets: 800, collectionDepth: 0))
        #expect(!planner.prefersTargetPrefilter(targets: 6400, collectionDepth: 0))
        #expect(planner.prefersTargetPrefilter(targets: 6400, collectionDepth: 1))
        #expect(!planner.prefersTargetPrefilter(targets: 6401, collectionDepth: 2))
        #expect(planner.prefersTargetPrefilter(targets: 6401, collectionDepth: 3))
    }

    /// The kinds of the parts of a condition, in the order in which they are asked.
    private func order(_ expression: QueryExpression) throws -> [String] {
        let schema = RowQuerySchema(store: RandomQueries().schema)
        let bound = try PredicateBinding(schema: schema, classID: ClassID(0)).bind(expression)
        let parts: [RowPredicate] =
            switch bound {
            case .and(let parts), .or(let parts): parts
            default: [bound]
            }
        return parts.map { part in
            switch part {
            case .leaf(.integers(let scan)): scan.low == scan.high ? "=" : "<>"
            case .leaf(.text): "text"
            case .leaf(.strings): "string"
            case .link(_, .link, _): "link link"
            case .link: "link"
            case .not: "not"
            case .and: "and"
            default: "other"
            }
        }
    }

    private func path(_ steps: String...) -> QueryPath { QueryPath(steps: steps) }

    @Test func cheapConditionsAreAskedFirst() throws {
        let equal = QueryExpression.comparison(path("long"), .equal, .int(3))
        let range = QueryExpression.comparison(path("long"), .greater, .int(3))
        let contains = QueryExpression.text(path("string"), .contains, "abc", [])
        let string = QueryExpression.comparison(path("string"), .equal, .string("abc"))
        let link = QueryExpression.comparison(path("owner", "long"), .equal, .int(3))
        let far = QueryExpression.comparison(path("owner", "owner", "long"), .equal, .int(3))
        let all: [QueryExpression] = [far, link, contains, string, range, equal]
        #expect(
            try order(.all(all)) == ["=", "<>", "string", "text", "link", "link link"])
        #expect(
            try order(.all(all.reversed()))
                == ["=", "<>", "string", "text", "link", "link link"])
        // Of alternatives, those come first that are likely to be enough.
        #expect(try order(.any([link, contains, equal, range])) == ["<>", "=", "text", "link"])
        #expect(
            try order(.or(.and(link, equal), .or(range, .not(link)))) == ["<>", "not", "and"])
        #expect(try order(.and(.constant(true), equal)) == ["="])
        #expect(try order(.and(.constant(false), equal)) == ["other"])
    }
}
