import Foundation
import RealmActors
import Testing

private final class Panel: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var mood: Mood
    @Persisted var rank: Rank?
    @Persisted var heat: Celsius = Celsius(degrees: 20.5)
    @Persisted var page: URL?
    @Persisted var any: AnyRealmValue
    @Persisted var moods: List<Mood>
    @Persisted var next: Panel?
    @Persisted var others: List<Panel>
    @Persisted var part: PanelPart?
}

private final class PanelPart: EmbeddedObject {
    @Persisted var size: Int
}

private final class MoodNote: Object {
    @Persisted(primaryKey: true) var mood: Mood
    @Persisted var text: String
}

private final class RankNote: Object {
    @Persisted(primaryKey: true) var rank: Rank?
    @Persisted var text: String
}

private let models: [ObjectBase.Type] = [Panel.self, PanelPart.self]

/// Values that are read and set by name, where the type of the property is not known.
@Suite struct ByNameValueTests {
    /// They were the case of an enum, a value of the program's own type, and an `AnyRealmValue`, of
    /// which no value was not nil.
    @Test("L5: by name there is what is stored of a property")
    func whatIsReadByName() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let panel = Panel()
                for isAdded in [false, true] {
                    if isAdded { try tx.add(panel) }
                    #expect(panel["mood"] as? String == "calm" && panel["rank"] == nil)
                    #expect(panel["heat"] as? Double == 20.5 && panel["page"] == nil)
                    #expect(panel["any"] == nil && panel["moods"] is List<Mood>)
                    panel["mood"] = "playful"
                    panel["rank"] = Rank.high
                    panel["page"] = "https://example.org"
                    panel["any"] = 1.5
                    #expect(panel["mood"] as? String == "playful" && panel["rank"] as? Int == 7)
                    #expect(panel["page"] as? String == "https://example.org")
                    #expect(panel["any"] as? Double == 1.5 && panel.any == .double(1.5))
                    panel.any = [1, "two"]
                    let list = try panel.value(forKey: "any") as? List<AnyRealmValue>
                    #expect(list?.count == 2 && list?[1] == .string("two"))
                    // What was read can be set.
                    for name in ["mood", "rank", "heat", "page", "any", "moods"] {
                        try panel.setValue(panel.value(forKey: name), forKey: name)
                    }
                    #expect(panel.mood == .playful && panel.rank == .high)
                    #expect(panel.heat.degrees == 20.5 && panel.page?.host == "example.org")
                    #expect(panel.any == [1, "two"])
                    panel.mood = .calm
                    panel.rank = nil
                    panel.page = nil
                    panel.any = .none
                }
                panel.rank = .low
                panel.any = .object(panel)
                let panels = tx.objects(Panel.self)
                #expect(try panels.value(forKey: "rank").map { $0 as? Int } == [1])
                let linked = try panels.value(forKey: "any").map { $0 as? Panel }
                #expect(panel.isSameObject(as: linked[0]))
                let named = try #require(try tx.dynamicObjects("Panel").first)
                #expect(named["rank"] as? Int == 1 && named["mood"] as? String == "calm")
                #expect((named["any"] as? DynamicObject)?.isSameObject(as: panel) == true)
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// The process ended.
    @Test("L5: an unmanaged object that was given a value that does not fit is not added")
    func whatAnUnmanagedObjectDoesNotTake() async throws {
        try await withFreshRealm(models) { realm in
            for (name, value) in [("mood", "angry"), ("rank", "high"), ("id", "one")] {
                try await realm.write { tx in
                    let panel = Panel()
                    panel[name] = value
                    #expect(panel.mood == .calm && panel.rank == nil && panel.id == 0)
                    let values: [String: Any] = ["id": 1, "next": panel]
                    let owner = try Panel(value: values)
                    for object in [panel, owner] {
                        #expect(throws: RealmError.self) {
                            try tx.create(Panel.self, value: object)
                        }
                        do {
                            try tx.add(object)
                            Issue.record("It is added")
                        } catch {
                            #expect("\(error)".contains("'Panel.\(name)'"), "\(error)")
                        }
                    }
                    #expect(tx.objects(Panel.self).isEmpty)
                }
            }
            #expect(try await realm.verify().isIntact)
        }
    }

    /// They were refused, since the type of such a property is that of its column.
    @Test("L5: enums and custom types are set by name, where only the column is known")
    func enumsOfDynamicObjects() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let values: [String: Any] = ["id": 1, "moods": [Mood.playful], "heat": 1]
                let panel = try tx.dynamicCreate("Panel", value: values)
                panel["mood"] = Mood.playful
                panel["rank"] = Rank.high as Rank?
                panel["heat"] = Celsius(degrees: 3)
                #expect(panel["mood"] as? String == "playful" && panel["rank"] as? Int == 7)
                #expect(panel["heat"] as? Double == 3)
                #expect(throws: RealmError.self) { try panel.setValue(Rank.low, forName: "mood") }
            }
            let panel = try #require(realm.objects(Panel.self).first)
            #expect(Array(panel.moods) == [.playful] && panel.rank == .high)
            // A property whose type is known takes values of that type.
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in tx.resolve(panel)?["mood"] = Rank.low }
            }
        }
    }

    /// Failed the write, although `create` links to the rows of frozen objects.
    @Test("L5, V7: frozen objects that are set by name stand for their rows")
    func frozenObjects() async throws {
        try await withFreshRealm(models) { realm in
            let frozen = try await realm.write { tx in
                try tx.create(Panel.self, value: ["id": 1]).freeze()
            }
            try await realm.write { tx in
                let values: [String: Any] = ["id": 2, "part": ["size": 3]]
                let panel = try tx.create(Panel.self, value: values)
                panel["next"] = frozen
                try panel.setValue([frozen, frozen], forKey: "others")
                panel["any"] = ["first": frozen]
                #expect(panel.next?.id == 1 && panel.others.map(\.id) == [1, 1])
                #expect(panel.any.dictionaryValue?["first"]?.object(Panel.self)?.id == 1)
                // One that is embedded stays where it is.
                panel["part"] = panel.part
                #expect(panel.part?.size == 3)
            }
            #expect(realm.objects(Panel.self).count == 2)
            #expect(try await realm.verify().isIntact)
            // A deleted one is refused as before.
            try await realm.write { tx in try tx.delete(frozen) }
            await #expect(throws: RealmError.self) {
                try await realm.write { tx in
                    let panel = try #require(tx.object(Panel.self, forPrimaryKey: 2))
                    panel["next"] = frozen
                }
            }
        }
    }

    /// They were copied, which failed the write where the class has a primary key.
    @Test("L5, V7: dynamic objects that are set by name stand for their rows; embedded ones copied")
    func dynamicObjects() async throws {
        try await withFreshRealm(models) { realm in
            try await realm.write { tx in
                let values: [String: Any] = ["id": 1, "part": ["size": 3]]
                _ = try tx.create(Panel.self, value: values)
            }
            let frozen = try #require(try realm.dynamicObjects("Panel").first)
            try await realm.write { tx in
                let named = try #require(try tx.dynamicObject(ofType: "Panel", forPrimaryKey: 1))
                let panel = try tx.create(Panel.self, value: ["id": 2])
                let sources: [Any] = [named, frozen]
                for source in sources {
                    panel["next"] = nil
                    panel["next"] = source
                    try panel.setValue([source, source], forKey: "others")
                    panel["any"] = source
                    #expect(panel.next?.id == 1 && panel.others.map(\.id) == [1, 1])
                    #expect(panel.any.dynamicObject?["id"] as? Int == 1)
                }
                let part = try #require(named["part"] as? DynamicObject)
                panel["part"] = part
                let values: [String: Any] = ["id": 3, "part": part]
                let other = try tx.create(Panel.self, value: values)
                #expect(panel.part?.size == 3 && other.part?.size == 3)
                #expect(part["size"] as? Int == 3 && !part.isInvalidated)
            }
            #expect(realm.objects(Panel.self).count == 3)
            #expect(try await realm.verify().isIntact)
        }
    }

    /// Creating refused the case, which the look-up took.
    @Test("An enum is a primary key of a dynamic object, as its case and as its raw value")
    func enumsAsPrimaryKeys() async throws {
        try await withStorePath { path in
            let noteTypes: [ObjectBase.Type] = [MoodNote.self, RankNote.self]
            let made = try await Realm.open(.init(path: path, objectTypes: noteTypes))
            try await made.close()
            for types in [noteTypes, []] {
                let realm = try await Realm.open(
                    .init(path: path, objectTypes: types, writeTimeout: nil))
                try await realm.write { tx in
                    let moods: [Any] = [Mood.playful, "playful"]
                    for (number, mood) in moods.enumerated() {
                        let value: [String: Any] = ["mood": mood, "text": "\(number)"]
                        let note = try tx.dynamicCreate("MoodNote", value: value, update: .all)
                        #expect(note["mood"] as? String == "playful")
                    }
                    let ranks: [Any] = [Rank.high, Rank.high as Rank? as Any, 7]
                    for (number, rank) in ranks.enumerated() {
                        let value: [String: Any] = ["rank": rank, "text": "\(number)"]
                        try tx.dynamicCreate("RankNote", value: value, update: .modified)
                    }
                    let none: [String: Any] = ["rank": Rank?.none as Any, "text": "none"]
                    try tx.dynamicCreate("RankNote", value: none, update: .all)
                    #expect(throws: RealmError.self) {
                        try tx.dynamicCreate("MoodNote", value: ["mood": Mood.playful])
                    }
                    let mood = try tx.dynamicObject(ofType: "MoodNote", forPrimaryKey: Mood.playful)
                    #expect(mood?["text"] as? String == "1")
                    let rank = try tx.dynamicObject(ofType: "RankNote", forPrimaryKey: Rank.high)
                    #expect(rank?["text"] as? String == "2")
                }
                let found = try #require(
                    try realm.dynamicObject(ofType: "RankNote", forPrimaryKey: Rank?.none))
                #expect(try found["text"] == .string("none"))
                #expect(try realm.dynamicObjects("MoodNote").count == 1)
                #expect(try realm.dynamicObjects("RankNote").count == 2)
                try await realm.close()
            }
        }
    }
}
