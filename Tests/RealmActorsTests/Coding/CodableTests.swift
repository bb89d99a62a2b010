import Foundation
import RealmActors
import Testing

private final class Note: Object, Codable {
    @Persisted(primaryKey: true) var id: Int = 0
    @Persisted var title: String?
    @Persisted var mood: Mood = .calm
    @Persisted var pages: List<Int>
}

private final class Author: Object, Codable {
    @Persisted var name: String
    @Persisted var born: Date?
    @Persisted var note: Note?
    @Persisted var notes: List<Note>
    @Persisted var home: Place?
    @Persisted var homes: List<Place>
    @Persisted var tags: MutableSet<String>
    @Persisted var ranks: Map<String, Rank>
    @Persisted var byTitle: Map<String, Note?>
    @Persisted var extra: AnyRealmValue
    @Persisted var extras: List<AnyRealmValue>
}

private final class Place: EmbeddedObject, Codable {
    @Persisted var city: String
}

private final class Remark: Object, Codable {
    @Persisted var extra: AnyRealmValue = 5
    @Persisted var rank: Rank? = .high
}

/// Every scalar, required, optional, and in collections.
private final class Scalars: Object, Codable {
    @Persisted var bool: Bool
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var uint8: UInt8
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var uuid: UUID
    @Persisted var rank: Rank
    @Persisted var boolOpt: Bool?
    @Persisted var intOpt: Int?
    @Persisted var floatOpt: Float?
    @Persisted var stringOpt: String?
    @Persisted var dataOpt: Data?
    @Persisted var dateOpt: Date?
    @Persisted var uuidOpt: UUID?
    @Persisted var rankOpt: Rank?
    @Persisted var bools: List<Bool>
    @Persisted var dates: List<Date>
    @Persisted var datas: List<Data>
    @Persisted var intsOpt: List<Int?>
    @Persisted var stringsOpt: MutableSet<String?>
    @Persisted var doubles: Map<String, Double>
    @Persisted var datesOpt: Map<String, Date?>

    static let json = """
        {"bool": true, "int": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6,
        "float": 2.5, "double": 2.25, "string": "abc", "data": "ZGVm", "date": 2.5,
        "uuid": "\(uuidText)", "rank": 7, "boolOpt": true, "intOpt": 1, "floatOpt": 2.5,
        "stringOpt": "x", "dataOpt": "ZGVm", "dateOpt": 2.5, "uuidOpt": "\(uuidText)",
        "rankOpt": 1, "bools": [true, false], "dates": [2.5], "datas": ["ZGVm"],
        "intsOpt": [1, null], "stringsOpt": [null], "doubles": {"a": 1.5},
        "datesOpt": {"b": null, "c": 2.5}}
        """
    static let uuidText = "123E4567-E89B-12D3-A456-426614174000"
}

/// Models that are `Codable`.
@Suite struct CodableTests {
    private func decode<T: Decodable>(_ type: T.Type, _ json: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    /// What an encoder writes, as Foundation reads it back.
    private func json(_ value: some Encodable) throws -> NSDictionary {
        try #require(
            try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? NSDictionary)
    }

