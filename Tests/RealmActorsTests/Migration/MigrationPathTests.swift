import Foundation
import RealmActors
import Testing

/// A class with a key and without, and with another name for it.
private enum Coded {
    final class Item: Object {
        @Persisted(primaryKey: true) var code: Int
        @Persisted var size: Int
    }
}
private enum Uncoded {
    final class Item: Object {
        @Persisted var code: Int
        @Persisted var size: Int
    }
}
private enum Numbered {
    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var size: Int
    }
}
private enum Unnumbered {
    final class Item: Object {
        @Persisted var number: Int
        @Persisted var size: Int
    }
}
private enum Perhaps {
    final class Item: Object {
        @Persisted(primaryKey: true) var number: Int?
        @Persisted var size: Int
    }
}

private enum Titled {
    final class Draft: Object {
        @Persisted var title: String
    }
}
private enum Measured {
    final class Draft: Object {
        @Persisted var title: String
        @Persisted var length: Int
    }
}
private enum Halved {
    final class Draft: Object {
        @Persisted var title: String
        @Persisted var length: Double
    }
}

private enum Aliased {
    final class Draft: Object {
        @Persisted var body: String
        override class func propertiesMapping() -> [String: String] { ["body": "text"] }
    }
}
private enum Mapped {
    final class Draft: Object {
        @Persisted var body: String
        override class func propertiesMapping() -> [String: String] { ["body": "content"] }
    }
}
private enum Unmapped {
    final class Draft: Object {
        @Persisted var title: String
    }
}

private enum Linked {
    final class Team: Object {
        @Persisted var name: String
        @Persisted var players: Player?
    }
    final class Player: Object {
        @Persisted var name: String
        @Persisted var team: Team?
    }
}
private enum Inverse {
    final class Team: Object {
        @Persisted var name: String
        @Persisted(originProperty: "team") var players: LinkingObjects<Player>
    }
    final class Player: Object {
        @Persisted var name: String
        @Persisted var team: Team?
    }
}

private enum Identified {
    final class Employee: Object {
        @Persisted(primaryKey: true) var uid: String
        @Persisted var number: String?
        @Persisted var name: String
    }
}
private enum Renumbered {
    final class Employee: Object {
        @Persisted var uid: String
        @Persisted(primaryKey: true) var number: String
        @Persisted var name: String
    }
}

