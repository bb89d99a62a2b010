import Foundation
import Testing

@testable import RealmActors

final class Postmark: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var number: Int
    @Persisted var code: UUID?
    @Persisted var bytes: Data?
    @Persisted var made: Date?
    @Persisted var size: Double
    @Persisted var price: Decimal128
    @Persisted var value: AnyRealmValue
    @Persisted var next: Postmark?
    @Persisted var others: List<Postmark>
}

/// Has a property with the name of a number.
final class Sketch: Object {
    @Persisted var inf: Int
    @Persisted var stamp: Postmark?
}

private final class Pin: Object {
    @Persisted var name: String
    @Persisted var place: PinPlace?
}

private final class PinPlace: EmbeddedObject {
    @Persisted var type: String = "Point"
    @Persisted var coordinates: List<Double>
}

/// What Realm's query language writes out that is neither a number nor a text.
///
/// All of these were mistakes: only arguments could say such values.
@Suite struct QueryLiteralTests {
    private static let id = "507f1f77bcf86cd799439011"
    private static let code = "3B241101-E2BB-4255-8CAF-4136C566A962"

    private func withStamps(
        _ body: (FrozenResults<Postmark>) throws -> Void
    ) async throws {
        try await withFreshRealm([Postmark.self, Sketch.self]) { realm in
            try await realm.write { tx in
                let stamps = try (0..<3).map { number in
                    let stamp = Postmark()
                    stamp.id = .generate()
                    if number == 0 { stamp.id = try ObjectId(string: Self.id) }
                    stamp.number = number
                    try tx.add(stamp)
                    return stamp
                }
                stamps[0].code = UUID(uuidString: Self.code)
                stamps[0].bytes = Data([1, 2, 3])
                stamps[0].made = Date(timeIntervalSince1970: 1_582_979_400)
                stamps[0].value = .data(Data([1, 2, 3]))
                stamps[1].bytes = Data()
                stamps[1].made = Date(timeIntervalSince1970: -1.5)
                stamps[1].size = .infinity
                stamps[1].value = .date(Date(timeIntervalSince1970: 1_582_979_400))
                stamps[1].next = stamps[0]
                stamps[1].others.append(objectsIn: [stamps[0], stamps[0], stamps[1]])
                stamps[2].size = -.infinity
                stamps[2].price = try Decimal128(string: "Infinity")
                let drawing = try tx.create(Sketch.self, value: ["inf": 7])
                drawing.stamp = stamps[2]
            }
            try body(realm.objects(Postmark.self))
        }
    }

    private func numbers(
        _ stamps: FrozenResults<Postmark>, _ query: String
    ) throws -> [Int] { try stamps.filter(query).map(\.number) }

