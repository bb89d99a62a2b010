import Foundation
import Testing

@testable import Storage

@Suite struct StoredValueTests {
    /// The synthesized comparison treated canonically equivalent texts as equal, so an update that
    /// only changed the encoding of a letter was dropped.
    @Test func textsAreEqualWhenTheirBytesAre() {
        let composed = StoredValue.string("\u{E9}")
        let decomposed = StoredValue.string("e\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(decomposed < composed)
    }

    /// Bytes are compared unsigned, zeros count, and prefixes come first; also for slices of other
    /// data.
    @Test func bytesStandInTheOrderOfTheirNumbers() {
        let whole = Data([9, 9, 0, 1, 0x7F, 0x80, 0xFF, 9])
        let some: [Data] = [
            Data(), Data([0]), Data([0, 0]), Data([0, 1]), whole[2..<4], Data([1]),
            whole[4..<5], Data([0x7F, 0xFF]), whole[5..<6], whole[5..<7], Data([0xFF]),
            Data(repeating: 7, count: 40), Data(repeating: 7, count: 39) + [8],
            Data(repeating: 7, count: 41)[1...],
        ]
        for a in some {
            for b in some {
                let precedes = Array(a).lexicographicallyPrecedes(Array(b))
                #expect((StoredValue.data(a) < .data(b)) == precedes, "\(Array(a)) \(Array(b))")
            }
        }
    }

    @Test func theOrderIsTotalAcrossKinds() {
        let ascending: [StoredValue] = [
            .null, .bool(false), .bool(true), .double(.nan), .int(-3), .double(-2.5), .int(7),
            .string(""), .string("a"), .string("b"), .date(0),
            .objectID(ObjectIDBits(high: 1, low: 0)),
            .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
            .link(RowKey(1)), .link(RowKey(2)),
        ]
        for (index, value) in ascending.enumerated() {
            for (other, later) in ascending.enumerated() {
                #expect((value < later) == (index < other), "\(value) and \(later)")
            }
        }
    }

    private func hash(_ value: StoredValue) -> Int {
        var hasher = Hasher()
        value.hash(inOrder: &hasher)
        return hasher.finalize()
    }

    /// Hashes of dictionaries depended only on their count, and those of data on the first 80
    /// bytes: distinct values and sets of others took quadratic time.
    @Test func differentValuesHaveDifferentHashes() {
        func dictionary(_ value: StoredValue, at key: String = "k") -> StoredValue {
            .dictionary(NestedID(1), [NestedEntry(key: key, value: value)])
        }
        let dictionaries = (Int64(0)..<100).flatMap { number in
            [dictionary(.int(number)), dictionary(.null, at: "\(number)")]
        }
        #expect(Set(dictionaries.map(hash)).count == dictionaries.count)
        let bytes = (UInt8(0)..<100).map { StoredValue.data(Data(repeating: 7, count: 90) + [$0]) }
        #expect(Set(bytes.map(hash)).count == bytes.count)
        #expect(Set(bytes.map(\.hashValue)).count == bytes.count)
        // Equal numbers have equal hashes, also within dictionaries.
        let ones = [dictionary(.int(1)), dictionary(.double(1)), dictionary(.float(1))]
        #expect(ones.allSatisfy { $0.isSame(inOrder: ones[0]) && hash($0) == hash(ones[0]) })
        let part = Data(repeating: 7, count: 100)[10...]
        #expect(hash(.data(part)) == hash(.data(Data(repeating: 7, count: 90))))
    }

    /// Numbers of different kinds were compared as doubles.
    @Test func numbersOfAllKindsCompareExactly() {
        func decimal(_ coefficient: UInt128, _ exponent: Int, _ isNegative: Bool = false)
            -> StoredValue
        {
            .decimal(
                DecimalBits(isNegative: isNegative, coefficient: coefficient, exponent: exponent))
        }
        // Groups of equal numbers, ascending.
        let ascending: [[StoredValue]] = [
            [.float(.nan), .double(.nan), .decimal(.nan)],
            [.double(-.infinity), .float(-.infinity)],
            [decimal(9, 6000, true)], [.double(-.greatestFiniteMagnitude)],
            [decimal(9_223_372_036_854_775_809, 0, true)],
            [.int(.min), .double(-0x1p63), .float(-0x1p63), decimal(1 << 63, 0, true)],
            [.int(.min + 1)],
            [decimal(1, 0, true), .int(-1), .double(-1), .float(-1), decimal(1000, -3, true)],
            [.double(-0.1)], [decimal(1, -1, true)], [decimal(1, -6000, true)],
            [
                .int(0), .double(0), .double(-0.0), .float(-0.0), .decimal(.zero),
                decimal(0, 9, true),
            ],
            [decimal(1, -6000)], [decimal(4, -324)], [.double(.leastNonzeroMagnitude)],
            [decimal(5, -324)], [decimal(1, -1)], [.double(0.1)], [.float(0.1)],
            [.double(0.5), .float(0.5), decimal(5, -1), decimal(500, -3)],
            [.int(1 << 53 - 1)],
            [.int(1 << 53), .double(0x1p53), decimal(9_007_199_254_740_992, 0)],
            [decimal(90_071_992_547_409_925, -1)], [.int(1 << 53 + 1)],
            [.int(.max)], [.double(0x1p63), .float(0x1p63), decimal(1 << 63, 0)],
            [.double(1e23)], [decimal(1, 23)], [.double(1e23.nextUp)],
            [decimal(1, 300)], [.double(1e300)], [.double(.greatestFiniteMagnitude)],
            [decimal(9, 6000)], [.double(.infinity), .float(.infinity), .decimal(.infinity)],
            [.string("")],
        ]
        for (i, group) in ascending.enumerated() {
            for (j, other) in ascending.enumerated() {
                for a in group {
                    for b in other {
                        #expect((a < b) == (i < j), "\(a) and \(b)")
                        #expect(a.isSame(inOrder: b) == (i == j), "\(a) and \(b)")
                        guard i == j else { continue }
                        var (x, y) = (Hasher(), Hasher())
                        a.hash(inOrder: &x)
                        b.hash(inOrder: &y)
                        #expect(x.finalize() == y.finalize(), "\(a) and \(b)")
                    }
                }
            }
        }
    }
}
