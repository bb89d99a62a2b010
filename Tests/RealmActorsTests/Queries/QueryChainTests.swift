import Storage
import Testing

@testable import RealmActors

/// Long chains of conditions that code joins one by one.
@Suite struct QueryChainTests {
    private var ship: Query<Ship> { .root }

    /// What the parts of a chain compare with, in their order.
    private func values(_ condition: Query<Bool>, isAnd: Bool = false) -> [StoredValue] {
        let expression = condition.expression
        let parts = isAnd ? expression.conjuncts : expression.disjuncts
        return parts.compactMap { part in
            if case .comparison(_, _, let value) = part { value } else { nil }
        }
    }

    /// How deep the tree of a condition is.
    private func levels(_ condition: Query<Bool>) -> Int {
        var level = 0
        var parts = [condition.expression]
        while !parts.isEmpty {
            level += 1
            parts = parts.flatMap { part -> [QueryExpression] in
                switch part {
                case .and(let left, let right), .or(let left, let right): [left, right]
                default: []
                }
            }
        }
        return level
    }

    @Test(arguments: [false, true]) func aChainKeepsItsOrderWhereverItIsJoined(isAnd: Bool) {
        var condition: Query<Bool> = ship.masts == 0
        var expected: [StoredValue] = [.int(0)]
        for number in 1..<500 {
            let next: Query<Bool> = ship.masts == number
            if number % 3 == 0 {
                condition = isAnd ? (next && condition) : (next || condition)
                expected.insert(.int(Int64(number)), at: 0)
            } else {
                condition = isAnd ? (condition && next) : (condition || next)
                expected.append(.int(Int64(number)))
            }
        }
        #expect(values(condition, isAnd: isAnd) == expected)
    }

    @Test func chainsThatBeginAlikeHaveEndsOfTheirOwn() {
        let begin: Query<Bool> = (0..<100).reduce(ship.masts == -1) { $0 || ship.masts == $1 }
        let first: Query<Bool> = begin || ship.masts == 1_000
        let second: Query<Bool> = begin || ship.masts == 2_000 || ship.masts == 3_000
        let third: Query<Bool> = ship.masts == 4_000 || begin
        let both: Query<Bool> = first || second
        let known: [StoredValue] = (-1..<100).map { .int($0) }
        #expect(values(begin) == known)
        #expect(values(first) == known + [.int(1_000)])
        #expect(values(second) == known + [.int(2_000), .int(3_000)])
        #expect(values(third) == [.int(4_000)] + known)
        #expect(values(both) == values(first) + values(second))
    }

    /// For every 64 conditions that were joined, the tree of all of them was made anew.
    @Test func chainsOfManyThousandsAreJoined() {
        let count = 50_000
        let condition: Query<Bool> = (0..<count).reduce(ship.masts == -1) {
            $0 || ship.masts == $1
        }
        let found = values(condition)
        #expect(found.count == count + 1 && found.last == .int(Int64(count - 1)))
        let negated: Query<Bool> = !condition && ship.masts != 7
        #expect(negated.expression.conjuncts.count == 2)
    }

    /// Each long chain in front of others made their tree one level deeper: thousands of them
    /// exhausted the stack.
    @Test(arguments: [false, true]) func longChainsThatAreJoinedDoNotNest(inFront: Bool) {
        let (chainCount, length) = (200, 100)
        func chain(_ number: Int) -> Query<Bool> {
            let start = number * length
            let first: Query<Bool> = ship.masts == start
            return (start + 1..<start + length).reduce(first) { $0 || ship.masts == $1 }
        }
        let numbers = Array(0..<chainCount)
        let all: Query<Bool>
        if inFront {
            let last = chain(chainCount - 1)
            all = numbers.dropLast().reversed().reduce(last) { chain($1) || $0 }
        } else {
            all = numbers.dropFirst().reduce(chain(0)) { $0 || chain($1) }
        }
        #expect(values(all) == (0..<chainCount * length).map { .int(Int64($0)) })
        #expect(levels(all) < 30)
    }
}