    @Test func unmanagedObjectsDecodeAndEncode() throws {
        let note = try decode(Note.self, #"{"id": 7, "mood": "playful", "pages": [1, 2]}"#)
        #expect(note.id == 7 && note.title == nil && note.mood == .playful)
        #expect(Array(note.pages) == [1, 2])
        let again = try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note))
        #expect(again.id == 7 && Array(again.pages) == [1, 2])
    }

    @Test func everyScalarDecodesAndEncodes() throws {
        let object = try decode(Scalars.self, Scalars.json)
        #expect(object.bool && object.int8 == 2 && object.uint8 == 6 && object.rank == .high)
        #expect(object.data == Data("def".utf8) && object.uuidOpt?.uuidString == Scalars.uuidText)
        #expect(object.date == Date(timeIntervalSinceReferenceDate: 2.5))
        #expect(Array(object.intsOpt) == [1, nil] && object.stringsOpt.contains(nil))
        #expect(object.datesOpt["b"] == .some(nil) && object.doubles["a"] == 1.5)
        let again = try decode(
            Scalars.self, String(decoding: JSONEncoder().encode(object), as: UTF8.self))
        #expect(try json(again) == json(object))
    }

    @Test("M18: a missing key of an optional property is nil")
    func aMissingOptionalIsNil() throws {
        #expect(try decode(Note.self, #"{"id": 7, "mood": "calm", "pages": []}"#).title == nil)
        let null = #"{"id": 7, "mood": "calm", "pages": [], "title": null}"#
        #expect(try decode(Note.self, null).title == nil)
    }

    /// It was not found.
    @Test("M18: a missing key of a value of any type is no value")
    func aMissingValueOfAnyTypeIsNone() throws {
        for json in ["{}", #"{"extra": null, "rank": null}"#] {
            let remark = try decode(Remark.self, json)
            #expect(remark.extra == AnyRealmValue.none && remark.rank == nil)
        }
        let remark = try decode(Remark.self, #"{"extra": [1, {"a": "b"}], "rank": 1}"#)
        #expect(remark.extra == [1, ["a": "b"]] && remark.rank == .low)
        #expect(try decode(Remark.self, #"{"extra": "x"}"#).extra == .string("x"))
    }

    @Test(
        "M18: a missing key of a required property is an error",
        arguments: [
            #"{"mood": "calm", "pages": []}"#,  // A default does not help, as in Realm.
            #"{"id": 7, "pages": []}"#, #"{"id": 7, "mood": "calm"}"#,
        ])
    func aMissingRequiredPropertyIsNotFound(_ json: String) throws {
        do {
            _ = try decode(Note.self, json)
            Issue.record("it decodes")
        } catch DecodingError.keyNotFound {
            // What must happen.
        }
    }

    @Test func anUnknownRawValueAndNullThrow() {
        #expect(throws: DecodingError.self) {
            try decode(Note.self, #"{"id": 7, "mood": "angry", "pages": []}"#)
        }
        #expect(throws: DecodingError.self) {
            try decode(Note.self, #"{"id": null, "mood": "calm", "pages": []}"#)
        }
    }

    @Test func linksEmbeddedObjectsAndCollectionsNest() throws {
        let author = try decode(
            Author.self,
            """
            {"name": "Ada", "note": {"id": 1, "mood": "calm", "pages": [4]},
            "notes": [{"id": 2, "mood": "calm", "pages": []}], "home": {"city": "Rome"},
            "homes": [{"city": "Oslo"}], "tags": ["a", "b", "a"], "ranks": {"x": 7},
            "byTitle": {"one": {"id": 3, "mood": "calm", "pages": []}, "none": null},
            "extra": "text", "extras": [1, 2.5, true, null, "x"]}
            """)
        #expect(author.note?.id == 1 && author.notes.first?.id == 2 && author.born == nil)
        #expect(author.home?.city == "Rome" && author.homes.first?.city == "Oslo")
        #expect(Set(author.tags) == ["a", "b"] && author.ranks["x"] == .high)
        #expect(author.byTitle["one"]??.id == 3 && author.byTitle["none"] == .some(nil))
        #expect(author.extra == .string("text"))
        #expect(Array(author.extras) == [.int(1), .double(2.5), .bool(true), .none, .string("x")])
        let encoded = try json(author)
        #expect((encoded["notes"] as? [Any])?.count == 1)
        #expect((encoded["home"] as? NSDictionary)?["city"] as? String == "Rome")
        #expect((encoded["ranks"] as? NSDictionary)?["x"] as? Int == 7)
        #expect((encoded["extras"] as? [Any])?.count == 5)
    }

    @Test func decodedObjectsCanBeAdded() async throws {
        try await withFreshRealm([Author.self, Note.self, Place.self]) { realm in
            let data = Data(
                """
                [{"name": "Ada", "notes": [{"id": 2, "mood": "calm", "pages": [1]}], "homes": [],
                "tags": [], "ranks": {}, "byTitle": {}, "extra": null, "extras": []}]
                """.utf8)
            try await realm.write { tx in
                try tx.add(try JSONDecoder().decode([Author].self, from: data))
            }
            #expect(realm.objects(Author.self).first?.notes.first?.pages.first == 1)
        }
    }

    @Test("M18: managed objects do not encode, and frozen ones do")
    func managedObjectsDoNotEncodeAndFrozenOnesDo() async throws {
        try await withFreshRealm([Author.self, Note.self, Place.self, Scalars.self]) { realm in
            let frozen = try await realm.write { tx in
                let note = try tx.create(Note.self, value: ["id": 1])
                #expect(throws: EncodingError.self) { try JSONEncoder().encode(note) }
                let author = try tx.create(Author.self, value: ["name": "Ada", "note": note])
                author.extra = .object(note)
                author.byTitle["a"] = note
                author.byTitle["b"] = .some(nil)
                return author.freeze()
            }
            let encoded = try json(frozen)
            #expect((encoded["note"] as? NSDictionary)?["mood"] as? String == "calm")
            #expect((encoded["extra"] as? NSDictionary)?["id"] as? Int == 1)
            #expect((encoded["byTitle"] as? NSDictionary)?["b"] is NSNull)
            #expect(encoded["born"] is NSNull)
        }
    }

    @Test func frozenObjectsEncodeByTheEncodersStrategies() async throws {
        try await withFreshRealm([Scalars.self]) { realm in
            try await realm.write { tx in
                _ = try tx.add(
                    try JSONDecoder().decode(Scalars.self, from: Data(Scalars.json.utf8)))
            }
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            let data = try encoder.encode(realm.objects(Scalars.self))
            let json = try #require(
                try JSONSerialization.jsonObject(with: data) as? [[String: Any]])[0]
            #expect(json["date"] as? String == "2001-01-01T00:00:02Z")
            #expect(json["dates"] as? [String] == ["2001-01-01T00:00:02Z"])
            #expect(json["datas"] as? [String] == ["ZGVm"])
            #expect((json["datesOpt"] as? [String: Any])?["c"] as? String == "2001-01-01T00:00:02Z")
        }
    }
}
