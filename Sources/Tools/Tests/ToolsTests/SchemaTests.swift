import Foundation
import RealmActors
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A class with indexes of several kinds, and the place of its objects with another.
private final class Shop: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var about: String
    @Persisted var name: String
    @Persisted var spot: Spot?

    static var indexes: [Index<Shop>] { [Index(.ascending(\.name, collation: .people))] }
}

private final class Spot: EmbeddedObject, IndexedModel {
    @Persisted var latitude: Double
    @Persisted var longitude: Double

    static var indexes: [Index<Spot>] { [.places] }
}

/// What a diagram shows.
private final class Structure: NSObject, XMLParserDelegate {
    var texts: [String] = []
    var labels: [String] = []
    var arrows = 0
    private var text = ""
    private var isLabel = false

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        text = ""
        isLabel = attributes["class"] == "label"
        if attributes["marker-end"] != nil { arrows += 1 }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
        qualifiedName: String?
    ) {
        guard name == "text" else { return }
        if isLabel { labels.append(text) } else { texts.append(text) }
    }
}

/// How the classes of a store are shown.
@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
    @Test func indexesOfEveryKindAreNamed() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/shops"
            try await Realm.open(.init(path: path, objectTypes: [Shop.self, Spot.self])).close()
            let info = try await Tool.run("info", path, "--format", "json").json()
            let known = try #require((info as? [String: Any])?["classes"] as? [[String: Any]])
            let indexes = known.map { $0["indexes"] as? [String] ?? [] }
            #expect(indexes == [["words of about", "(name)"], ["places"]])
            let schema = try await Tool.run("schema", path, "--format", "json").json()
            let types = try #require((schema as? [String: Any])?["classes"] as? [[String: Any]])
            let properties = try #require(types[0]["properties"] as? [[String: Any]])
            let ofTexts = properties.filter { $0["isFullText"] as? Bool == true }
            #expect(ofTexts.map { $0["name"] as? String } == ["about"])
            let ofShops = try #require(types[0]["indexes"] as? [[String: Any]])
            #expect(ofShops.map { $0["collated"] as? [String] } == [["name"]])
            let ofSpots = try #require(types[1]["indexes"] as? [[String: Any]])
            #expect(ofSpots.map { $0["isOfPlaces"] as? Bool } == [true])
        }
    }

    @Test func schemaIsWrittenInEveryForm() async throws {
        try await Kennel.with { kennel in
            let text = try await Tool.run("schema", kennel.path)
            #expect(text.lines[0] == "schema version 3")
            #expect(text.output.contains("\tid: int, primary key"))
            #expect(text.output.contains("\tunique index: name, wealth descending"))
            let swift = try await Tool.run("schema", kennel.path, "--format", "swift").output
            for line in [
                "class Dog: Object {", "    @Persisted(primaryKey: true) var id: Int",
                "    @Persisted(indexed: true) var name: String",
                "    @Persisted var age: Int16?", "    @Persisted var owner: Person?",
                "    @Persisted var tags: List<String>", "    @Persisted var mood: AnyRealmValue",
                "    @Persisted var friends: MutableSet<Dog>", "class Chip: EmbeddedObject {",
                "final class Person: Object, IndexedModel {",
                "            Index(unique: .ascending(\\.name), .descending(\\.wealth)),",
            ] {
                #expect(swift.contains(line + "\n"), "\(line)")
            }
            let json = try await Tool.run("schema", kennel.path, "Person", "--format", "json")
            let schema = try #require(try json.json() as? [String: Any])
            let classes = try #require(schema["classes"] as? [[String: Any]])
            let indexes = classes[0]["indexes"] as? [[String: Any]]
            #expect(classes.count == 1 && indexes?.count == 1)
            #expect(indexes?[0]["descending"] as? [String] == ["wealth"])
            let diagram = try await Tool.run("schema", kennel.path, "--format", "mermaid").lines
            #expect(diagram[0] == "classDiagram")
            #expect(diagram.contains("    Dog --> \"0..1\" Person : owner"))
            #expect(diagram.contains("    Dog *-- \"0..1\" Chip : chip"))
            #expect(try await Tool.run("schema", kennel.path, "Cat").status == 2)
        }
    }

    @Test func schemaIsADiagramOfItsOwn() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run("schema", kennel.path, "--format", "svg")
            #expect(run.status == 0 && run.errors.isEmpty)
            let ends = Structure()
            let parser = XMLParser(data: Data(run.output.utf8))
            parser.delegate = ends
            #expect(parser.parse(), "\(String(describing: parser.parserError))")
            for text in [
                "Dog", "id: int, key", "age: int?", "friends: Set<Dog>", "Chip (embedded)",
            ] {
                #expect(ends.texts.contains(text), "\(text)")
            }
            // owner, friends, chip.
            #expect(ends.arrows == 3)
            #expect(ends.labels == ["owner", "friends *", "chip"])
            #expect(run.output.contains("prefers-color-scheme: dark"))
            #expect(!run.output.contains("href") && !run.output.contains("@import"))
            let again = try await Tool.run("schema", kennel.path, "--format", "svg")
            #expect(again.output == run.output)
            // A link to a class that is not shown has no arrow.
            let one = try await Tool.run("schema", kennel.path, "Chip", "--format", "svg")
            #expect(one.status == 0 && !one.output.contains("marker-end"))
        }
    }
}
