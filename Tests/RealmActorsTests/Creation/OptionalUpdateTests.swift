import Foundation
import RealmActors
import Testing

private final class Ring: Object {
    @Persisted var name: String
    @Persisted var next: Ring?
    @Persisted var others: List<Ring>
}

/// What is optional, and what leads in circles, of objects that are given.
@Suite struct OptionalUpdateTests {
    private static let values: [String: any Sendable] = [
        "optionalBool": true, "optionalInt": 1, "optionalInt8": 2, "optionalFloat": 1.5,
        "optionalDouble": 2.5, "optionalString": "", "optionalData": Data(),
        "optionalDate": Date(timeIntervalSince1970: 5), "optionalUUID": UUID(),
        "optionalMood": "calm", "link": ["key": 5], "embedded": ["city": "Bern"],
    ]

    @Test(
        "A4, V9: optional values come and go with the objects given",
        arguments: [UpdatePolicy.modified, .all])
    func optionalValues(_ policy: UpdatePolicy) async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            try await realm.write { tx in
                let stored = try tx.create(Everything.self, value: Everything(), update: policy)
                let names = Self.values.keys.sorted()
                #expect(names.allSatisfy { stored[$0] == nil })
                for isAdded in [false, true] {
                    for hasValues in [true, false, true] {
                        let given = try hasValues ? Everything(value: Self.values) : Everything()
                        if isAdded {
                            try tx.add(given, update: policy)
                        } else {
                            try tx.create(Everything.self, value: given, update: policy)
                        }
                        #expect(names.allSatisfy { (stored[$0] != nil) == hasValues })
                    }
                    #expect(stored.optionalFloat == 1.5 && stored.optionalMood == .calm)
                    // Values that say nothing about them leave them; null takes them away.
                    try tx.create(Everything.self, value: ["key": 0], update: policy)
                    #expect(names.allSatisfy { stored[$0] != nil })
                    var nulls: [String: Any] = ["key": 0]
                    for name in names { nulls[name] = NSNull() }
                    try tx.create(Everything.self, value: nulls, update: policy)
                    #expect(names.allSatisfy { stored[$0] == nil })
                }
                #expect(tx.objects(Everything.self).map(\.key) == [0, 5])
            }
            #expect(try realm.dynamicObjects("Address").isEmpty)
            #expect(try await realm.verify().isIntact)
        }
    }

    @Test("A1: a circle that is added does not keep its objects")
    func circles() async throws {
        try await withFreshRealm([Ring.self]) { realm in
            try await realm.write { tx in
                weak var lost: Ring?
                do {
                    let (first, second) = (Ring(), Ring())
                    first.next = second
                    first.others.append(second)
                    second.next = first
                    second.others.append(objectsIn: [first, second])
                    lost = second
                    try tx.add(first)
                    #expect(second.realm != nil && second.next?.isSameObject(as: first) == true)
                }
                #expect(lost == nil)
            }
            let rings = realm.objects(Ring.self)
            #expect(rings.count == 2 && rings[0].next == rings[1] && rings[1].next == rings[0])
            #expect(rings[1].others.map { $0 == rings[1] } == [false, true])
        }
    }
}
