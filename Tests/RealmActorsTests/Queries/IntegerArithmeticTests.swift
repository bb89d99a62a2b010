import Storage
import Testing

@testable import RealmActors

private final class Tariff: Object {
    @Persisted var number: Int
    @Persisted var optional: Int?
    @Persisted var small: Int8
}

/// Calculations with integers have a loop of their own, which agrees with the general form.
@Suite struct IntegerArithmeticTests {
    private static let numbers: [Int] = [
        .min, .min + 1, -8, -7, -1, 0, 1, 3, 7, 10, 300, 70_000, 1 << 31, (1 << 32) - 1, 1 << 32,
        (1 << 32) + 3, -(1 << 32) - 3, 1 << 40, .max - 1, .max,
    ]
    private static let comparisons: [(String, QueryComparison)] = [
        ("==", .equal), ("!=", .notEqual), ("<", .less), (">=", .greaterOrEqual),
    ]
    private static let operators: [(String, ArithmeticOperator)] = [
        ("+", .add), ("-", .subtract), ("*", .multiply), ("/", .divide), ("%", .remainder),
    ]

    /// All of them are calculated together, and a few one by one.
    @Test(
        "Q1: integers are calculated exactly; overflows and zero divisors have no result",
        arguments: [numbers, Array(numbers.prefix(12))])
    func integersAreCalculatedExactly(_ numbers: [Int]) async throws {
        try await withFreshRealm([Tariff.self]) { realm in
            try await realm.write { tx in
                for (index, number) in numbers.enumerated() {
                    let tariff = Tariff()
                    tariff.number = number
                    tariff.optional = index % 3 == 0 ? nil : number
                    tariff.small = Int8(truncatingIfNeeded: number)
                    try tx.add(tariff)
                }
            }
            let tariffs = realm.objects(Tariff.self)
            for (symbol, operation) in Self.operators {
                for operand in [-1, 0, 1, 3, 7, (1 << 32) - 1, 1 << 32, Int.max] {
                    for (sign, comparison) in Self.comparisons {
                        let text = "\(symbol) \(operand) \(sign) 3"
                        let expected = Array(tariffs).filter { tariff in
                            Self.holds(.int(Int64(tariff.number)), operation, operand, comparison)
                        }
                        let found = try tariffs.filter("number \(text)")
                        #expect(found.map(\.number) == expected.map(\.number), "number \(text)")

                        let expectedOptional = Array(tariffs).filter { tariff in
                            let value = tariff.optional.map { StoredValue.int(Int64($0)) } ?? .null
                            return Self.holds(value, operation, operand, comparison)
                        }
                        let optional = try tariffs.filter("optional \(text)")
                        #expect(
                            optional.map(\.optional) == expectedOptional.map(\.optional),
                            "optional \(text)")
                    }
                }
            }
        }
    }

    private static func holds(
        _ value: StoredValue, _ operation: ArithmeticOperator, _ operand: Int,
        _ comparison: QueryComparison
    ) -> Bool {
        ValueTest.compare(operation.apply(value, .int(Int64(operand))), comparison, .int(3))
    }

    @Test("Q1: both sides of a comparison may be calculated")
    func bothSidesMayBeCalculated() async throws {
        try await withFreshRealm([Tariff.self]) { realm in
            try await realm.write { tx in
                for number in -10...10 {
                    try tx.create(Tariff.self, value: ["number": number, "small": number / 2])
                }
            }
            let tariffs = realm.objects(Tariff.self)
            let typed = tariffs.where { $0.number % 7 == 3 }
            #expect(typed.map(\.number) == [3, 10])
            let found = try tariffs.filter("number - small * 2 == number % 2")
            #expect(found.count == 21)
            #expect(try tariffs.filter("NOT number % 2 == 0").count == 10)
        }
    }

    @Test("Q1: remainders of integers of every width", arguments: [1, 1 << 10, 1 << 20, 1 << 40])
    func remaindersOfEveryWidth(_ unit: Int) async throws {
        try await withFreshRealm([Tariff.self]) { realm in
            let numbers = (-300..<300).map { $0 * unit + $0 % 5 }
            try await realm.write { tx in
                for (index, number) in numbers.enumerated() {
                    let tariff = Tariff()
                    tariff.number = number
                    tariff.optional = index % 7 == 0 ? nil : 300
                    try tx.add(tariff)
                }
            }
            let tariffs = realm.objects(Tariff.self)
            for (divisor, rest) in [(7, 3), (7, -3), (64, 9), (1 << 33, 5)] {
                let found = tariffs.where { $0.number % divisor == rest }
                #expect(found.count == numbers.count { $0 % divisor == rest })
            }
            let both = try tariffs.filter("(optional + number) % 9 == 1")
            let expected = numbers.enumerated().filter { $0.offset % 7 != 0 }
            #expect(both.count == expected.count { ($0.element + 300) % 9 == 1 })
            // Nil differs from every number.
            let others = try tariffs.filter("(optional + number) % 9 != 1")
            #expect(others.count == numbers.count - both.count)
        }
    }
}
