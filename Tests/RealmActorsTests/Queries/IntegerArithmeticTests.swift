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
        .min, .min + 1, -8, -7, -1, 0, 1, 3, 7, 10, 300, 70_000, 1 << 40, .max - 1, .max,
    ]
    private static let comparisons: [(String, QueryComparison)] = [
        ("==", .equal), ("!=", .notEqual), ("<", .less), (">=", .greaterOrEqual),
    ]
    private static let operators: [(String, ArithmeticOperator)] = [
        ("+", .add), ("-", .subtract), ("*", .multiply), ("/", .divide), ("%", .remainder),
    ]

    @Test("Q1: integers are calculated exactly; overflows and zero divisors have no result")
    func integersAreCalculatedExactly() async throws {
        try await withFreshRealm([Tariff.self]) { realm in
            try await realm.write { tx in
                for (index, number) in Self.numbers.enumerated() {
                    let tariff = Tariff()
                    tariff.number = number
                    tariff.optional = index % 3 == 0 ? nil : number
                    tariff.small = Int8(truncatingIfNeeded: number)
                    try tx.add(tariff)
                }
            }
            let tariffs = realm.objects(Tariff.self)
            for (symbol, operation) in Self.operators {
                for operand in [-1, 0, 3, 7, Int.max] {
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
}
