import Foundation
import RealmActors
import Testing

/// Numbers of Foundation as values of properties, as JSON has them.
@Suite struct GivenNumberTests {
    /// They were taken for 1 and 0, also by enums, and 1.0 for true.
    @Test("V5: a truth value is no number, and a number with a point no truth value")
    func truthValues() throws {
        for value in [true, false] {
            let number = NSNumber(value: value)
            for name in ["int8", "float", "double", "rank", "optionalInt", "optionalDouble"] {
                #expect(throws: RealmError.self, "\(name)") {
                    try Everything(value: [name: number])
                }
                let text = "{\"\(name)\": \(value)}"
                let json = try JSONSerialization.jsonObject(with: Data(text.utf8))
                #expect(throws: RealmError.self, "\(name)") { try Everything(value: json) }
            }
            let values: [String: Any] = ["bool": number, "optionalBool": number, "any": number]
            let everything = try Everything(value: values)
            #expect(everything.bool == value && everything.optionalBool == value)
            #expect(everything.any == .bool(value))
        }
        for number in [NSNumber(value: 1.0), NSNumber(value: Float(0)), NSNumber(value: 2)] {
            #expect(throws: RealmError.self, "\(number)") {
                try Everything(value: ["bool": number])
            }
        }
        #expect(try Everything(value: ["bool": NSNumber(value: 1)]).bool)
    }

    /// Eight bits are the type of truth values, too.
    @Test("V5: a number of eight bits is a number")
    func eightBits() throws {
        for value in [Int8.min, 0, 1, 64] {
            let number = NSNumber(value: value)
            let values: [String: Any] = [
                "int8": number, "int64": number, "double": number, "any": number,
                "integers": [number], "anys": [number],
            ]
            let everything = try Everything(value: values)
            #expect(everything.int8 == value && everything.int64 == Int64(value))
            #expect(everything.double == Double(value) && everything.any == .int(Int(value)))
            #expect(Array(everything.integers) == [Int(value)])
            #expect(Array(everything.anys) == [.int(Int(value))])
            let decimal = try Places<Decimal128>(value: ["plain": number]).plain
            #expect(decimal == Decimal128(value))
        }
    }

    @Test("V5: great integers keep their digits, or are refused")
    func greatIntegers() throws {
        let odd: Int64 = 9_007_199_254_740_993
        let decimal = NSDecimalNumber(string: "\(odd)")
        #expect(try Everything(value: ["int64": decimal]).int64 == odd)
        #expect(try Everything(value: ["int64": NSNumber(value: odd)]).int64 == odd)
        let great: [Any] = [UInt64.max, NSNumber(value: UInt64.max)]
        for number in great {
            #expect(throws: RealmError.self) { try Everything(value: ["int64": number]) }
            #expect(try Everything(value: ["double": number]).double == 0x1p64)
            #expect(try Everything(value: ["float": number]).float == 0x1p64)
        }
        #expect(throws: RealmError.self) { try Everything(value: ["int8": NSNumber(value: 128)]) }
        #expect(throws: RealmError.self) { try Everything(value: ["int64": NSNumber(value: 1.5)]) }
    }
}
