import Foundation
import RealmActors
import Testing

/// A store before, and after one change of each kind.
private enum Kinds {
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String?
        @Persisted var link: One?
        @Persisted var links: List<One>
        @Persisted var tags: List<String>
        @Persisted var part: Part?
    }
    final class One: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var code: Int
    }
    final class Two: Object {
        @Persisted(primaryKey: true) var id: Int
    }
    final class Part: EmbeddedObject {
        @Persisted var size: Int
    }
    static let types: [ObjectBase.Type] = [Thing.self, One.self, Two.self, Part.self]
}
private enum Less {
    final class One: Object {
        @Persisted(primaryKey: true) var id: Int
    }
}
private enum Retyped {
    final class One: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var code: String
    }
}
private enum Loose {
    final class One: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var code: Int?
    }
}
private enum Keyless {
    final class One: Object {
        @Persisted var id: Int
        @Persisted var code: Int
    }
}
private enum Rekeyed {
    final class One: Object {
        @Persisted var id: Int
        @Persisted(primaryKey: true) var code: Int
    }
}
private enum Strict {
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String
        @Persisted var link: Kinds.One?
        @Persisted var links: List<Kinds.One>
        @Persisted var tags: List<String>
        @Persisted var part: Kinds.Part?
    }
}
private enum Linked {
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String?
        @Persisted var link: Kinds.Two?
        @Persisted var links: List<Kinds.One>
        @Persisted var tags: List<String>
        @Persisted var part: Kinds.Part?
    }
}
private enum Listed {
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String?
        @Persisted var link: Kinds.One?
        @Persisted var links: List<Kinds.Two>
        @Persisted var tags: List<String>
        @Persisted var part: Kinds.Part?
    }
}
private enum Gathered {
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String?
        @Persisted var link: Kinds.One?
        @Persisted var links: List<Kinds.One>
        @Persisted var tags: MutableSet<String>
        @Persisted var part: Kinds.Part?
    }
}
private enum Rooted {
    final class Part: Object {
        @Persisted var size: Int
    }
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String?
        @Persisted var link: Kinds.One?
        @Persisted var links: List<Kinds.One>
        @Persisted var tags: List<String>
        @Persisted var part: Part?
    }
}
private enum Embedded {
    final class One: EmbeddedObject {
        @Persisted var id: Int
        @Persisted var code: Int
    }
    final class Thing: Object {
        @Persisted var number: Int
        @Persisted var word: String?
        @Persisted var link: One?
        @Persisted var links: List<One>
        @Persisted var tags: List<String>
        @Persisted var part: Kinds.Part?
    }
}

/// What needs a higher schema version.
@Suite struct MigrationNeedTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let types: [ObjectBase.Type]
        let differences: [String]
        var testDescription: String { name }

        init(_ name: String, _ types: [ObjectBase.Type], _ differences: String...) {
            self.name = name
            self.types = types
            self.differences = differences
        }
    }

    static let changes = [
        Change("removed", [Less.One.self], "Property 'One.code' has been removed"),
        Change("type", [Retyped.One.self], "Property 'One.code' was int and is string"),
        Change("optional", [Loose.One.self], "Property 'One.code' was int and is optional int"),
        Change(
            "key removed", [Keyless.One.self],
            "The primary key of class 'One' was id and is none"),
        Change(
            "key changed", [Rekeyed.One.self],
            "The primary key of class 'One' was id and is code"),
        Change(
            "required", [Strict.Thing.self, Kinds.One.self, Kinds.Part.self],
            "Property 'Thing.word' was optional string and is string"),
        Change(
            "link", [Linked.Thing.self, Kinds.One.self, Kinds.Two.self, Kinds.Part.self],
            "Property 'Thing.link' was link to 'One' and is link to 'Two'"),
        Change(
            "list", [Listed.Thing.self, Kinds.One.self, Kinds.Two.self, Kinds.Part.self],
            "Property 'Thing.links' was list of link to 'One' and is list of link to 'Two'"),
        Change(
            "container", [Gathered.Thing.self, Kinds.One.self, Kinds.Part.self],
            "Property 'Thing.tags' was list of string and is set of string"),
        Change(
            "top-level", [Rooted.Thing.self, Rooted.Part.self, Kinds.One.self],
            "Class 'Part' was embedded"),
        Change(
            "embedded", [Embedded.Thing.self, Embedded.One.self, Kinds.Part.self],
            "Class 'One' was top-level", "The primary key of class 'One' was id and is none"),
    ]

    private static func fill(_ path: String) async throws {
        let realm = try await Realm.open(.init(path: path, objectTypes: Kinds.types))
        try await realm.write { tx in
            for id in 0..<300 {
                let one = try tx.create(Kinds.One.self, value: ["id": id, "code": id + 1000])
                try tx.create(
                    Kinds.Thing.self,
                    value: [
                        "number": id, "word": "w\(id)", "link": one, "links": [one, one],
                        "tags": ["a", "b", "a"], "part": ["size": id],
                    ])
            }
            try tx.create(Kinds.Two.self, value: ["id": 1])
        }
        try await realm.close()
    }

    @Test(
        "G5: each kind of change is refused without a higher version, and done with one",
        arguments: changes)
    func each(_ change: Change) async throws {
        try await withStorePath { path in
            try await Self.fill(path)
            let before = try FileBytes(of: path)
            var configuration = Realm.Configuration(path: path, objectTypes: change.types)
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            guard case .schemaMismatch(let found) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            // What was the primary key was indexed too.
            let differences = found.filter { !$0.contains("indexed") }
            #expect(differences.count == change.differences.count, "\(found)")
            for (text, wanted) in zip(differences, change.differences) {
                #expect(text.contains(wanted), "\(text)")
            }
            #expect(try FileBytes(of: path) == before)

            configuration.schemaVersion = 1
            let plan = try await Realm.migrationPlan(for: configuration)
            #expect(plan.outcome == .migrate && plan.differences == found)
            #expect(plan.storedVersion == 0 && plan.version == 1 && plan.clashes.isEmpty)
            #expect(try FileBytes(of: path) == before)
            let realm = try await Realm.open(configuration)
            let report = try await realm.verify()
            #expect(report.isIntact, "\(report)")
            let numbers = try realm.dynamicObjects("Thing").map { try $0["number"] }
            #expect(numbers == (0..<300).map { .int($0) })
            try await realm.close()
            // Nothing differs any more.
            #expect(try await Realm.migrationPlan(for: configuration).outcome == .open)
        }
    }
}