    @Test("Q10: uuid(), oid(), B64, dates and timestamps are written out as in Realm's language")
    func literals() async throws {
        try await withStamps { stamps throws in
            #expect(try numbers(stamps, "id == oid(\(Self.id))") == [0])
            #expect(try numbers(stamps, "id != OID(\(Self.id)) AND number < 2") == [1])
            #expect(try numbers(stamps, "id IN {oid(\(Self.id)), NULL}") == [0])
            #expect(try numbers(stamps, "code == uuid(\(Self.code))") == [0])
            #expect(try numbers(stamps, "uuid(\(Self.code.lowercased())) != code") == [1, 2])
            // A text was no UUID; Realm takes it for one.
            #expect(try numbers(stamps, "code == '\(Self.code)'") == [0])
            #expect(
                try numbers(stamps, "code IN {'\(Self.code.lowercased())', NULL}") == [0, 1, 2])
            #expect(try stamps.filter("code != %@", Self.code).map(\.number) == [1, 2])
            #expect(try numbers(stamps, "bytes == B64\"AQID\"") == [0])
            #expect(try numbers(stamps, "bytes == b64''") == [1])
            #expect(try numbers(stamps, "bytes CONTAINS B64'Ag=='") == [0])
            #expect(try numbers(stamps, "value == B64'AQID'") == [0])
            #expect(try numbers(stamps, "made == T1582979400:0") == [0])
            #expect(try numbers(stamps, "made == T-1:-500000000 OR number == 2") == [1, 2])
            #expect(try numbers(stamps, "made == 2020-02-29@12:30:00") == [0])
            #expect(try numbers(stamps, "made < 2020-02-29T12:30:00:1000") == [0, 1])
            #expect(try numbers(stamps, "value == 2020-2-29@12:30:0") == [1])
            #expect(
                try numbers(stamps, "made BETWEEN {1969-12-31@23:59:58, 1970-1-1@0:0:0}") == [1])
            // As in Realm: the nanoseconds lead away from 1970.
            #expect(try numbers(stamps, "made == 1969-12-31@23:59:59:500000000") == [1])
            // These are no literals.
            #expect(try numbers(stamps, "number == 2020-2-2018") == [0])
        }
    }

    @Test("Q10: INFINITY and NAN are numbers, unless a property has that name")
    func infinity() async throws {
        try await withStamps { stamps throws in
            #expect(try numbers(stamps, "size == infinity") == [1])
            #expect(try numbers(stamps, "size == -INF OR size == NaN") == [2])
            #expect(try numbers(stamps, "size < +inf AND size > -infinity") == [0])
            #expect(try numbers(stamps, "price == inf") == [2])
            #expect(try numbers(stamps, "number < infinity AND size != nan") == [0, 1, 2])
            let drawings = stamps.snapshot.objects(Sketch.self)
            #expect(try drawings.filter("inf == 7 AND inf < infinity").count == 1)
        }
    }

    /// Such a character could be written as it is, and by no escape.
    @Test("Q10: a pair of surrogates in escapes is one character")
    func surrogates() async throws {
        try await withFreshRealm([Pin.self, PinPlace.self]) { realm in
            let names = ["\u{1F436}", "a\u{1F436}b", "\u{E9}"]
            try await realm.write { tx in
                for name in names { try tx.create(Pin.self, value: ["name": name]) }
            }
            let pins = realm.objects(Pin.self)
            #expect(try pins.filter(#"name == '\uD83D\uDC36'"#).map(\.name) == [names[0]])
            #expect(try pins.filter(#"name LIKE '?\uD83D\uDC36?'"#).map(\.name) == [names[1]])
            #expect(try pins.filter(#"name == '\u00E9'"#).map(\.name) == [names[2]])
            for half in [#"\uD83D"#, #"\uDC36"#, #"\uD83D\u0041"#, #"\uD83Dx"#, #"\uD83D\n"#] {
                #expect(throws: RealmError.self) { try pins.filter("name == '\(half)'") }
            }
        }
    }

    /// These were escapes that mean nothing.
    @Test("Q10: a backspace, a form feed and a slash have escapes, as in JSON")
    func escapesOfJSON() async throws {
        try await withFreshRealm([Pin.self, PinPlace.self]) { realm in
            let names = ["a/b", "\u{8}", "x\u{C}"]
            try await realm.write { tx in
                for name in names { try tx.create(Pin.self, value: ["name": name]) }
            }
            let pins = realm.objects(Pin.self)
            #expect(try pins.filter(#"name == 'a\/b'"#).map(\.name) == [names[0]])
            #expect(try pins.filter(#"name == "\b""#).map(\.name) == [names[1]])
            #expect(try pins.filter(#"name LIKE '?\f'"#).map(\.name) == [names[2]])
            #expect(throws: RealmError.self) { try pins.filter(#"name == '\a'"#) }
        }
    }

    @Test("Q6, Q10: @links leads to what links to an object, by class and property")
    func inverseLinks() async throws {
        try await withStamps { stamps throws in
            #expect(try numbers(stamps, "ANY @links.Postmark.next.number == 1") == [0])
            #expect(try numbers(stamps, "@links.Postmark.others.@count == 2") == [0])
            #expect(try numbers(stamps, "@links.Sketch.stamp.@count == 0") == [0, 1])
            #expect(try numbers(stamps, "ANY next.@links.Postmark.others.number == 1") == [1])
            #expect(try numbers(stamps, "NONE @links.Sketch.stamp.inf > 0") == [0, 1])
            #expect(
                try numbers(
                    stamps, "SUBQUERY(@links.Sketch.stamp, $x, $x.inf == 7).@count == 1") == [2])
            #expect(try stamps.filter("%K > 0", "@links.Sketch.stamp.@count").count == 1)
            // Of all classes and properties; those were mistakes.
            #expect(try numbers(stamps, "@links.@count == 3") == [0])
            #expect(try numbers(stamps, "@links.@size BETWEEN {1, 2}") == [1, 2])
            #expect(try numbers(stamps, "@links.@count > number") == [0])
            #expect(try numbers(stamps, "next.@links.@count == 3") == [1])
            #expect(
                try numbers(stamps, "SUBQUERY(others, $x, $x.@links.@count == 3).@count > 0")
                    == [1])
            #expect(try stamps.filter("%K == 3", "@links.@count").count == 1)
            let drawings = stamps.snapshot.objects(Sketch.self)
            #expect(try drawings.filter("@links.@count == 0").count == 1)
            #expect(try drawings.filter("stamp.@links.@count != 1").isEmpty)
        }
    }

    @Test("P17, Q10: boxes, circles and polygons are written out, of longitudes and latitudes")
    func areas() async throws {
        try await withFreshRealm([Pin.self, PinPlace.self]) { realm in
            try await realm.write { tx in
                for (name, longitude, latitude) in [
                    ("Zurich", 8.54, 47.37), ("Bern", 7.45, 46.95), ("Oslo", 10.75, 59.91),
                ] {
                    let place: [String: Any] = ["coordinates": [longitude, latitude]]
                    try tx.create(Pin.self, value: ["name": name, "place": place])
                }
                try tx.create(Pin.self, value: ["name": "nowhere"])
            }
            let pins = realm.objects(Pin.self)
            func names(_ query: String) throws -> [String] { try pins.filter(query).map(\.name) }
            #expect(try names("place GEOWITHIN geoBox([5, 55], [15, 65])") == ["Oslo"])
            #expect(try names("place IN geoBox([7, 46, 10], [9, 48, 0])") == ["Zurich", "Bern"])
            #expect(try names("NOT place geowithin geoCircle([8, 47], 0.0126)").count == 2)
            let ring = "{[7, 46], [9, 46], [9, 48], [7, 48], [7, 46]}"
            #expect(try names("place GEOWITHIN geoPolygon(\(ring))") == ["Zurich", "Bern"])
            let hole = "{[8, 47], [8.9, 47], [8.9, 47.9], [8, 47.9], [8, 47]}"
            #expect(try names("place GEOWITHIN geoPolygon(\(ring), \(hole))") == ["Bern"])
            for query in [
                "place GEOWITHIN geoBox([5, 95], [15, 65])",
                "place GEOWITHIN geoCircle([8, 47], -1)",
                "place GEOWITHIN geoPolygon({[7, 46], [9, 46]})",
                "place GEOWITHIN geoCircle([8, 47], 'a')", "name == geoBox([5, 5], [15, 6])",
                "place GEOWITHIN " + String(repeating: "geoBox([", count: 10_000),
            ] {
                #expect(throws: RealmError.self) { try names(query) }
            }
        }
    }

    @Test("Q8, Q10: @type asks for the type of what a value of any type holds")
    func types() async throws {
        try await Letters.check { letters throws in
            #expect(try letters.find("value.@type == 'int'") == [0])
            #expect(try letters.find("value.@type != 'int'") == [1, 2, 3])
            #expect(try letters.find("'STRING' == value.@type") == [1])
            for name in ["integer", "int16", "Int32", "int64", "short", "long", "byte", "char"] {
                #expect(try letters.find("value.@type == '\(name)'") == [0])
            }
            for name in [
                "bytearray", "byte[]", "binData", "datetimeoffset", "guid", "objectlink",
            ] {
                #expect(try letters.find("value.@type == '\(name)'") == [])
            }
            #expect(try letters.find("value.@type IN %@", ["list", "null"]) == [2, 3])
            #expect(
                try letters.find("value.@type == 'numeric' OR value[0].@type == 'string'") == [
                    0, 2,
                ])
            #expect(try letters.find("values[FIRST].@type == 'double'") == [1])
            #expect(try letters.find("ANY values.@type == 'string'") == [0])
            #expect(try letters.find("ANY values.@type != 'int'") == [0, 1])
            #expect(try letters.find("NONE values.@type == 'numeric'") == [2, 3])
            #expect(try letters.find("reply.value.@type == 'string'") == [0])
            for query in [
                "value.@type == 'cat'", "title.@type == 'string'", "value.@type > 'int'",
                "values.@type == 'int'", "ANY value.@type == 'int'", "value.@type + 1 == 2",
                "title == value.@type", "value.@type ==[c] 'int'", "value.@type IN {}",
                "value.@type BETWEEN {'int', 'string'}", "id > 0 SORT(value.@type)",
            ] {
                #expect(throws: RealmError.self) { try letters.find(query) }
            }
        }
    }

    @Test("Q10: literals and inverse links that are none are errors with their place")
    func mistakes() async throws {
        try await withStamps { stamps throws in
            for (query, part) in [
                ("id == oid(123)", "not an ObjectId"), ("code == uuid(abc)", "not a UUID"),
                ("code == uuid(abc", "not a UUID"), ("bytes == B64'A'", "Base64"),
                ("code == uuid(+\(Self.code.dropFirst()))", "not a UUID"),
                ("made == 2021-02-29@00:00:00", "does not exist"),
                ("made == 2021-13-01@00:00:00", "does not exist"),
                ("made == 2021-01-01@24:00:00", "does not exist"),
                ("made == T5:-1", "same sign"), ("made == T5:1000000000", "same sign"),
                ("id == uuid(\(Self.code))", "cannot be compared"),
                ("number == T5:1", "cannot be compared"), ("code == 'abc'", "cannot be compared"),
                ("ANY @links.Postmark.number == 1", "not found"),
                ("ANY @links.Nowhere.stamp == NULL", "not found"),
                ("@links.@max == 1", "the class that links here"),
                ("number.@links.@count == 1", "leads to none"),
                ("@links.Sketch.stamp.inf == 1", "ANY"),
            ] {
                do {
                    _ = try stamps.filter(query)
                    Issue.record("\(query) is understood")
                } catch RealmError.invalidQuery(let message, let position) {
                    #expect(message.contains(part), "\(message)")
                    #expect(position != nil)
                }
            }
        }
    }
}
