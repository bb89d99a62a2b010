import Foundation
import RealmActors
import Testing

/// A custom type that is not `Codable`: JSON has the stored value.
private struct Even: FailableCustomPersistable, Equatable {
    var half: Int
    init?(persistedValue: Int) {
        guard persistedValue % 2 == 0 else { return nil }
        half = persistedValue / 2
    }
    var persistableValue: Int { half * 2 }
}

/// A custom type that is stored as an embedded object.
private struct Spot: CustomPersistable, Equatable {
    var x = 0.0
    var y = 0.0
    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
    init(persistedValue: StoredSpot) { self.init(persistedValue.x, persistedValue.y) }
    var persistableValue: StoredSpot {
        let spot = StoredSpot()
        (spot.x, spot.y) = (x, y)
        return spot
    }
}

/// The same, with a form of its own in JSON.
private struct CodedSpot: CustomPersistable, Codable, Equatable {
    var text: String
    init(text: String) { self.text = text }
    init(persistedValue: StoredSpot) { text = "\(persistedValue.x)" }
    var persistableValue: StoredSpot {
        let spot = StoredSpot()
        spot.x = Double(text) ?? -1
        return spot
    }
}

private final class StoredSpot: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
}

private final class Gadget: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var price: Decimal128
    @Persisted var discount: Decimal128?
    @Persisted var page: URL = URL(fileURLWithPath: "/")
    @Persisted var even: Even
    @Persisted var evens: List<Even>
    @Persisted var named: Map<String, Even?>
    @Persisted var spot: Spot
    @Persisted var former: Spot?
    @Persisted var track: List<Spot>
    @Persisted var coded: CodedSpot
    @Persisted var extra: AnyRealmValue
    @Persisted var extras: List<AnyRealmValue>
    @Persisted var tags: Map<String, AnyRealmValue>
}

/// Every kind of type through JSON, in and out.
@Suite struct JSONImportTypesTests {
    private static let id = "5f1b2c3d4e5f607182930a0b"
    private static let full = """
        {"id": "\(id)", "price": "12.50", "discount": 0.5, "page": "https://a.test/x", "even": 4,
        "evens": [2, 6], "named": {"a": 8, "b": null}, "spot": {"x": 1, "y": 2.5},
        "former": {"x": 3, "y": 4}, "track": [{"x": 5, "y": 6}], "coded": {"text": "7.0"},
        "extra": {"deep": [1, {"more": [true, null]}], "x": "y"}, "extras": [[1], {"a": 2}],
        "tags": {"t": [3]}}
        """

