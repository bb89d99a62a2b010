import Foundation
import Storage
import Testing

@testable import RealmActors

private enum Whole {
    final class Leash: Object {
        @Persisted var number: Int
        @Persisted var first: Leash?
        @Persisted var others: List<Leash>
    }
}

/// The same class without one of its links.
private enum Partial {
    final class Leash: Object {
        @Persisted var number: Int
        @Persisted var first: Leash?
    }
}

private final class Crate: Object {
    @Persisted var number: Int
    @Persisted var value: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
    @Persisted var text: String
    @Persisted var bytes: Data
}

/// What the query language below Realm's SDKs takes or answers, and text did not.
@Suite struct CoreLanguageTests {
    /// Behind a collection, what a map or list lacks was no value at all.
    @Test("Q7, Q8, Q11: what the maps and lists behind a collection lack is nil")
    func missingPartsBehindCollections() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("ANY captain.ships.cargo['tin'] == nil") == [1, 3])
            #expect(try ships.find("ANY captain.ships.cargo['tea'] == nil") == [3])
            #expect(try ships.find("NONE captain.ships.cargo['tea'] == nil") == [0, 1, 2])
            #expect(try ships.find("ANY captain.ships.cargo['tin'] != 50") == [1, 3])
            #expect(try ships.find("ANY captain.ships.extra['b'] == nil") == [1, 3])
            #expect(try ships.find("ANY captain.ships.ports[0] == nil") == [3])
            #expect(try ships.find("ANY captain.ships.mates['second'] == nil") == [0, 1, 3])
            #expect(try ships.find("ANY captain.ships.cargo['tea'] IN {5, NULL}") == [0, 3])
            #expect(try ships.find("ANY captain.ships.cargo['tea'] > 0") == [0, 1, 3])
            // It is counted for nothing, as a link that is nil.
            #expect(try ships.find("captain.ships.cargo['tin'].@count == 1") == [0])
            #expect(try ships.find("captain.ships.cargo['tea'].@count == 1") == [0, 1, 3])
            #expect(try ships.find("captain.ships.mates['second'].@count == 0") == [0, 1, 2, 3])
            #expect(try ships.find("captain.ships.extra['b'].@count == 1") == [0])
        }
    }

    /// Nothing found them, but a path to each element.
    @Test("Q7, Q11: what a map of objects has under a key may be nil")
    func nilInMapsOfObjects() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("ANY mates == nil") == [0])
            #expect(try ships.find("ANY mates.@allValues == nil") == [0])
            #expect(try ships.find("ANY mates[*] == nil") == [0])
            #expect(try ships.find("NONE mates == nil") == [1, 2, 3])
            #expect(try ships.find("ANY mates != nil") == [0, 1])
            #expect(try ships.find("ANY captain.ships.mates == nil") == [0])
            #expect(try ships.find("captain.ships.mates.@count == mates.@count") == [0, 1, 2])
            #expect(ships.numbers { $0.mates.values.isNil } == [0])
            // Behind nil there is no value.
            #expect(try ships.find("ANY mates.name == nil") == [])
        }
    }

    @Test("Q8, Q10: @count of the collection that a value of any type holds")
    func countsOfHeldCollections() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("extra.@count == 2") == [0])
            #expect(try ships.find("extra.@size == 3") == [1])
            #expect(try ships.find("extra['a'].@count == 3") == [0])
            #expect(try ships.find("extra[SIZE] > 1 AND extra.@count == masts") == [0, 1])
            #expect(try ships.find("extra.@count == 0") == [2, 3])
            #expect(throws: RealmError.self) { try ships.find("captain.@count == 1") }
        }
    }

    @Test("Q10: a float is written with an f behind it")
    func floats() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("length == 0.1f") == [1])
            #expect(try ships.find("length > 2.95e1f") == [0])
            #expect(try ships.find("speed == 8.5f OR speed == -1f") == [0, 1])
            #expect(try ships.find("masts == 3f") == [1, 3])
            for query in ["masts == 3ff", "masts == 3fx", "masts == f3", "masts == 1e99f"] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// They were what doubles give: 0.09999999999999998 and the like.
    @Test("Q4, Q10: to decimal numbers, what is calculated of fractions is what their digits give")
    func calculatedConstants() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("price == 0.3 - 0.2") == [1])
            #expect(try ships.find("price + 0.2 == 0.1 + 0.2") == [1])
            #expect(try ships.find("price IN {-(0.2 - 0.3), 125 * 0.1}") == [0, 1])
            // With a decimal number, the fraction was the nearest double.
            let decimal: Decimal128 = 12_345_678_901_234_555
            #expect(try ships.find("price == 12345678901234567.5 - %@", decimal) == [0])
            #expect(try ships.find("price > -1e6000 AND price < 1e6000 / 10") == [0, 1, 2, 3])
            #expect(try ships.find("price == -12345678901234567.5 + 12345678901234580") == [0])
            #expect(try ships.find("speed > 0.3 - 0.2 AND speed != 8.4 + 0.1") == [3])
            #expect(try ships.find("price == 1 / 0 OR price == 0.5 / 0") == [])
        }
    }

    /// Realm writes texts that need escapes in Base64.
    @Test("Q5, Q10: texts for bytes, bytes in Base64 for texts, and binary()")
    func textsAndBytes() async throws {
        try await Letters.check { letters throws in
            #expect(try letters.find("bytes == 'Rex'") == [0])
            #expect(try letters.find("bytes CONTAINS 'dog' OR more == 'R'") == [1, 2])
            #expect(try letters.find("bytes BEGINSWITH[c] 'REX'") == [0, 2])
            #expect(try letters.find("more ==[c] 'REX'") == [0])
            #expect(try letters.find("bytes IN {'Rex', binary('Rex dog')}") == [0, 2])
            #expect(try letters.find("bytes == binary(B64\"UmV4\")") == [0])
            #expect(try letters.find("binary('R') == more") == [1])
            // The short name was an unknown property.
            #expect(try letters.find("bin('R') == more OR bytes == bin(B64'UmV4')") == [0, 1])
            #expect(try letters.find("title == B64\"UkVE\"") == [1])
            #expect(try letters.find("title CONTAINS[c] B64'cmVk'") == [0, 1])
            #expect(try letters.find("title IN {B64'UkVE', 'x'}") == [1])
            #expect(try letters.find("value == B64'cmVk' OR value == binary('red')") == [])
            for query in [
                "title == B64'/w=='", "bytes LIKE 'R*'", "bytes == binary('Rex'",
                "bytes == binary(1)", "id == binary('1')", "bytes == binary()", "bytes == 3",
            ] {
                #expect(throws: RealmError.self) { try letters.find(query) }
            }
        }
    }

    /// Bytes were taken for the text that they are in UTF-8, and texts for their bytes.
    @Test("Q5, Q8: in values of any type, texts match texts and bytes match bytes")
    func textsAndBytesOfAnyType() async throws {
        try await withFreshRealm([Crate.self]) { realm in
            try await realm.write { tx in
                let values: [AnyRealmValue] = [
                    .string("Rex dog"), .data(Data("Rex dog".utf8)), .int(3), .none,
                ]
                for (number, value) in values.enumerated() {
                    let crate = try tx.create(Crate.self, value: ["number": number])
                    crate.value = value
                    crate.values.append(value)
                    crate.text = "Rex"
                    crate.bytes = Data("Rex".utf8)
                }
            }
            let crates = realm.objects(Crate.self)
            func found(_ query: String) throws -> [Int] { try crates.filter(query).map(\.number) }
            #expect(try found("value BEGINSWITH 'Rex'") == [0])
            #expect(try found("value BEGINSWITH binary('Rex')") == [1])
            #expect(try found("value CONTAINS[c] 'DOG' OR value ENDSWITH 'og'") == [0])
            #expect(try found("value CONTAINS[c] binary('DOG')") == [1])
            #expect(try found("value LIKE 'R*' OR value LIKE[c] 'r*'") == [0])
            #expect(try found("value ==[c] 'REX DOG'") == [0])
            #expect(try found("value !=[c] 'REX DOG'") == [1, 2, 3])
            #expect(try found("value ==[c] binary('REX DOG')") == [1])
            #expect(try found("value !=[c] binary('REX DOG')") == [0, 2, 3])
            #expect(try found("value IN[c] {'REX DOG', 'x'}") == [0])
            #expect(try found("ANY values BEGINSWITH 'Rex'") == [0])
            #expect(try found("ANY values ENDSWITH binary('dog')") == [1])
            #expect(try found("NONE values CONTAINS 'dog'") == [1, 2, 3])
            #expect(try found("value CONTAINS text") == [0])
            #expect(try found("value BEGINSWITH bytes") == [1])
        }
    }

    /// A path could not continue behind the brackets.
    @Test("Q6, Q7, Q10: all objects of a collection, in brackets")
    func allObjectsInBrackets() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("ANY crew[*].name == 'Bob'") == [0])
            #expect(try ships.find("ANY crew[ALL].age > 45") == [1, 3])
            #expect(try ships.find("NONE crew[*].age > 45") == [0, 2])
            #expect(try ships.find("ANY crew[*].friend.name == 'Bob'") == [0])
            #expect(try ships.find("ANY mates[*].name == 'Bob'") == [0])
            #expect(try ships.find("ANY captain.ships.crew[*].age == 30") == [0])
            #expect(try ships.find("crew[*].@count == 2 OR crew[*].@max.age == 40") == [0, 1])
            #expect(try ships.find("ANY crew[*] == %@", ships.sailor("Bob")) == [0])
            for query in [
                "crew[*].name == 'Bob'", "ANY crew[*][*].name == 'Bob'",
                "ANY crew.name[*] == 'Bob'", "ANY captain[*].name == 'Bob'",
                "ANY captain.ships[*].name == 'Argo'", "ANY ports[*].name == 'Oslo'",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// The count was without the links of a property that the models lack.
    @Test("Q10: @links.@count is of all properties of the store")
    func linksOfMissingProperties() async throws {
        try await withStorePath { path in
            let whole = try await Realm.open(.init(path: path, objectTypes: [Whole.Leash.self]))
            try await whole.write { tx in
                let leash = try tx.create(Whole.Leash.self, value: ["number": 1])
                leash.first = leash
                leash.others.append(objectsIn: [leash, leash])
            }
            try await whole.close()
            let partial = try await Realm.open(
                .init(path: path, objectTypes: [Partial.Leash.self], readOnly: true))
            let leashes = partial.objects(Partial.Leash.self)
            #expect(try leashes.filter("@links.@count == 3").map(\.number) == [1])
            #expect(try leashes.filter("@links.Leash.others.@count == 2").count == 1)
            try await partial.close()
        }
    }

    @Test("Q10: key paths are arguments by number")
    func keyPathsByNumber() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("$K0 == $1", "captain.name", "Ann") == [0])
            #expect(try ships.find("$K0 > 2 SORT($K1 DESC)", "masts", "number") == [3, 1])
            #expect(try ships.find("$K0 > $1", "crew.@count", 2) == [0])
            #expect(try ships.find("name == $K0", named: ["K0": "Argo"]) == [0])
            let crew = "SUBQUERY($K0, $K1, $K1.age > 50).@count == 1"
            #expect(try ships.find(crew, "crew") == [1, 3])
            #expect(throws: RealmError.self) { try ships.find("$K1 == 1", "masts") }
            #expect(throws: RealmError.self) { try ships.find("$K0 == 1", 3) }
            #expect(throws: RealmError.self) { try ships.find("number == $K0", 3) }
        }
    }

    @Test("Q6, Q10: ANY and NONE to the right, and in front of lists")
    func quantifiersToTheRight() async throws {
        try await Ships.check { ships throws in
            #expect(try ships.find("'Oslo' IN ANY ports") == [0, 1])
            #expect(try ships.find("'Oslo' IN NONE ports") == [2, 3])
            #expect(try ships.find("'OSLO' IN[c] SOME ports") == [0, 1])
            #expect(try ships.find("3 == ANY marks") == [0])
            #expect(try ships.find("3 == NONE marks") == [1, 2, 3])
            #expect(try ships.find("masts == ANY marks") == [0])
            #expect(try ships.find("masts > ANY marks") == [0])
            #expect(try ships.find("captain == ANY crew") == [0, 1, 3])
            #expect(try ships.find("number IN ANY {1, 2}") == [1, 2])
            #expect(try ships.find("number == ANY {1, 2}") == [1, 2])
            #expect(try ships.find("number == SOME %@", [0, 3]) == [0, 3])
            #expect(try ships.find("ANY {1, 2} == number") == [1, 2])
            #expect(try ships.find("NONE {1, 2} == number") == [0, 3])
            #expect(try ships.find("name ==[c] ANY {'ARGO'}") == [0])
            #expect(try ships.find("ANY marks IN ANY {1, 5}") == [0, 1])
            #expect(try ships.find("ANY {1, 5} == NONE marks") == [2, 3])
            #expect(try ships.find("masts < ANY marks + 1") == [0, 1])
            // It was taken for one in front of the left side.
            for query in ["marks == ANY 5", "marks > ANY masts", "ports CONTAINS ANY name"] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
            for query in [
                "ANY marks == ANY marks", "number == ALL {1}", "number != ANY {1}",
                "number > ANY {1, 2}", "ANY {1} == ANY {1}", "marks == ANY {1}", "number == ANY 1",
                "number == ANY",
            ] {
                #expect(throws: RealmError.self) { try ships.find(query) }
            }
        }
    }

    /// It stood in front of the property of the object itself.
    @Test("Q6, Q10: an explanation has a quantifier in front of the collection that it is of")
    func explainedQuantifiers() async throws {
        try await withFreshRealm(Ships.types) { realm in
            let text = try realm.objects(Ship.self).filter("masts < ANY marks").explain()
            #expect(text.contains("ANY marks > masts"), "\(text)")
        }
    }

    /// Swift's names may have emoji, and those of stores that others made may have blanks.
    @Test("Q10, Q19: blanks in names are escaped, and names may have emoji")
    func names() throws {
        let astronaut = "\u{1F469}\u{200D}\u{1F680}"
        let row = ClassID(0)
        let columns = ["float fees", "a\tb", astronaut].map { ColumnSchema(name: $0, kind: .int) }
        let link = ColumnSchema(name: "one before", kind: .link, isNullable: true, target: row)
        let store = StoreSchema(classes: [ClassSchema(name: "Row", columns: columns + [link])])
        let tree = WorkingTree(schema: store, account: NodeAccount())
        for number in 0..<3 {
            let key = tree.createRow(row)
            for column in columns.indices {
                tree.set(.int(Int64(number)), row, key, ColumnID(column))
            }
            if number > 0 { tree.set(.link(RowKey(Int64(number - 1))), row, key, ColumnID(3)) }
        }
        let rows = RowQuerySchema(store: store)
        func found(_ text: String) throws -> [Int] {
            let arguments = QueryArguments(positional: [])
            let parsed = try QueryParser.parse(text, arguments, rows, row)
            let filter = try rows.bind(parsed.condition, in: row)
            let query = ResultsQuery(all: row).adding(.filter(filter))
            return query.evaluate(in: tree.view).map { Int($0.rawValue) }
        }
        #expect(try found(#"float\ fees > 1"#) == [2])
        #expect(try found(#"#float\ fees == 0"#) == [0])
        #expect(try found(#"one\ before.float\ fees == 0 AND a\tb >= 0"#) == [1])
        #expect(try found(#"@links.Row.one\ before.@count == 1"#) == [0, 1])
        #expect(try found("@links.@count == 1 SORT(a\\tb DESC)") == [0, 1])
        #expect(try found("\(astronaut)==2") == [2])
        for text in [#"float\ffees == 1"#, #"float\ == 1"#, #"\ fees == 1"#, #"a\tb\ == 1"#] {
            #expect(throws: RealmError.self) { try found(text) }
        }
        withExtendedLifetime(tree) {}
    }
}
