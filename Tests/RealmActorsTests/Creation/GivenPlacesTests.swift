import Foundation
import RealmActors
import Testing

/// Values of every type in every place, given by name, in order and by an object: as themselves,
/// and in the other forms that their type takes.
@Suite struct GivenPlacesTests {
    @Test("V2, V5: numbers")
    func numbers() async throws {
        try await check([true, false])
        try await check([true, false], givenAs: [1, 0])
        try await check([3, Int.min, Int.max])
        try await check([3, -4], givenAs: [3.0, -4.0])
        try await check([3, Int8.min, Int8.max], givenAs: [3, -128, 127])
        try await check([3, Int16.min, Int16.max])
        try await check([3, UInt32.min, UInt32.max], givenAs: [3, 0, 4_294_967_295])
        try await check([1.5, -Double.greatestFiniteMagnitude])
        try await check([2.0, -3], givenAs: [2, -3])
        try await check([Float(1.5), -2], givenAs: [1.5, -2])
        try await check(["1.50" as Decimal128, 7, -2.5], givenAs: ["1.50", 7, -2.5])
    }

    @Test("V2, V5: texts, bytes, dates and identifiers")
    func others() async throws {
        try await check(["", "short", "a text that is longer than twelve bytes", "\u{1F41E}\0x"])
        try await check(["ab", "c"], givenAs: ["xab".dropFirst(), "c"])
        try await check([Data("a".utf8), Data("def".utf8)], givenAs: ["YQ==", "ZGVm"])
        let noon = Date(timeIntervalSince1970: 1_709_208_000)
        try await check([noon, .distantPast])
        let early = Date(timeIntervalSince1970: 5)
        try await check([noon, early], givenAs: ["2024-02-29T12:00:00Z", 5])
        let uuids = [UUID(), UUID()]
        try await check(uuids)
        try await check(uuids, givenAs: uuids.map(\.uuidString))
        let ids = [ObjectId.generate(), ObjectId.generate()]
        try await check(ids)
        try await check(ids, givenAs: ids.map(\.stringValue))
    }

    @Test("P4, P16: enums and types of one's own, and what is stored of them")
    func wrapped() async throws {
        try await check([Mood.playful, .calm])
        try await check([Mood.playful, .calm], givenAs: ["playful", "calm"])
        try await check([Rank.high, .low], givenAs: [7, 1])
        try await check([Celsius(degrees: 20.5), Celsius(degrees: -3)])
        try await check([Celsius(degrees: 20.5), Celsius(degrees: -3)], givenAs: [20.5, -3])
    }

    private func check<Value: PersistableScalar>(
        _ values: [Value], givenAs given: [any Sendable]? = nil
    ) async throws {
        let given = given ?? values.map { $0 as any Sendable }
        try await withFreshRealm([Places<Value>.self]) { realm in
            try await realm.write { tx in
                for isNull in [false, true] {
                    let named = Self.named(given, isNull)
                    let names = Places<Value>.sharedSchema().properties.map(\.name)
                    let object = try Places<Value>(value: named)
                    let sources: [Any] = [named, names.map { named[$0] as Any }, object]
                    for source in sources {
                        let made = try Places<Value>(value: source)
                        #expect(made.realm == nil && Self.holds(made, values, isNull))
                        let created = try tx.create(Places<Value>.self, value: source)
                        #expect(created.realm != nil && Self.holds(created, values, isNull))
                    }
                    #expect(object.realm == nil)
                    try tx.add(object)
                    #expect(Self.holds(object, values, isNull))
                    // By the names of its properties, one after the other.
                    let blank = try tx.create(Places<Value>.self)
                    for name in names { try blank.setValue(named[name], forName: name) }
                    #expect(Self.holds(blank, values, isNull))
                }
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The values by the names of properties; the optional one is nil where `isNull` says so.
    private static func named(_ given: [any Sendable], _ isNull: Bool) -> [String: Any] {
        let elements = given.map { $0 as Any }
        var entries: [String: Any] = [:]
        for (number, element) in elements.enumerated() { entries["k\(number)"] = element }
        let optional: Any = isNull ? NSNull() : elements[elements.count - 1]
        return [
            "plain": elements[0], "optional": optional, "list": elements,
            "optionalList": elements + [NSNull()], "set": elements,
            "optionalSet": elements + [NSNull()], "map": entries,
            "optionalMap": entries.merging(["nil": NSNull()]) { $1 },
        ]
    }

    private static func holds<Value: PersistableScalar>(
        _ object: Places<Value>, _ values: [Value], _ isNull: Bool
    ) -> Bool {
        let optionals: [Value?] = values.map { Optional($0) } + [nil]
        let last = isNull ? nil : values.last
        guard object.plain == values[0], object.optional == last,
            Array(object.list) == values, Array(object.optionalList) == optionals,
            Set(object.set) == Set(values), Set(object.optionalSet) == Set(optionals),
            object.set.count == values.count, object.optionalSet.count == optionals.count,
            object.map.count == values.count, object.optionalMap.count == optionals.count
        else { return false }
        for (number, value) in values.enumerated() {
            let key = "k\(number)"
            guard object.map[key] == value, object.optionalMap[key] == .some(value) else {
                return false
            }
        }
        return object.optionalMap["nil"] == .some(nil)
    }
}