    private func gadget<R>(
        _ texts: String..., update: UpdatePolicy = .error,
        _ body: (Frozen<Gadget>, Realm) async throws -> R
    ) async throws -> R {
        try await withFreshRealm([Gadget.self, StoredSpot.self]) { realm in
            for text in texts {
                try await realm.write { tx in
                    _ = try tx.create(Gadget.self, json: Data(text.utf8), update: update)
                }
            }
            #expect(try await realm.verify().isIntact)
            return try await body(try #require(realm.objects(Gadget.self).first), realm)
        }
    }

    @Test func everyTypeIsImported() async throws {
        try await gadget(Self.full) { gadget, _ in
            #expect(gadget.id == ObjectId(Self.id) && gadget.price == Decimal128("12.50"))
            #expect(gadget.discount == Decimal128(0.5) && gadget.page.host == "a.test")
            #expect(gadget.even.half == 2 && gadget.evens.map(\.half) == [1, 3])
            #expect(gadget.named["a"]??.half == 4 && gadget.named["b"] == .some(nil))
            #expect(gadget.spot == Spot(1, 2.5) && gadget.former == Spot(3, 4))
            #expect(Array(gadget.track) == [Spot(5, 6)] && gadget.coded.text == "7.0")
            let deep: FrozenValue = .list([.int(1), .dictionary(["more": .list([true, .none])])])
            #expect(gadget.extra == .dictionary(["deep": deep, "x": "y"]))
            #expect(Array(gadget.extras) == [.list([1]), .dictionary(["a": 2])])
            #expect(gadget.tags["t"] == .list([3]))
        }
    }

    @Test func whatIsAbsentOrNullGetsItsDefault() async throws {
        let text = #"{"id": "\#(Self.id)", "former": null, "evens": null, "extra": null}"#
        try await gadget(text) { gadget, _ in
            #expect(gadget.price == 0 && gadget.discount == nil && gadget.even.half == 0)
            #expect(gadget.spot == Spot(0, 0) && gadget.former == nil && gadget.evens.isEmpty)
            #expect(gadget.extra == .none && gadget.page.path == "/")
        }
    }

    @Test(arguments: [UpdatePolicy.modified, .all])
    func everyTypeIsUpdated(_ update: UpdatePolicy) async throws {
        let change = """
            {"id": "\(Self.id)", "discount": null, "even": 8, "evens": [4], "named": {"c": 2},
            "spot": {"x": 9, "y": 9}, "former": null, "track": [], "extra": [1], "tags": {}}
            """
        try await gadget(Self.full, change, update: update) { gadget, _ in
            #expect(gadget.price == Decimal128("12.50") && gadget.discount == nil)
            #expect(gadget.even.half == 4 && gadget.evens.map(\.half) == [2])
            #expect(gadget.named.keys == ["c"] && gadget.spot == Spot(9, 9))
            #expect(gadget.former == nil && gadget.track.isEmpty && gadget.extra == .list([1]))
            #expect(gadget.tags.isEmpty && gadget.coded.text == "7.0")
        }
    }

    @Test func whatIsExportedIsImportedAgain() async throws {
        try await gadget(Self.full) { gadget, realm in
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let first = try encoder.encode(realm.objects(Gadget.self))
            try await realm.write { tx in
                try tx.deleteAll()
                _ = try tx.create(Gadget.self, json: first)
            }
            let second = try encoder.encode(realm.objects(Gadget.self))
            #expect(
                String(decoding: first, as: UTF8.self) == String(decoding: second, as: UTF8.self))
            let json = try #require(
                try JSONSerialization.jsonObject(with: first) as? [[String: Any]])[0]
            #expect(json["even"] as? Int == 4 && json["evens"] as? [Int] == [2, 6])
            #expect((json["spot"] as? [String: Double]) == ["x": 1, "y": 2.5])
            #expect((json["coded"] as? [String: String]) == ["text": "7.0"])
        }
    }

    /// Decoders take all of them but the last for integers.
    @Test func aNumberOfAnyTypeIsADoubleWhereItIsWrittenAsOne() async throws {
        let text = """
            {"id": "\(Self.id)", "extra": 2.0, "extras": [2, 2.0, 1e3, -3.00, [7.0, 7], 2.5],
            "tags": {"5": 2.0, "a_b": 4.0, "ab": 4, "deep": {"8": 1.0, "x": 1}}}
            """
        try await gadget(text) { gadget, _ in
            #expect(gadget.extra == .double(2))
            let inner: FrozenValue = .list([.double(7), .int(7)])
            #expect(
                Array(gadget.extras)
                    == [.int(2), .double(2), .double(1000), .double(-3), inner, .double(2.5)])
            #expect(gadget.tags["5"] == .double(2) && gadget.tags["a_b"] == .double(4))
            #expect(gadget.tags["ab"] == .int(4))
            #expect(gadget.tags["deep"] == .dictionary(["8": .double(1), "x": .int(1)]))
        }
    }

    /// They are one number, which a decoder of dictionaries gives for both.
    @Test func namesThatSayTheSameNumberAreTwo() async throws {
        let text = """
            {"id": "\(Self.id)", "tags": {"05": 2.0, "5": 2, "+5": 1e3,
            "deep": {"07": 1, "7": 1.0, "list": [3.0, 3, {"00": 4, "0": 4.0}]}}}
            """
        try await gadget(text) { gadget, _ in
            #expect(gadget.tags["05"] == .double(2) && gadget.tags["5"] == .int(2))
            #expect(gadget.tags["+5"] == .double(1000))
            let inner: FrozenValue = .dictionary(["00": .int(4), "0": .double(4)])
            let list: FrozenValue = .list([.double(3), .int(3), inner])
            #expect(
                gadget.tags["deep"]
                    == .dictionary(["07": .int(1), "7": .double(1), "list": list]))
        }
    }

    @Test func aCustomValueThatCannotBeMadeIsNamed() async throws {
        await #expect {
            try await gadget(#"{"id": "\#(Self.id)", "evens": [2, 3]}"#) { _, _ in }
        } throws: { error in
            "\(error)".hasPrefix("Property 'Gadget.evens' at evens")
                && "\(error)".contains("It is not a value of 'Even'")
        }
    }

    @Test func valuesOfAnyTypeAreCodable() throws {
        let text = #"[1,2.5,"x",true,null,[1,[2]],{"a":{"b":[3]}}]"#
        let list = try JSONDecoder().decode(List<AnyRealmValue>.self, from: Data(text.utf8))
        #expect(list[5] == .list([.int(1), .list([.int(2)])]))
        #expect(String(decoding: try JSONEncoder().encode(list), as: UTF8.self) == text)
    }
}
