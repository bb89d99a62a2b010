import Foundation
import RealmActors
import Testing

private final class Renamed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var first: String
    @Persisted var friend: Renamed?
    @Persisted var others: List<Renamed>
    override class func propertiesMapping() -> [String: String] {
        ["id": "_id", "first": "first_name", "friend": "friend_of", "others": "list"]
    }
}

private final class SwappedNames: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    override class func propertiesMapping() -> [String: String] { ["a": "b", "b": "a"] }
}

private final class WrongNames: Object {
    @Persisted var a: Int
    @Persisted var b: Int
    override class func propertiesMapping() -> [String: String] { ["a": "b", "c": "d"] }
}

/// `propertiesMapping`: Swift knows the public names, the store its columns.
@Suite struct RenamedColumnTests {
    @Test("M14: everything takes and gives public names")
    func everythingTakesAndTellsPublicNames() async throws {
        try await withFreshRealm([Renamed.self]) { realm in
            try await realm.write { tx in
                for (id, name) in [(1, "Ann"), (2, "Bob"), (3, "Cyn")] {
                    try tx.create(Renamed.self, value: ["id": id, "first": name] as [String: Any])
                }
                let ann = try #require(tx.object(Renamed.self, forPrimaryKey: 1))
                ann.friend = tx.object(Renamed.self, forPrimaryKey: 2)
                ann["first"] = "Amy"
                #expect(ann["first"] as? String == "Amy")
                #expect(throws: RealmError.self) { try ann.value(forName: "first_name") }
            }
            let all = realm.objects(Renamed.self)
            #expect(all.where { $0.first == "Amy" && $0.friend.first == "Bob" }.count == 1)
            #expect(all.sorted(by: \.first, ascending: false).map(\.id) == [3, 2, 1])
            #expect(
                try all.sorted(by: [SortDescriptor(keyPath: "first")]).map(\.id) == [1, 2, 3])
            #expect(throws: RealmError.self) {
                try all.sorted(by: [SortDescriptor(keyPath: "first_name")])
            }
            let ann = try #require(realm.object(Renamed.self, forPrimaryKey: 1))
            #expect(ann.description.contains("first = Amy"))
            let json = String(decoding: try JSONEncoder().encode(ann), as: UTF8.self)
            #expect(json.contains(#""first":"Amy""#) && !json.contains("first_name"))
            var changes = ann.changes(keyPaths: ["friend.first"]).makeAsyncIterator()
            try await realm.write { tx in
                tx.object(Renamed.self, forPrimaryKey: 2)?.first = "Ben"
            }
            guard case .change(_, let properties)? = try await changes.next() else {
                Issue.record("no change")
                return
            }
            #expect(properties.map(\.name) == ["friend"])
            #expect(realm.schema["Renamed"]?["first"]?.columnName == "first_name")
        }
    }

    @Test("M14: names may swap")
    func namesMaySwap() async throws {
        try await withFreshRealm([SwappedNames.self]) { realm in
            try await realm.write { tx in _ = try tx.create(SwappedNames.self, value: [1, 2]) }
            let object = try #require(realm.objects(SwappedNames.self).first)
            #expect(object.a == 1 && object.b == 2)
            #expect(realm.objects(SwappedNames.self).where { $0.a == 1 }.count == 1)
        }
    }

    @Test func mistakesAreReportedTogether() async throws {
        let problems = try await schemaProblems(of: [WrongNames.self])
        let text = problems.joined(separator: "\n")
        #expect(text.contains("'c', which is not persisted") && text.contains("column 'b'"))
    }
}
