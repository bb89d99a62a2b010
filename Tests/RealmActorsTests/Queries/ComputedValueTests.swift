import Foundation
import RealmActors
import Testing

private final class Warren: Object {
    @Persisted var number: Int
    @Persisted var wide: Bool
    @Persisted var size: Int?
    @Persisted var days: List<Date>
    @Persisted var hares: List<Hare>
}

private final class Hare: Object {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var born: Date?
}

/// `BETWEEN` and `IN`, ranges and lists, of what a query computes: of parts of dates, calculations,
/// counts and aggregates. Of many values each is tested by itself.
@Suite struct ComputedValueTests {
    /// The middle of a month of 2001.
    private static func month(_ month: Int) -> Date {
        Date(timeIntervalSinceReferenceDate: (14 + 30.44 * Double(month - 1)) * 86_400)
    }

    /// The months and ages of the hares of each warren; the last has none that is dated.
    private static let warrens: [[(month: Int?, age: Int)]] = [
        [(2, 2), (11, 9)], [(7, 5)], [], [(1, 4), (7, 5)], [(nil, 7)],
    ]

    private func withWarrens(_ body: (FrozenResults<Warren>) async throws -> Void) async throws {
        try await withFreshRealm([Warren.self, Hare.self]) { realm in
            try await realm.write { tx in
                for (number, hares) in Self.warrens.enumerated() {
                    let warren = try tx.create(Warren.self, value: ["number": number])
                    warren.size = number == 0 ? nil : number
                    for (month, age) in hares {
                        let hare = try tx.create(Hare.self, value: ["age": age])
                        hare.born = month.map { Self.month($0) }
                        warren.hares.append(hare)
                        if let born = hare.born { warren.days.append(born) }
                    }
                }
            }
            try await body(realm.objects(Warren.self))
        }
    }

    /// Each bound, and each value of a list, was a condition of its own: an owner of a dog born in
    /// February and one born in November had one born from June to August.
    @Test func textTestsEachValueByItself() async throws {
        try await withWarrens { warrens async throws in
            func find(_ text: String) throws -> [Int] {
                try warrens.filter(text).values(of: \.number)
            }
            let all = Array(0..<5)
            for path in ["hares.born.month", "days.month"] {
                #expect(try find("ANY \(path) BETWEEN {6, 8}") == [1, 3])
                #expect(try find("NONE \(path) BETWEEN {6, 8}") == [0, 2, 4])
                #expect(try find("ANY \(path) IN {6, 7}") == [1, 3])
                #expect(try find("NONE \(path) IN {6, 7}") == [0, 2, 4])
                #expect(try find("ANY \(path) IN {}") == [])
                #expect(try find("NONE \(path) IN {}") == all)
            }
            #expect(try find("ANY hares.born.month IN {NULL, 2}") == [0, 4])
            #expect(try find("ANY hares.age * 2 BETWEEN {6, 8}") == [3])
            #expect(try find("NONE hares.age % 4 IN {1, 2}") == [2, 4])
            #expect(try find("ANY hares.age % 4 IN {2.0, 3}") == [0, 4])
            #expect(try find("hares.@count BETWEEN {1, 1}") == [1, 4])
            #expect(try find("size % 3 IN {NULL, 1}") == [0, 1, 4])
            let text = "ANY hares.born.month BETWEEN {6, 8}"
            #expect(try warrens.filter(text).explain().contains(text))
            for wrong in [
                "hares.born.month IN {}", "hares.age % 4 IN {}", "NONE hares.@count IN {}",
                "ANY size % 3 IN {'x'}", "ANY days.month BETWEEN {1, 'x'}",
            ] {
                #expect(throws: RealmError.self, "\(wrong)") { try warrens.filter(wrong) }
            }
        }
    }

    /// They ended the process.
    @Test func theTypeSafeFormTestsEachValueByItself() async throws {
        try await withWarrens { warrens async throws in
            func find(_ isIncluded: (Query<Warren>) -> Query<Bool>) -> [Int] {
                warrens.where(isIncluded).values(of: \.number)
            }
            #expect(find { $0.hares.born.month.contains(6...8) } == [1, 3])
            #expect(find { $0.hares.none.born.month.contains(6...8) } == [0, 2, 4])
            #expect(find { $0.hares.all.born.month.contains(6...8) } == [1, 2])
            #expect(find { $0.hares.all.born.month.in([1, 7]) } == [1, 2, 3])
            #expect(find { $0.hares.none.born.month.in([Int]()) } == [0, 1, 2, 3, 4])
            #expect(find { $0.days.any.month.in([7]) } == [1, 3])
            #expect(find { $0.days.all.month.contains(6..<8) } == [1, 2, 4])
            #expect(find { ($0.hares.age * 2).contains(6...8) } == [3])
            #expect(find { warren in (warren.number % 3).in([0]) } == [0, 3])
            #expect(find { ($0.size % 3).contains(0..<2) } == [1, 3, 4])
            #expect(find { $0.hares.count.contains(1...1) } == [1, 4])
            #expect(find { $0.hares.age.max.in([5, 7]) } == [1, 3, 4])
            #expect(find { warren in (warren.hares.age > 4).count.in([1]) } == [0, 1, 3, 4])
            #expect(find { ($0.hares.age > 4).count.contains(0..<1) } == [2])
            #expect(find { warren in (warren.number > 2).in([false]) } == [0, 1, 2])
        }
    }

    /// They ended the process, too. What cannot throw finds nothing, and what can says why.
    @Test func whatCannotBeComparedIsRefused() async throws {
        let refused: [@Sendable (Query<Warren>) -> Query<Bool>] = [
            { $0.wide == ($0.number > 3) },
            { ($0.number > 3) != ($0.number > 4) },
            { ($0.hares.age > 3).count == $0.number },
            { ($0.hares.age > 3).count + 1 > 0 },
            { $0.hares.name.max.starts(with: "a") },
            { $0.hares.name.contains($0.hares.name.max) },
            { ($0.number + 1).max > 3 },
            { $0.hares.count.distinctCount > 0 },
        ]
        try await withWarrens { warrens async throws in
            for (number, condition) in refused.enumerated() {
                let results = warrens.where(condition)
                #expect(results.isEmpty, "\(number)")
                let error = #expect(throws: RealmError.self) { try results.filter("number >= 0") }
                guard case .invalidQuery? = error else {
                    Issue.record("\(number): \(String(describing: error))")
                    continue
                }
            }
        }
    }

    /// An optional property and another one made a term that was not counted.
    @Test func termsOfBothKindsAreCounted() async throws {
        @Sendable func sum(of terms: Int, _ warren: Query<Warren>) -> Query<Int?> {
            var sum: Query<Int?> = warren.size + warren.number
            for _ in 2..<terms { sum = warren.number + sum }
            return sum
        }
        try await withWarrens { warrens async throws in
            let most = QueryOperand.termsMax
            #expect(warrens.where { sum(of: most, $0) == 2 * most }.values(of: \.number) == [2])
            let more = most + 1
            let refused = warrens.where { sum(of: more, $0) == 2 * more }
            #expect(refused.isEmpty)
            #expect(throws: RealmError.self) { try refused.filter("number >= 0") }
        }
    }
}
