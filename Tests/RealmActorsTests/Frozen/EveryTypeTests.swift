import Foundation
import RealmActors
import Testing

/// Every property type, written in three ways and read back frozen and live.
@Suite struct EveryTypeTests {
    private static let date = Date(timeIntervalSinceReferenceDate: 12_345.678)
    private static let uuid = UUID()

    private func fill(_ object: Everything) {
        object.bool = true
        object.int8 = -8
        object.int16 = -16
        object.int32 = -32
        object.int64 = .min
        object.uint8 = 255
        object.uint16 = .max
        object.uint32 = .max
        object.float = 1.5
        object.double = -2.25
        object.string = "a string that is longer than twelve bytes"
        object.data = Data([1, 2, 3])
        object.date = Self.date
        object.uuid = Self.uuid
        object.mood = .playful
        object.rank = .low
        object.any = .string("any")
        object.optionalBool = false
        object.optionalInt = -1
        object.optionalInt8 = 7
        object.optionalFloat = 0.5
        object.optionalDouble = 0.25
        object.optionalString = ""
        object.optionalData = Data()
        object.optionalDate = Self.date
        object.optionalUUID = Self.uuid
        object.optionalMood = .playful
        object.embedded = Address()
        object.embedded?.city = "Bern"
        object.integers.append(contentsOf: [3, 1, 2])
        object.optionals = ["x", nil]
        object.moods.append(.playful)
        object.links.append(object)
        object.addresses.append(Address())
        object.anys = [1, "two", nil]
        object.numbers.insert(objectsIn: [3, 1, 3])
        object.friends.insert(object)
        object.named["one"] = 1
        object.linked["me"] = object
        object.linked["none"] = .some(nil)
        object.link = object
    }

    private func check(_ object: Frozen<Everything>) {
        #expect(object.bool && object.int8 == -8 && object.int16 == -16 && object.int32 == -32)
        #expect(object.int64 == .min && object.uint8 == 255 && object.uint16 == .max)
        #expect(object.uint32 == .max && object.float == 1.5 && object.double == -2.25)
        #expect(object.string == "a string that is longer than twelve bytes")
        #expect(object.data == Data([1, 2, 3]) && object.date == Self.date)
        #expect(object.uuid == Self.uuid && object.mood == .playful && object.rank == .low)
        #expect(object.any == .string("any"))
        #expect(object.optionalBool == false && object.optionalInt == -1)
        #expect(object.optionalInt8 == 7 && object.optionalFloat == 0.5)
        #expect(object.optionalDouble == 0.25 && object.optionalString == "")
        #expect(object.optionalData == Data() && object.optionalDate == Self.date)
        #expect(object.optionalUUID == Self.uuid && object.optionalMood == .playful)
        #expect(object.embedded?.city == "Bern")
        #expect(Array(object.integers) == [3, 1, 2] && Array(object.optionals) == ["x", nil])
        #expect(Array(object.moods) == [.playful] && object.links.first == object)
        #expect(object.addresses.count == 1)
        #expect(Array(object.anys) == [.int(1), .string("two"), .none])
        #expect(Array(object.numbers) == [1, 3] && object.numbers.contains(3))
        #expect(object.friends.contains(object) && object.named["one"] == 1)
        #expect(object.linked["me"] == .some(object) && object.linked["none"] == .some(nil))
        #expect(object.link == object && object.origins.first == object)
    }

    @Test func addedObjectsKeepEveryValue() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let object = try Everything(value: ["key": 1])
            fill(object)
            try tx.add(object)
            return object.freeze()
        }
        check(frozen)
    }

    @Test func liveObjectsTakeEveryValue() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let object = try tx.create(Everything.self, value: ["key": 1])
            fill(object)
            #expect(object.int64 == .min && object.optionalBool == false)
            #expect(object.linked["me"] == .some(object) && object.anys.count == 3)
            return object.freeze()
        }
        check(frozen)
    }

    @Test func createdCopiesKeepEveryValue() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let source = try Everything(value: ["key": 1])
            fill(source)
            return try tx.create(Everything.self, value: source).freeze()
        }
        check(frozen)
    }

    @Test func defaultsAndNilsReadBack() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            try tx.create(Everything.self, value: ["key": 1]).freeze()
        }
        #expect(!frozen.bool && frozen.int64 == 0 && frozen.string == "" && frozen.data.isEmpty)
        #expect(frozen.mood == .calm && frozen.rank == .high && frozen.any == .none)
        #expect(frozen.optionalBool == nil && frozen.optionalInt == nil)
        #expect(frozen.optionalString == nil && frozen.optionalMood == nil)
        #expect(frozen.link == nil && frozen.embedded == nil && frozen.integers.isEmpty)
    }

    @Test func frozenObjectsEncodeByTheirSchema() async throws {
        let realm = try await freshRealm()
        let frozen = try await realm.write { tx in
            let person = try Person(
                value: [
                    "name": "Ada", "mood": "playful", "dogs": [["name": "Bit", "age": 2]],
                    "nicknames": ["ace"], "notes": ["seats": 4], "address": ["city": "Bern"],
                ])
            try tx.add(person)
            return person.freeze()
        }
        let data = try JSONEncoder().encode(frozen)
        let json = try #require(
            try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(json["name"] as? String == "Ada" && json["mood"] as? String == "playful")
        #expect(((json["dogs"] as? [Any])?.first as? [String: Any])?["name"] as? String == "Bit")
        #expect((json["address"] as? [String: Any])?["city"] as? String == "Bern")
    }
}
