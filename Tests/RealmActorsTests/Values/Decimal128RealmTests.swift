import Foundation
import RealmActors
import Testing

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

    @Test func nothingSignals() {
        for value in [.nan, 0, .infinity, Decimal128.infinity - .infinity, 0 / 0] as [Decimal128] {
            #expect(!value.isSignaling && !value.isSignalingNaN)
        }
    }
}
