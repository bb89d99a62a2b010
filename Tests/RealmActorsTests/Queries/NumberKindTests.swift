import Foundation
import Testing

@testable import RealmActors

final class Numeral: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var int: Int
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var decimal: Decimal128
    @Persisted var any: AnyRealmValue
    @Persisted var reals: List<Double?>
    @Persisted var anys: MutableSet<AnyRealmValue>
    @Persisted var link: Numeral?
    @Persisted var links: List<Numeral>
}

/// Numbers of different kinds, which count what they count.
@Suite struct NumberKindTests {
    private func withNumerals(
        _ values: @escaping @Sendable () -> [[String: Any]],
        _ body: (FrozenResults<Numeral>) async throws -> Void
    ) async throws {
        try await withFreshRealm([Numeral.self]) { realm in
            try await realm.write { tx in
                for (number, value) in values().enumerated() {
                    try tx.create(
                        Numeral.self, value: value.merging(["number": number]) { a, _ in a })
                }
            }
            try await body(realm.objects(Numeral.self))
        }
    }

    @Test("D28: fractional constants against integers compare exactly")
    func fractionsAgainstIntegersCompareExactly() async throws {
        let values = [["int": 1], ["int": 2], ["int": 1], ["int": 2]]
        try await withNumerals({ values }) { all async throws in
            let greater = try all.filter("int > 1.5").values(of: \.number)
            let equal = try all.filter("int == 1.5").values(of: \.number)
            let different = try all.filter("int != %@", 1.5).values(of: \.number)
            let members = try all.filter("int IN {1.0, 2.5}").values(of: \.number)
            #expect(greater == [1, 3] && equal == [] && members == [0, 2])
            #expect(different == [0, 1, 2, 3])
        }
    }

    /// Integers were compared with others as doubles, which have 53 bits.
    @Test("D24: numbers of all types compare exactly")
    func numbersCompareExactly() async throws {
        let big = 1 << 53
        try await withNumerals({
            [
                ["int": big + 1, "any": AnyRealmValue.int(big + 1)],
                ["int": Int.max, "any": AnyRealmValue.int(.max), "double": 0x1p63],
                ["int": Int.min, "any": AnyRealmValue.double(-0x1p63), "double": -0x1p63],
                [
                    "int": 3, "any": AnyRealmValue.decimal128("3.00"), "double": 0.1,
                    "decimal": "0.1",
                ],
                ["int": 0, "any": AnyRealmValue.float(0.1), "float": Float(16_777_216)],
            ]
        }) { all async throws in
            func numbers(_ text: String, _ argument: Any? = nil) throws -> [Int] {
                try (argument.map { try all.filter(text, $0) } ?? all.filter(text)).map(\.number)
            }
            #expect(try numbers("int == %@", Double(big)) == [])
            #expect(try numbers("int > %@", Double(big)) == [0, 1])
            #expect(all.where { $0.any == .double(Double(big)) }.isEmpty)
            #expect(all.where { $0.any == .decimal128(Decimal128(big + 1)) }.map(\.number) == [0])
            #expect(try numbers("int == 9223372036854775808") == [])
            #expect(try numbers("int < 9223372036854775808") == [0, 1, 2, 3, 4])
            #expect(try numbers("double == 9223372036854775808") == [1])
            #expect(try numbers("int == -9223372036854775809") == [])
            #expect(try numbers("int > -9223372036854775809") == [0, 1, 2, 3, 4])
            #expect(try numbers("int == -9223372036854775808") == [2])
            #expect(try numbers("#any == -9223372036854775808") == [2])
            #expect(try numbers("#any == -9223372036854775809") == [])
            #expect(try numbers("int == 100000000000000000000000000000000000000000") == [])
            #expect(try numbers("int == #any") == [0, 1, 2, 3])
            #expect(try numbers("decimal == double") == [0, 4])
            #expect(try numbers("decimal < double") == [1, 3])
            #expect(try numbers("float == 16777217") == [])
            #expect(try numbers("float == 16777216") == [4])
            #expect(try numbers("float < 1e300 AND float > -1e300") == [0, 1, 2, 3, 4])
        }
    }

