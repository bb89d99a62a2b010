import Foundation
import RealmActors
import Testing

private final class Station: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var post: Post?
    @Persisted var posts: List<Post>
}

private final class Post: EmbeddedObject {
    @Persisted var street: String
    @Persisted var number: Int
    @Persisted var box: Box?
}

private final class Box: EmbeddedObject {
    @Persisted var label: String
    @Persisted var size: Int
}

/// Updates of objects whose classes the program does not declare.
@Suite struct UndeclaredUpdateTests {
    private static let types: [ObjectBase.Type] = [Station.self, Post.self, Box.self]

    /// The one that a property has was made anew, and had nothing but what was given; those in
    /// lists were not.
    @Test("V9, D26: an embedded object is updated in its place, also of a class without models")
    func embeddedObjectsAreUpdatedInPlace() async throws {
        try await withStorePath { path in
            let made = try await Realm.open(.init(path: path, objectTypes: Self.types))
            try await made.write { tx in
                let post: [String: Any] = [
                    "street": "Hill", "number": 3, "box": ["label": "l", "size": 7],
                ]
                let values: [String: Any] = ["id": 1, "post": post, "posts": [post]]
                _ = try tx.create(Station.self, value: values)
            }
            try await made.close()
            let realm = try await Realm.open(
                .init(path: path, writeTimeout: nil, usesStoredSchema: true))
            try await realm.write { tx in
                let found = try tx.dynamicObject(ofType: "Station", forPrimaryKey: 1)
                let station = try #require(found)
                let post = try #require(station["post"] as? DynamicObject)
                let box = try #require(post["box"] as? DynamicObject)
                let given: [String: Any] = ["number": 4, "box": ["label": "m"]]
                let values: [String: Any] = ["id": 1, "post": given, "posts": [given]]
                try tx.dynamicCreate("Station", value: values, update: .modified)
                #expect(!post.isInvalidated && !box.isInvalidated)
                for post in [post, try station.dynamicList("posts")[0]] {
                    #expect(post["street"] as? String == "Hill" && post["number"] as? Int == 4)
                    let box = try #require(post["box"] as? DynamicObject)
                    #expect(box["label"] as? String == "m" && box["size"] as? Int == 7)
                }
                // All that is given takes the place of what was there.
                let whole: [String: Any] = ["id": 1, "post": ["number": 5]]
                try tx.dynamicCreate("Station", value: whole, update: .all)
                #expect(post.isInvalidated && box.isInvalidated)
                let other = try #require(station["post"] as? DynamicObject)
                #expect(other["street"] as? String == "" && other["box"] == nil)
                let none: [String: Any] = ["id": 1, "post": NSNull()]
                try tx.dynamicCreate("Station", value: none, update: .modified)
                #expect(station["post"] == nil && other.isInvalidated)
            }
            #expect(try realm.dynamicObjects("Post").count == 1)
            #expect(try realm.dynamicObjects("Box").count == 1)
            #expect(try await realm.verify().isIntact)
            try await realm.close()
        }
    }
}
