import Foundation
import RealmActors
import Testing

@testable import realmactors

// Classes with the names of types, of keywords and of nothing that Swift has.

private final class Data: Object {
    @Persisted(primaryKey: true) var key: Int
    @Persisted var id: String
    @Persisted var bytes: Foundation.Data

    override class func propertiesMapping() -> [String: String] { ["key": "_id"] }
}

private final class `default`: Object, IndexedModel {
    @Persisted var `class`: Int
    @Persisted var first: Int
    @Persisted var second: Int
    @Persisted var third: Int
    @Persisted var box: Box<Int>?
    @Persisted var `default`: `default`?
    @Persisted var dog: `My Dog`?

    override class func propertiesMapping() -> [String: String] {
        ["first": "a b", "second": "a_b", "third": "1\"\n"]
    }

    static var indexes: [Index<`default`>] {
        [Index(unique: .ascending(\.`class`), .descending(\.first))]
    }
}

private final class `My Dog`: Object {
    @Persisted var name: String
}

private final class Box<Value: PersistableScalar>: Object {
    @Persisted var value: Value
}

private final class Shelf: Object {
    @Persisted var box: Box<Int>?
}

/// Models that a program can paste, whatever a store has.
@Suite(.timeLimit(.minutes(10))) struct SwiftModelsTests {
    @Test func everyNameIsOneOfSwift() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/odd"
            try await Realm.open(
                .init(
                    path: path,
                    objectTypes: [
                        Data.self, `default`.self, `My Dog`.self, Box<Int>.self, Shelf.self,
                    ])
            ).close()
            let run = try await Tool.run("schema", path, "--format", "swift")
            #expect(run.status == 0, "\(run.errors)")
            let lines = Set(run.output.components(separatedBy: "\n"))
            for line in [
                "class Data: Object {", "    @Persisted(primaryKey: true) var _id: Int",
                // Its wrapper would be `_id` too.
                "    @Persisted var id_: String", "        [\"id_\": \"id\"]",
                "    @Persisted var bytes: Foundation.Data",
                "final class `default`: Object, IndexedModel {",
                "    @Persisted var `class`: Int", "    @Persisted var a_b_: Int",
                "    @Persisted var a_b: Int", "    @Persisted var _1__: Int",
                "        [\"a_b_\": \"a b\", \"_1__\": \"1\\\"\\u{A}\"]",
                "    // \"box\" is left out: it links to \"Box<Int>\".",
                "    @Persisted var `default`: `default`?", "    @Persisted var dog: `My Dog`?",
                "    static var indexes: [Index<`default`>] {",
                "            Index(unique: .ascending(\\.`class`), .descending(\\.a_b_)),",
                "class `My Dog`: Object {",
                "// The class \"Box<Int>\" is left out: its name is not a valid Swift class name.",
                "// The class \"Shelf\" is left out: no property can be declared in Swift.",
            ] {
                #expect(lines.contains(line), "\(line) is not in \(run.output)")
            }
            #expect(!lines.contains { $0.hasPrefix("class Shelf") || $0.contains("Box<Int>?") })
        }
    }

    @Test func namesOfClassesAreThoseOfSwiftOrNone() {
        let cases: [(stored: String, declared: String?)] = [
            ("Dog", "Dog"), ("class", "`class`"), ("Type", "`Type`"), ("__", "__"), ("_", nil),
            ("", nil), ("1st", nil), ("my-dog", nil), ("`my-dog`", "`my-dog`"),
            // Backticks that a name does not need are no part of it.
            ("`Dog`", nil), ("`+`", nil), ("` `", nil), ("`a`b`", nil), ("`a\nb`", nil),
            ("`a\\b`", nil), ("A: Object {}", nil), ("\u{1F415}", "\u{1F415}"),
            ("\u{301}e", nil),
        ]
        for (stored, declared) in cases {
            #expect(SwiftName.ofClass(stored) == declared, "\(stored)")
        }
    }
}