/// Migrations of several changes at once, of several versions at once, and of mapped names.
@Suite struct MigrationPathTests {
    @Test("G10, G11: a primary key keeps its values under another name", arguments: [false, true])
    func renamedKeys(isLate: Bool) async throws {
        let former: [ObjectBase.Type] = [Coded.Item.self, Uncoded.Item.self]
        let later: [ObjectBase.Type] = [
            Numbered.Item.self, Unnumbered.Item.self, Perhaps.Item.self,
        ]
        for (before, after) in former.flatMap({ before in later.map { (before, $0) } }) {
            try await withStorePath { path in
                var realm = try await Realm.open(.init(path: path, objectTypes: [before]))
                try await realm.write { tx in
                    for code in 0..<300 {
                        try tx.dynamicCreate("Item", value: ["code": code, "size": -code])
                    }
                }
                try await realm.close()
                realm = try await Realm.open(
                    .init(
                        path: path, objectTypes: [after], schemaVersion: 1,
                        migration: { migration, _ in
                            if isLate { try migration.enumerate("Item") { _, _ in } }
                            try migration.renameProperty(
                                onType: "Item", from: "code", to: "number")
                            try migration.create("Item", value: ["number": 300])
                        }))
                let numbers = try realm.dynamicObjects("Item").map { try $0["number"] }
                #expect(numbers == (0...300).map { .int($0) })
                let key = realm.schema["Item"]?.primaryKeyProperty?.name
                #expect((key == nil) == (after == Unnumbered.Item.self))
                if key != nil {
                    let found = try #require(
                        try realm.dynamicObject(ofType: "Item", forPrimaryKey: 299))
                    #expect(try found["size"] == .int(-299))
                }
                let report = try await realm.verify()
                #expect(report.isIntact, "\(report)")
                try await realm.close()
            }
        }
    }

    private static func configuration(_ path: String, version: UInt64) -> Realm.Configuration {
        let types: [ObjectBase.Type] = [
            Before.Draft.self, Titled.Draft.self, Measured.Draft.self, Halved.Draft.self,
        ]
        return .init(
            path: path, objectTypes: [types[Int(version)]], schemaVersion: version,
            migration: { migration, old in
                if old < 1 {
                    try migration.renameProperty(onType: "Draft", from: "text", to: "title")
                }
                guard version >= 2 else { return }
                try migration.enumerateObjects(ofType: "Draft") { _, new in
                    let count = (new?["title"] as? String ?? "").count
                    if version == 2 { new?["length"] = count }
                    if version == 3 { new?["length"] = Double(count) / 2 }
                }
            })
    }

    @Test("G1, G6: a store of any earlier version is migrated to the latest, at once or by turns")
    func anyVersion() async throws {
        for start in UInt64(0)..<3 {
            let name = start == 0 ? "text" : "title"
            for byTurns in [false, true] {
                try await withStorePath { path in
                    var realm = try await Realm.open(Self.configuration(path, version: start))
                    try await realm.write { tx in
                        for text in ["a", "abc", ""] {
                            try tx.dynamicCreate("Draft", value: [name: text])
                        }
                    }
                    try await realm.close()
                    for version in byTurns ? Array(start...3) : [3] {
                        realm = try await Realm.open(Self.configuration(path, version: version))
                        #expect(try Realm.schemaVersion(at: path) == version)
                        if version < 3 { try await realm.close() }
                    }
                    let drafts = realm.objects(Halved.Draft.self)
                    #expect(drafts.values(of: \.title) == ["a", "abc", ""])
                    #expect(drafts.values(of: \.length) == [0.5, 1.5, 0])
                    #expect(try await realm.verify().isIntact)
                    try await realm.close()
                }
            }
        }
    }

    @Test("G10: renames follow each other when objects are looked at in between")
    func renamesWithALookInBetween() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            let realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Titled.Draft.self], schemaVersion: 2,
                    migration: { migration, _ in
                        try migration.renameProperty(onType: "Draft", from: "text", to: "interim")
                        try migration.enumerateObjects(ofType: "Draft") { old, new in
                            #expect(old?["text"] as? String != nil)
                            #expect(throws: RealmError.self) {
                                try new?.value(forName: "interim")
                            }
                        }
                        try migration.renameProperty(onType: "Draft", from: "interim", to: "title")
                        try migration.enumerateObjects(ofType: "Draft") { old, new in
                            #expect(new?["title"] as? String == old?["text"] as? String)
                        }
                    }))
            #expect(realm.objects(Titled.Draft.self).values(of: \.title) == ["d0", "d1", "d2"])
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G7, G10, M14: old objects have the names of columns, new ones those of properties")
    func mappedNames() async throws {
        try await withStorePath { path in
            try await Before.fill(path)
            // Another name in Swift alone is no difference.
            var realm = try await Realm.open(.init(path: path, objectTypes: [Aliased.Draft.self]))
            #expect(realm.objects(Aliased.Draft.self).values(of: \.body) == ["d0", "d1", "d2"])
            try await realm.close()
            realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Mapped.Draft.self], schemaVersion: 1,
                    migration: { migration, _ in
                        try migration.renameProperty(onType: "Draft", from: "text", to: "body")
                        try migration.enumerateObjects(ofType: "Draft") { old, new in
                            let text = old?["text"] as? String ?? ""
                            #expect(new?["body"] as? String == text)
                            new?["body"] = text + "!"
                        }
                    }))
            #expect(realm.schema["Draft"]?["body"]?.columnName == "content")
            #expect(realm.objects(Mapped.Draft.self).values(of: \.body) == ["d0!", "d1!", "d2!"])
            try await realm.close()
            realm = try await Realm.open(
                .init(
                    path: path, objectTypes: [Unmapped.Draft.self], schemaVersion: 2,
                    migration: { migration, _ in
                        #expect(migration.oldSchema["Draft"]?["content"] != nil)
                        try migration.renameProperty(onType: "Draft", from: "content", to: "title")
                    }))
            let titles = realm.objects(Unmapped.Draft.self).values(of: \.title)
            #expect(titles == ["d0!", "d1!", "d2!"])
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G5, M9: an inverse takes the name of a property that was stored")
    func storedPropertyBecomesInverse() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Linked.Team.self, Linked.Player.self]))
            try await old.write { tx in
                let team = try tx.create(Linked.Team.self, value: ["name": "t"])
                for name in ["a", "b"] {
                    let player = try tx.create(Linked.Player.self, value: ["name": name])
                    player.team = team
                    team.players = player
                }
            }
            try await old.close()
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Inverse.Team.self, Inverse.Player.self])
            await #expect(
                throws: RealmError.schemaMismatch(
                    differences: ["Property 'Team.players' has been removed."])
            ) { try await Realm.open(configuration) }
            configuration.schemaVersion = 1
            let realm = try await Realm.open(configuration)
            let team = try #require(realm.objects(Inverse.Team.self).first)
            #expect(team.players.map(\.name) == ["a", "b"])
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }

    @Test("G11: an optional property becomes the primary key")
    func optionalPropertyBecomesTheKey() async throws {
        try await withStorePath { path in
            let old = try await Realm.open(
                .init(path: path, objectTypes: [Identified.Employee.self]))
            try await old.write { tx in
                for id in 0..<3 {
                    try tx.create(
                        Identified.Employee.self,
                        value: ["uid": "u\(id)", "number": "n\(id)", "name": "Employee \(id)"])
                }
            }
            try await old.close()
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Renumbered.Employee.self], schemaVersion: 1)
            // By itself the new key is empty in all of them.
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            guard case .duplicatePrimaryKeys("Employee", "number", _) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            configuration.migration = { migration, _ in
                try migration.enumerateObjects(ofType: "Employee") { old, new in
                    new?["number"] = old?["number"]
                }
            }
            let realm = try await Realm.open(configuration)
            let found = realm.object(Renumbered.Employee.self, forPrimaryKey: "n1")
            #expect(found?.uid == "u1" && found?.name == "Employee 1")
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }
}
