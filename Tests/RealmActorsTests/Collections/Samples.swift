import Foundation
import RealmActors

/// An element of collections, identified by its number.
final class Member: Object {
    @Persisted var number: Int
    @Persisted var weight: Double?
    @Persisted var name: String
}

/// An embedded member of collections.
final class Part: EmbeddedObject {
    @Persisted var number: Int
}

/// A collection of every kind of element.
final class Holder: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var bools: List<Bool>
    @Persisted var ints: List<Int>
    @Persisted var smalls: List<Int8>
    @Persisted var floats: List<Float>
    @Persisted var doubles: List<Double>
    @Persisted var strings: List<String>
    @Persisted var datas: List<Data>
    @Persisted var dates: List<Date>
    @Persisted var uuids: List<UUID>
    @Persisted var ranks: List<Rank>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var optionalInts: List<Int?>
    @Persisted var optionalDoubles: List<Double?>
    @Persisted var optionalStrings: List<String?>
    @Persisted var members: List<Member>
    @Persisted var parts: List<Part>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var doubleSet: MutableSet<Double>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var dataSet: MutableSet<Data>
    @Persisted var dateSet: MutableSet<Date>
    @Persisted var uuidSet: MutableSet<UUID>
    @Persisted var rankSet: MutableSet<Rank>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var optionalIntSet: MutableSet<Int?>
    @Persisted var memberSet: MutableSet<Member>
    @Persisted var intMap: Map<String, Int>
    @Persisted var doubleMap: Map<String, Double>
    @Persisted var stringMap: Map<String, String>
    @Persisted var dataMap: Map<String, Data>
    @Persisted var rankMap: Map<String, Rank>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var optionalIntMap: Map<String, Int?>
    @Persisted var optionalStringMap: Map<String, String?>
    @Persisted var memberMap: Map<String, Member?>
    @Persisted var partMap: Map<String, Part?>
    @Persisted(originProperty: "members") var rosters: LinkingObjects<Roster>
}

/// What links to members, for inverses.
final class Roster: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var members: List<Holder>
}

/// Makes elements from numbers below ``Sample/count``, and returns the number of an element.
struct Sample<Element> {
    static var count: Int { 24 }

    let make: (Int) -> Element
    let number: (Element) -> Int

    init(_ make: @escaping (Int) -> Element, _ number: @escaping (Element) -> Int) {
        self.make = make
        self.number = number
    }

    /// The number that the element made of `number` has: some stand for the same.
    func same(_ number: Int) -> Int { self.number(make(number)) }
}

extension Sample where Element: Hashable {
    /// Elements that differ as values.
    init(values make: @escaping (Int) -> Element) {
        let numbers = Dictionary(
            (0..<Self.count).map { (make($0), $0) }, uniquingKeysWith: { first, _ in first })
        self.init(make) { numbers[$0] ?? -1 }
    }
}

enum Samples {
    static var bools: Sample<Bool> {
        Sample(
            { $0 % 2 == 1 },
            { $0 ? 1 : 0 })
    }
    static var ints: Sample<Int> { Sample(values: { $0 }) }
    static var smalls: Sample<Int8> { Sample(values: { Int8($0) - 12 }) }
    static var floats: Sample<Float> { Sample(values: { Float($0) / 4 }) }
    static var doubles: Sample<Double> { Sample(values: { Double($0) - 7.5 }) }
    static var strings: Sample<String> {
        Sample(values: { String(repeating: "ab", count: $0) })
    }
    static var datas: Sample<Data> { Sample(values: { Data(repeating: 7, count: $0 * 9) }) }
    static var dates: Sample<Date> {
        Sample(values: { Date(timeIntervalSinceReferenceDate: Double($0) * 1e6) })
    }
    static var uuids: Sample<UUID> { Sample(values: uuid) }
    static var ranks: Sample<Rank> {
        Sample({ $0 % 2 == 1 ? .high : .low }, { $0 == .high ? 1 : 0 })
    }
    static var anys: Sample<AnyRealmValue> {
        Sample(values: { number in
            switch number % 4 {
            case 0: AnyRealmValue.none
            case 1: .int(number)
            case 2: .string("\(number)")
            default: .uuid(uuid(number))
            }
        })
    }

    /// Values with collections in them, which sets do not take.
    static var nested: Sample<AnyRealmValue> {
        Sample(values: { number in
            switch number % 3 {
            case 0: .int(number)
            case 1: .list([.int(number), .list([.string("\(number)")])])
            default: .dictionary(["a": .int(number), "b": .none])
            }
        })
    }

    private static func uuid(_ number: Int) -> UUID {
        UUID(uuid: (UInt8(number), 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9))
    }

    static func optional<Value: Hashable>(_ sample: Sample<Value>) -> Sample<Value?> {
        Sample(values: { $0 % 4 == 0 ? nil : sample.make($0) })
    }

    static func members(_ all: [Member]) -> Sample<Member> {
        Sample({ all[$0] }, { $0.number })
    }

    static func optionalMembers(_ all: [Member]) -> Sample<Member?> {
        Sample({ $0 % 4 == 0 ? nil : all[$0] }, { $0?.number ?? 0 })
    }

    static var parts: Sample<Part> { Sample(part, { $0.number }) }

    static var optionalParts: Sample<Part?> {
        Sample({ $0 % 4 == 0 ? nil : part($0) }, { $0?.number ?? 0 })
    }

    private static func part(_ number: Int) -> Part {
        let part = Part()
        part.number = number
        return part
    }
}

/// The classes of the collection tests.
let holderTypes: [ObjectBase.Type] = [Holder.self, Member.self, Part.self, Roster.self]

/// Opens a fresh realm for collections.
func holderRealm() async throws -> Realm { try await freshRealm(holderTypes) }

extension WriteTransaction {
    /// Members with the numbers that samples have.
    func members() throws -> [Member] {
        try (0..<Sample<Member>.count).map { number in
            try create(
                Member.self,
                value: ["number": number, "weight": Double(number) / 2, "name": "m\(number)"])
        }
    }
}
