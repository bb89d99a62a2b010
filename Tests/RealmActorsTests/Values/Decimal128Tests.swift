import Foundation
import RealmActors
import StorageHarness
import Testing

/// `Decimal128` as a value.
@Suite struct Decimal128Tests {
    @Test(arguments: [
        ("0", "0"), ("1.50", "1.50"), ("-12.5", "-12.5"), ("1e3", "1E+3"), ("0.000001", "0.000001"),
        ("0.0000001", "1E-7"), ("123456789012345678901234567890.1234", nil), ("NaN", "NaN"),
        ("-inf", "-Infinity"), ("+7", "7"), (".5", "0.5"), ("5.", "5"), ("00012", "12"),
        ("1E+6144", "1.000000000000000000000000000000000E+6144"), ("1e7000", "Infinity"),
        ("1e-7000", "0"),
    ])
    func textsAreReadAndWritten(text: String, written: String?) {
        #expect(Decimal128(text)?.description == written ?? text)
    }

    @Test(
        "P12: a text that is no number is not read as one",
        arguments: ["", "abc", "1.2.3", "1e", "--1", "1 ", "0x10", "e5", ".", "+"])
    func otherTextsAreNoNumbers(text: String) {
        #expect(Decimal128(text) == nil)
        #expect(throws: RealmError.self) { try Decimal128(string: text) }
        #expect(Decimal128(stringLiteral: text).isNaN)
    }