    /// Up to four values were compared one by one, by what they count; more were looked for in a
    /// set, by their kind as well.
    @Test func manyValuesAreFewValues() async throws {
        try await withNumerals({
            [
                ["any": AnyRealmValue.int(1)], ["any": AnyRealmValue.double(1)],
                ["any": AnyRealmValue.decimal128("1.0")], ["any": AnyRealmValue.double(.nan)],
                ["any": AnyRealmValue.string("1")], ["any": AnyRealmValue.bool(true)],
            ]
        }) { all async throws in
            #expect(try all.filter("#any IN {1, 7, 8}").map(\.number) == [0, 1, 2])
            #expect(try all.filter("#any IN {1, 7, 8, 9, 10, 11}").map(\.number) == [0, 1, 2])
            #expect(try all.filter("#any IN {1.0, 7, 8, 9, 10, 11}").map(\.number) == [0, 1, 2])
            let values: [Any] = [Double.nan, Decimal128(1), "x", 5, 6, 7, 8]
            #expect(try all.filter("#any IN %@", values).map(\.number) == [0, 1, 2])
            #expect(try all.filter("#any IN %@", values.prefix(3)).map(\.number) == [0, 1, 2])
            #expect(all.distinct(by: \.any).map(\.number) == [0, 3, 4, 5])
        }
    }

    /// More of them, but for those that are equal to another.
    private static var nineValues: [AnyRealmValue] {
        [
            .int(1), .double(1), .decimal128("1.00"), .float(1), .int((1 << 53) + 1),
            .double(0x1p53), .decimal128("9007199254740992"), .string("1"), .bool(true), .none,
            .double(.nan), .decimal128(.nan), .decimal128("0.1"), .double(0.1),
        ]
    }

    /// A set held numbers of different kinds beside each other, and doubles that are equal to an
    /// integer only when they are rounded at its place.
    @Test("D24: a set holds equal numbers once")
    func setsHoldEqualNumbersOnce() async throws {
        let values = Self.nineValues
        let unmanaged = MutableSet(values)
        #expect(unmanaged.count == 9)
        #expect(unmanaged.contains(.decimal128(1)) && unmanaged.contains(.float(1)))
        #expect(!unmanaged.insert(.float(1)) && unmanaged.insert(.int(0)))
        #expect(!unmanaged.insert(.double(-0.0)))
        try await withFreshRealm([Numeral.self]) { realm in
            try await realm.write { tx in
                let one = try tx.create(Numeral.self, value: ["number": 1])
                one.anys.insert(objectsIn: Self.nineValues)
                #expect(one.anys.count == 9)
                #expect(one.anys.contains(.decimal128(1)) && one.anys.contains(.float(1)))
                #expect(one.anys.remove(.double(1)))
                #expect(!one.anys.contains(.int(1)))
            }
            #expect(try await realm.verify().problems.isEmpty)
        }
    }

    @Test("D24: values of any type order by type")
    func valuesOfAnyTypeOrderByType() async throws {
        try await withNumerals({
            let ascending: [AnyRealmValue] = [
                .none, .bool(false), .bool(true), .double(.nan), .decimal128("-1E+30"), .int(-1),
                .float(-0.5), .int(1 << 53), .double(0x1p53 + 2), .string(""), .string("b"),
                .data(Data()), .date(.distantPast), .objectId(ObjectId()), .uuid(UUID()),
                .list(List()),
            ]
            return ascending.indices.map { ["any": ascending[$0 * 7 % ascending.count]] }
        }) { all async throws in
            let sorted = all.sorted(by: \.any).map { $0.number * 7 % 16 }
            #expect(sorted == Array(0..<16))
        }
    }

    /// Sums and averages of results and lists were not a number as soon as one value was none.
    @Test func aggregatesSkipWhatIsNotANumber() async throws {
        @Sendable func reals() -> [Double?] { [1, nil, .nan, 2.5] }
        try await withNumerals({
            [
                ["double": 1.5, "float": Float.nan, "decimal": Decimal128.nan, "reals": reals()],
                ["double": Double.nan, "float": Float(2), "decimal": "0.5"],
                ["double": 2.5, "float": Float(4), "decimal": "1.0"],
            ]
        }) { all async throws in
            #expect(all.sum(of: \.double) == 4 && all.average(of: \.double) == 2)
            #expect(all.min(of: \.double) == 1.5 && all.max(of: \.double) == 2.5)
            #expect(all.sum(of: \.float) == 6 && all.average(of: \.float) == 3)
            #expect(all.sum(of: \.decimal) == "1.5" && all.average(of: \.decimal) == 0.75)
            let some = all.where { $0.number < 2 }.sorted(by: \.number, ascending: false)
            #expect(some.sum(of: \.double) == 1.5 && some.average(of: \.float) == 2)
            let nothing = all.where { $0.number == 1 }
            #expect(nothing.sum(of: \.double) == 0 && nothing.average(of: \.double) == nil)
            #expect(all.where { $0.reals.sum == 3.5 }.count == 1)
            #expect(all.where { $0.reals.avg == 1.75 }.count == 1)
        }
        let list = List(reals())
        #expect(list.sum() == 3.5 && list.average() == 1.75 && list.max() == 2.5)
        try await withFreshRealm([Numeral.self]) { realm in
            try await realm.write { tx in
                let one = try tx.create(Numeral.self, value: ["reals": reals()])
                #expect(one.reals.sum() == 3.5 && one.reals.average() == 1.75)
                one.links.append(one)
                one.double = .nan
                #expect(one.links.sum(of: \.double) == 0)
                #expect(one.links.average(of: \.double) == nil)
            }
        }
    }

