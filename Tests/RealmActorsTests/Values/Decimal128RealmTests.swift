import Foundation
import RealmActors
import Testing

private final class Price: Object {
    @Persisted var amount: Decimal128
    @Persisted var reduced: Decimal128?
}

/// What Realm's `Decimal128` has beyond a number.
@Suite struct Decimal128RealmTests {
    @Test func theLeastAndTheGreatest() {
        #expect(Decimal128.min == -Decimal128.max && Decimal128.max.isFinite)
        #expect(Decimal128.max == Decimal128.greatestFiniteMagnitude)
        #expect(Decimal128.max > "9.99E+6144" && Decimal128.max * 10 == .infinity)
        #expect(-Decimal128.infinity < Decimal128.min)
    }

    @Test func steps() {
        let price: Decimal128 = "19.99"
        #expect(price.advanced(by: "0.01") == 20)
        #expect(price.distance(to: "20.00") == "0.01")
        #expect(price.advanced(by: price.distance(to: -5)) == -5)
        #expect(price.advanced(by: .nan).isNaN && price.distance(to: .infinity) == .infinity)
    }

    @Test(arguments: [
        (NSNumber(value: 5), "5"), (NSNumber(value: -5.25), "-5.25"), (NSNumber(value: 0.1), "0.1"),
        (NSNumber(value: Int64.min), "-9223372036854775808"),
        (NSNumber(value: UInt64.max), "18446744073709551615"),
        (NSNumber(value: (1 << 53) + 1), "9007199254740993"),
        (
            NSDecimalNumber(string: "12345678901234567890.123456789"),
            "12345678901234567890.123456789"
        ),
        (NSNumber(value: Double.infinity), "Infinity"), (NSNumber(value: Double.nan), "NaN"),
    ])
    func numbersOfFoundation(number: NSNumber, expected: String) {
        #expect(Decimal128(number: number) == Decimal128(expected), "\(Decimal128(number: number))")
    }

    @Test("V5: a number of every type keeps its digits where a decimal one is asked for")
    func valuesOfOtherTypes() throws {
        let given: [(Any, Decimal128)] = [
            (Float(0.1), "0.1"), (0.1, "0.1"), (Int8(-5), "-5"),
            (UInt64.max, "18446744073709551615"), (NSNumber(value: 2.5), "2.5"),
            (NSDecimalNumber(string: "12345678901234567890.12"), "12345678901234567890.12"),
        ]
        for (number, expected) in given {
            let price = try Price(value: ["amount": number, "reduced": Optional(number) as Any])
            #expect(price.amount == expected && price.reduced == expected, "\(number)")
        }
        #expect(throws: RealmError.self) { try Price(value: ["amount": true]) }
    }

    @Test func valuesOfAnyType() throws {
        let given: [(Any, Decimal128)] = [
            (5, "5"), (UInt64.max, "18446744073709551615"), (Float(0.1), "0.1"), (-2.5, "-2.5"),
            ("12.50", "12.5"), (Decimal(3), "3"), (NSNumber(value: 7), "7"),
            (Decimal128.infinity, .infinity), (Optional(4) as Any, "4"),
        ]
        for (value, expected) in given {
            #expect(try Decimal128(value: value) == expected, "\(value)")
        }
        for value in ["five", true, Date(), NSNull(), [1], Int?.none as Any] as [Any] {
            #expect(throws: RealmError.self) { try Decimal128(value: value) }
        }
    }

    /// Realm writes powers of ten without a plus, and infinity in short.
    @Test(
        "P12: the texts that Realm writes are read",
        arguments: [
            ("1.5E2", "150"), ("1.234567890E132", "1234567890e123"), ("5E-1", "0.5"),
            ("1E-6", "1e-6"),
            ("+1234567890123456789012345678901234E-4", "123456789012345678901234567890.1234"),
            ("Inf", "inf"), ("-Inf", "-inf"), ("NaN", "nan"),
        ])
    func textsOfRealm(text: String, plain: String) throws {
        #expect(try Decimal128(string: text) == Decimal128(string: plain))
        let data = try JSONEncoder().encode([text])
        #expect(try JSONDecoder().decode([Decimal128].self, from: data)[0] == Decimal128(plain))
    }

    @Test func nothingSignals() {
        for value in [.nan, 0, .infinity, Decimal128.infinity - .infinity, 0 / 0] as [Decimal128] {
            #expect(!value.isSignaling && !value.isSignalingNaN)
        }
    }
}
