import Foundation
import RealmActors
import Testing

/// Inverse links of an imported realm are those that Realm itself had.
@Suite struct RealmFileInverseTests {
    final class Target: Object {
        @Persisted(primaryKey: true) var _id: String
        @Persisted var n: Int
        @Persisted(originProperty: "link") var link: LinkingObjects<Source>
        @Persisted(originProperty: "links") var links: LinkingObjects<Source>
        @Persisted(originProperty: "linkSet") var linkSet: LinkingObjects<Source>
        @Persisted(originProperty: "linkMap") var linkMap: LinkingObjects<Source>
    }

    final class Source: Object {
        @Persisted var link: Target?
        @Persisted var links: List<Target>
        @Persisted var linkSet: MutableSet<Target>
        @Persisted var linkMap: Map<String, Target?>
        @Persisted var any: AnyRealmValue
        @Persisted var anys: List<AnyRealmValue>
    }

    /// What Realm read: the keys of those that link to an object.
    private struct Expected: Decodable {
        struct Table: Decodable {
            let `class`: String?
            let objects: [Object]
        }

        struct Object: Decodable {
            let key: String
            let backlinks: [String: [String]]?
        }

        let tables: [Table]

        init(_ name: String) throws {
            let url = RealmFileImportTests.files.appendingPathComponent(name + ".json")
            self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
        }

        func objects(of name: String) -> [Object] {
            tables.first { $0.class == name }?.objects ?? []
        }
    }

    /// An object of each key stands at its place among the others, in both.
    private static func keys<Origin: Object>(
        _ links: some Sequence<Frozen<Origin>>, _ keys: [ObjectReference<Origin>: String]
    ) throws -> [String] {
        try links.map { try #require(keys[$0.reference]) }
            .sorted { (Int($0) ?? 0) < (Int($1) ?? 0) }
    }

    @Test func ofLinksAndLists() async throws {
        let path = TestFolder.path("inverse")
        let configuration = Realm.Configuration(
            path: path, objectTypes: [RealmFileImportTests.Thing.self], schemaVersion: 4)
        try await Realm.importRealmFile(at: RealmFileImportTests.small, into: configuration)
        let realm = try await Realm.open(configuration)
        let things = realm.objects(RealmFileImportTests.Thing.self)
        let expected = try Expected("small").objects(of: "Thing")
        #expect(things.count == expected.count)
        let keys = Dictionary(
            uniqueKeysWithValues: zip(things, expected).map { ($0.reference, $1.key) })
        var count = 0
        for (thing, wanted) in zip(things, expected) {
            let all = try #require(wanted.backlinks)
            #expect(try Self.keys(thing.ofOther, keys) == all["Thing.other"])
            #expect(try Self.keys(thing.ofOthers, keys) == all["Thing.others"])
            count += all.values.reduce(0) { $0 + $1.count }
        }
        #expect(count == 323)
        try await realm.close()
    }

    @Test func ofSetsAndMaps() async throws {
        let path = TestFolder.path("inverse")
        let configuration = Realm.Configuration(
            path: path, objectTypes: [Target.self, Source.self], schemaVersion: 9)
        try await Realm.importRealmFile(
            at: RealmFileImportTests.files.appendingPathComponent("unusual.realm"),
            into: configuration)
        let realm = try await Realm.open(configuration)
        let expected = try Expected("unusual")
        let target = try #require(realm.objects(Target.self).first)
        let wanted = try #require(expected.objects(of: "Target").first?.backlinks)
        let keys = Dictionary(
            uniqueKeysWithValues: zip(realm.objects(Source.self), expected.objects(of: "Source"))
                .map { ($0.reference, $1.key) })
        #expect(try Self.keys(target.link, keys) == wanted["Source.link"])
        #expect(try Self.keys(target.links, keys) == wanted["Source.links"])
        #expect(try Self.keys(target.linkSet, keys) == wanted["Source.linkSet"])
        #expect(try Self.keys(target.linkMap, keys) == wanted["Source.linkMap"])
        try await realm.close()
    }
}