    /// Beside a decimal number, a sum of integers stayed at the end of their range.
    @Test func sumsOfSeveralKindsAreExact() async throws {
        try await withNumerals({
            [["any": [.int(.max), .int(.max), .decimal128("0.5")] as AnyRealmValue]]
        }) { all async throws in
            let sum: Decimal128 = "18446744073709551614.5"
            #expect(try all.filter("#any[*].@sum == %@", sum).count == 1)
        }
    }

    /// One of many objects was a condition for each of them: 20,000 rows and as many objects took
    /// half a minute.
    @Test func manyObjectsAreOneCondition() async throws {
        try await withNumerals({ (0..<300).map { _ in [:] } }) { all async throws in
            let realm = try await Realm.open(
                .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Numeral.self]))
            try await realm.write { tx in
                let made = try (0..<300).map { try tx.create(Numeral.self, value: ["number": $0]) }
                for one in made where one.number > 0 {
                    one.link = made[one.number - 1]
                    one.links.append(objectsIn: [made[one.number / 2], made[one.number - 1]])
                }
                let some = made.filter { $0.number % 100 == 7 }
                let numerals = tx.objects(Numeral.self)
                let expected = (1..<300).filter {
                    [$0 / 2, $0 - 1].contains { $0 % 100 == 7 }
                }
                let strangers: [Numeral] = [Numeral(), all[7].object]
                let given = some + strangers
                let typed = numerals.where { $0.links.containsAny(in: given) }
                #expect(typed.map(\.number) == expected)
                // Text refuses what belongs to another realm.
                let named = some + [Numeral()]
                let texts = try numerals.filter("ANY links IN %@", named)
                #expect(texts.map(\.number) == expected)
                #expect(
                    try numerals.filter("NONE links IN %@", named).count == 300 - expected.count)
                #expect(try numerals.filter("link IN %@", named).map(\.number) == [8, 108, 208])
                #expect(try numerals.filter("link IN %@", [Numeral()]).isEmpty)
                #expect(typed._plan.query.membersOfOneCondition == some.count)
                #expect(texts._plan.query.membersOfOneCondition == some.count)
            }
            try await realm.close()
        }
    }

    /// A range meant all values of a path through a collection, where every other comparison means
    /// any. Of a collection of values it means all, as in Realm.
    @Test func aRangeThroughACollectionMeansAny() async throws {
        try await Ships.check { ships in
            let written = try ships.find("ANY crew.age BETWEEN {25, 35}")
            #expect(ships.numbers { $0.crew.age.contains(25...35) } == written)
            #expect(
                ships.numbers { $0.crew.any.age.contains(25...35) }
                    == ships.numbers { $0.crew.age.contains(25...35) })
            #expect(
                ships.numbers { $0.crew.age.contains(20..<30) }
                    == ships.numbers {
                        ($0.crew.age >= 20 && $0.crew.age < 30).count > 0
                    })
            #expect(
                ships.numbers { $0.cargo.values.contains(0...1000) }
                    == ships.numbers {
                        $0.cargo.count > 0 && $0.cargo.all >= 0 && $0.cargo.all <= 1000
                    })
        }
    }
}

extension ResultsQuery {
    /// How many values a filter tests for, which is all that it does; nil if it does more.
    fileprivate var membersOfOneCondition: Int? {
        guard stages.count == 1, case .filter(let filter) = stages[0],
            case .anyValue(_, .member(let values)) = filter.predicate
        else { return nil }
        return values.count
    }
}