    @Test("P12: numbers round to 34 digits, ties to even")
    func numbersRoundToThirtyFourDigitsTiesToEven() {
        let nines = String(repeating: "9", count: 34)
        #expect(Decimal128(nines + "4")?.description == "9.999999999999999999999999999999999E+34")
        #expect(Decimal128(nines + "5")?.description == "1.000000000000000000000000000000000E+35")
        #expect(
            Decimal128("1234567890123456789012345678901234" + "5")
                == Decimal128("12345678901234567890123456789012340"))
        #expect(
            Decimal128("1234567890123456789012345678901234" + "50001")
                == Decimal128("123456789012345678901234567890123500000"))
        #expect(
            Decimal128("1234567890123456789012345678901233" + "5")
                == Decimal128("12345678901234567890123456789012340"))
    }

    @Test func equalNumbersAreOneValueHoweverTheyAreWritten() {
        let a: Decimal128 = "1.50"
        let b: Decimal128 = "1.5"
        #expect(a == b && a.hashValue == b.hashValue && Set([a, b]).count == 1)
        #expect(a.description == "1.50")
        #expect(Decimal128("-0") == 0 && Decimal128.nan == Decimal128.nan)
        #expect(Decimal128("0E+10") == Decimal128("0.00"))
    }

    @Test("P12: the order is that of numbers")
    func theOrderIsThatOfNumbers() {
        let ascending: [Decimal128] = [
            .nan, -.infinity, "-1E+6000", "-2", "-1.5", "-1E-6000", 0, "1E-6000", "0.1", "0.11",
            1, "1.000000000000000000000000000000001", 2, "9", "10", "1E+6000", .infinity,
        ]
        for (i, a) in ascending.enumerated() {
            for (j, b) in ascending.enumerated() { #expect((a < b) == (i < j), "\(a) and \(b)") }
        }
    }

    /// The sum of two zeros was the second one, sign and all.
    @Test(arguments: [
        ("0", "0", "0"), ("-0", "-0", "-0"), ("0", "-0", "0"), ("-0", "0", "0"),
        ("0E+5", "-0.00", "0.00"), ("-0.00", "0E+5", "0.00"), ("-0E+5", "-0.00", "-0.00"),
        ("1.0", "-1.00", "0.00"), ("-1.00", "1.0", "0.00"), ("0", "-0.5", "-0.5"),
        ("-0E+3", "7", "7"),
    ])
    func zerosAddUpAsTheStandardHasIt(a: String, b: String, sum: String) throws {
        let (x, y) = (try Decimal128(string: a), try Decimal128(string: b))
        #expect((x + y).description == sum)
        #expect((y + x).description == sum)
        #expect((x - -y).description == sum)
    }

    @Test func nothingLessNothingIsNotNegative() {
        #expect((Decimal128(0) - Decimal128(0)).description == "0")
        let (zero, less) = (Decimal128(0), -Decimal128(0))
        #expect((less - zero).description == "-0" && (zero - less).description == "0")
    }

    @Test func arithmeticIsThatOfDecimals() {
        #expect("0.1" + "0.2" as Decimal128 == "0.3")
        #expect("19.99" * 3 as Decimal128 == "59.97")
        #expect("1" - "0.9" as Decimal128 == "0.1")
        #expect("1" / "3" as Decimal128 == "0.3333333333333333333333333333333333")
        #expect("2" / "3" as Decimal128 == "0.6666666666666666666666666666666667")
        #expect(("6" / "3" as Decimal128).description == "2")
        #expect("1E+6144" * 10 as Decimal128 == .infinity)
        #expect("1" / "0" as Decimal128 == .infinity && ("0" / "0" as Decimal128).isNaN)
        #expect((Decimal128.infinity - .infinity).isNaN && (Decimal128.infinity * 0).isNaN)
        #expect("1E+40" + "1" as Decimal128 == "1E+40")
        #expect("1E+34" - "1" as Decimal128 == "9999999999999999999999999999999999")
        #expect("5" + "-5" as Decimal128 == 0)
        #expect((-("2.50" as Decimal128)).magnitude == "2.5")
        var sum: Decimal128 = 0
        for _ in 0..<1000 { sum += "0.001" }
        #expect(sum == 1)
    }

    /// Sums and products of numbers of few digits are what integers give.
    @Test func arithmeticAgreesWithIntegers() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let (a, b) = (
                Int64.random(in: -1_000_000...1_000_000, using: &random),
                Int64.random(in: -1_000_000...1_000_000, using: &random)
            )
            #expect(Decimal128(a) + Decimal128(b) == Decimal128(a + b))
            #expect(Decimal128(a) - Decimal128(b) == Decimal128(a - b))
            #expect(Decimal128(a) * Decimal128(b) == Decimal128(a * b))
            #expect((Decimal128(a) < Decimal128(b)) == (a < b))
            if b != 0 { #expect(Decimal128(a * b) / Decimal128(b) == Decimal128(a)) }
        }
    }

    @Test func numbersComeFromAndGoToOthers() {
        #expect(Decimal128(0.1) == "0.1" && Decimal128(Float(0.1)) == "0.1")
        #expect(Decimal128(Int.min) == Decimal128("-9223372036854775808"))
        #expect(
            Decimal128("0.1" as String)?.doubleValue == 0.1
                && Decimal128.infinity.doubleValue == .infinity)
        #expect(Decimal128(Decimal(string: "3.14")!) == "3.14")
        #expect(("3.14" as Decimal128).decimalValue == Decimal(string: "3.14"))
        #expect(Decimal128(exactly: UInt64.max) != nil)
    }

    @Test func codableKeepsEveryDigit() throws {
        let value: Decimal128 = "1.500"
        let data = try JSONEncoder().encode([value])
        #expect(String(decoding: data, as: UTF8.self) == #"["1.500"]"#)
        #expect(try JSONDecoder().decode([Decimal128].self, from: data)[0].description == "1.500")
        let numbers = try JSONDecoder().decode([Decimal128].self, from: Data("[3, 0.25]".utf8))
        #expect(numbers == [3, "0.25"])
    }

    /// It said that a text was expected, of a number.
    @Test func aNumberThatADecoderCannotReadSaysHowToGiveIt() throws {
        do {
            _ = try JSONDecoder().decode([Decimal128].self, from: Data("[1e400]".utf8))
            Issue.record("1e400 was read as a number")
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.debugDescription.contains("given as texts"))
        }
        let numbers = try JSONDecoder().decode([Decimal128].self, from: Data(#"["1e400"]"#.utf8))
        #expect(numbers == ["1e400"])
    }

    @Test func columnsSortAndAddUp() async throws {
        try await withFreshRealm([Places<Decimal128>.self]) { realm in
            try await realm.write { tx in
                for text in ["2.5", "-1", "10", "0.1"] {
                    try tx.create(Places<Decimal128>.self, value: ["plain": text])
                }
            }
            let all = realm.objects(Places<Decimal128>.self)
            #expect(all.sorted(by: \.plain).map(\.plain) == ["-1", "0.1", "2.5", "10"])
            #expect(all.sum(of: \.plain) == "11.6" && all.average(of: \.plain) == 2.9)
            #expect(all.min(of: \.plain) == "-1" && all.max(of: \.plain) == "10")
            #expect(all.where { $0.plain > 0 && $0.plain <= "2.50" }.count == 2)
            #expect(all.where { $0.plain == "10.00" }.count == 1)
        }
    }
}
