import Foundation
import RealmActors
import Testing

/// One scalar type in every place where a model can have it.
final class Places<Value: PersistableScalar>: Object {
    @Persisted var plain: Value
    @Persisted var optional: Value?
    @Persisted var list: List<Value>
    @Persisted var optionalList: List<Value?>
    @Persisted var set: MutableSet<Value>
    @Persisted var optionalSet: MutableSet<Value?>
    @Persisted var map: Map<String, Value>
    @Persisted var optionalMap: Map<String, Value?>
}

struct Celsius: CustomPersistable, Comparable {
    var degrees: Double
    init(degrees: Double) { self.degrees = degrees }
    init(persistedValue: Double) { degrees = persistedValue }
    var persistableValue: Double { degrees }
    static func < (a: Celsius, b: Celsius) -> Bool { a.degrees < b.degrees }
}

/// Stored as a truth value, which stands otherwise in a column where it may be missing.
private struct Consent: CustomPersistable {
    var isGiven: Bool
    init(isGiven: Bool) { self.isGiven = isGiven }
    init(persistedValue: Bool) { isGiven = persistedValue }
    var persistableValue: Bool { isGiven }
}

private enum Door: PersistableEnum {
    case shut, open
    init?(rawValue: Bool) { self = rawValue ? .open : .shut }
    var rawValue: Bool {
        switch self {
        case .shut: false
        case .open: true
        }
    }
}

/// Every scalar as a property, an optional, and an element of each collection.
@Suite struct ScalarPlacesTests {
    @Test func booleansAreKeptInEveryPlace() async throws { try await check([true, false]) }
    @Test func integersAreKeptInEveryPlace() async throws {
        try await check([3, Int.min, Int.max])
        try await check([3, Int8.min, Int8.max])
        try await check([3, Int16.min, Int16.max])
        try await check([3, Int32.min, Int32.max])
        try await check([3, Int64.min, Int64.max])
        try await check([3, UInt8.min, UInt8.max])
        try await check([3, UInt16.min, UInt16.max])
        try await check([3, UInt32.min, UInt32.max])
    }
    @Test func realsAreKeptInEveryPlace() async throws {
        try await check([1.5, -Double.greatestFiniteMagnitude, Double.infinity])
        try await check([1.5, -Float.greatestFiniteMagnitude, Float.infinity])
    }
    @Test func textsAreKeptInEveryPlace() async throws {
        try await check(["", "short", "a text that is longer than twelve bytes", "\u{1F41E}\0x"])
        try await check([Data(), Data([0, 1, 255]), Data(repeating: 7, count: 5000)])
    }
    @Test func datesAreKeptInEveryPlace() async throws {
        try await check([.distantPast, .distantFuture, Date(timeIntervalSince1970: 0.123456)])
    }
    @Test func identifiersAreKeptInEveryPlace() async throws {
        try await check([UUID(), UUID(), UUID()])
        try await check([ObjectId.generate(), ObjectId(), ObjectId.generate()])
    }
    @Test func decimalsAreKeptInEveryPlace() async throws {
        try await check([
            "1.50", "-9.999999999999999999999999999999999E+6144", "1E-6176",
            Decimal128.infinity, .nan, 0,
        ])
    }
    @Test func enumsAreKeptInEveryPlace() async throws {
        try await check([Mood.playful, .calm])
        try await check([Rank.high, .low])
    }
    @Test func typesOfOnesOwnAreKeptInEveryPlace() async throws {
        try await check([Celsius(degrees: 20.5), Celsius(degrees: -3), Celsius(degrees: 0)])
    }

    /// As optional properties they were false, whatever had been stored.
    @Test("P4, P16: what is stored as a truth value is kept in every place")
    func truthValuesOfOtherTypesAreKeptInEveryPlace() async throws {
        try await check([Consent(isGiven: false), Consent(isGiven: true)])
        try await check([Door.shut, .open])
    }

    private func check<Value: PersistableScalar>(_ values: [Value]) async throws {
        let entries = Dictionary(
            uniqueKeysWithValues: values.enumerated().map { ("k\($0.offset)", $0.element) })
        let first = try #require(values.first)
        try await withFreshRealm([Places<Value>.self]) { realm in
            let made = try await realm.write { tx in
                let object = Places<Value>()
                object.plain = first
                object.optional = values.last
                object.list.append(contentsOf: values)
                object.optionalList.append(contentsOf: values.map { $0 } + [nil])
                object.set.insert(objectsIn: values)
                object.optionalSet.insert(objectsIn: values.map { $0 } + [nil])
                for (key, value) in entries {
                    object.map[key] = value
                    object.optionalMap[key] = .some(value)
                }
                object.optionalMap["nil"] = .some(nil)
                try tx.add(object)
                return object.freeze()
            }
            #expect(made.plain == first && made.optional == values.last)
            #expect(Array(made.list) == values && Array(made.optionalList) == values + [nil])
            #expect(Set(made.set) == Set(values) && Set(made.optionalSet) == Set(values + [nil]))
            for (key, value) in entries {
                #expect(made.map[key] == value && made.optionalMap[key] == .some(value))
            }
            #expect(made.optionalMap["nil"] == .some(nil) && made.optionalMap["no"] == nil)
            let empty = try await realm.write { tx in
                guard let object = tx.resolve(made) else { return made }
                object.optional = nil
                object.plain = values[values.count - 1]
                object.list.removeAll()
                object.set.remove(first)
                object.map.removeObject(for: "k0")
                return object.freeze()
            }
            #expect(empty.optional == nil && empty.plain == values.last && empty.list.isEmpty)
            #expect(!empty.set.contains(first) && empty.map["k0"] == nil)
            #expect(try await realm.verify().problems.isEmpty)
        }
    }
}
