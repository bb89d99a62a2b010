import Foundation
import RealmActors
import Testing

private final class Mine: Object {
    @Persisted var mood: Mood
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
    @Persisted var map: Map<String, Int>
    @Persisted var id: ObjectId
    @Persisted var uuid: UUID
    @Persisted var data: Data
    var plain = 3
}

private final class Wrong: Object {
    @Persisted(originProperty: "name") var owners: LinkingObjects<Target>
    @Persisted(originProperty: "other") var others: LinkingObjects<Target>
    @Persisted(originProperty: "nothing") var nothing: LinkingObjects<Target>
}

private final class Target: Object {
    @Persisted var name: String
    @Persisted var other: Target?
}

private final class WithKey: EmbeddedObject {
    @Persisted(primaryKey: true) var id: Int
}

/// What declarations of properties mean.
@Suite struct DeclarationTests {
    @Test("M9: an inverse names a property that exists, is a link, and links back to its class")
    func inverses() async throws {
        let problems = try await schemaProblems(of: [Wrong.self, Target.self])
        #expect(problems.count == 3, "\(problems)")
        #expect(problems.filter { $0.contains("does not link to 'Wrong'") }.count == 2)
        #expect(problems.contains { $0.contains("'Target.nothing', which is not persisted") })
    }

    @Test("M15: an embedded class with a primary key")
    func embeddedKeys() async throws {
        await #expect(throws: RealmError.self) {
            try await freshRealm([WithKey.self, Target.self])
        }
    }

    @Test("P1, P2: strings, data, dates and numbers are required or optional, zero by default")
    func zeros() {
        let object = Everything()
        #expect(object.string == "" && object.data.isEmpty && object.double == 0 && !object.bool)
        #expect(object.date == Date(timeIntervalSince1970: 0) && object.int64 == 0)
        #expect(object.optionalString == nil && object.optionalData == nil)
        #expect(object.optionalDate == nil && object.optionalInt8 == nil)
    }

    @Test("P5: a to-one link is nil once its target is deleted")
    func links() async throws {
        try await withFreshRealm([Target.self]) { realm in
            try await realm.write { tx in
                let (first, second) = (try tx.create(Target.self), try tx.create(Target.self))
                first.other = second
                second.other = second
                try tx.delete(second)
                #expect(first.other == nil)
            }
        }
    }

    @Test("M13: defaults are made at need, per instance; collections stay the same")
    func persisted() async throws {
        let (a, b) = (Mine(), Mine())
        #expect(a.mood == .calm && a.plain == 3 && a.data.isEmpty)
        #expect(a.id == a.id && a.id != b.id && a.uuid == a.uuid && a.uuid != b.uuid)
        try await withFreshRealm([Mine.self]) { realm in
            try await realm.write { tx in
                let mine = Mine()
                let (list, set, map) = (mine.list, mine.set, mine.map)
                list.append(1)
                set.insert(2)
                map["three"] = 3
                let id = mine.id
                try tx.add(mine)
                list.append(10)
                set.insert(20)
                map["thirty"] = 30
                #expect(mine.id == id && Array(mine.list) == [1, 10] && mine.set.count == 2)
                #expect(mine.map["thirty"] == 30)
            }
            #expect(realm.schema["Mine"]?["plain"] == nil)
        }
    }

    @Test("D18: an unknown raw value reads as the default, nil in an optional, and is reported")
    func unknownRawValues() async throws {
        try await withFreshRealm([Everything.self, Address.self]) { realm in
            let value: [String: any Sendable] = [
                "key": 1, "mood": "angry", "rank": 3, "optionalMood": "sad", "moods": ["cross"],
            ]
            try await realm.write { tx in _ = try tx.dynamicCreate("Everything", value: value) }
            let object = try #require(realm.object(Everything.self, forPrimaryKey: 1))
            #expect(object.mood == .calm && object.rank == .high && object.optionalMood == nil)
            #expect(Array(object.moods) == [.calm])
            let problems = try await realm.verify().problems
            #expect(problems.count == 4, "\(problems)")
            #expect(problems.contains { $0.description.contains("'angry'") == false })
            #expect(problems.allSatisfy { $0.kind == .value && $0.className == "Everything" })
        }
    }

    @Test("M16: only these are visible; a link out of them is an error that says so")
    func subsets() async throws {
        let problems = try await schemaProblems(of: [Dog.self])
        #expect(problems.contains { $0.contains("'Person', which is not in objectTypes") })
        try await withFreshRealm([Target.self]) { realm in
            #expect(realm.schema.objectSchema.map(\.className) == ["Target"])
        }
    }
}
