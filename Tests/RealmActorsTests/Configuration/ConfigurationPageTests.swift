import Foundation
import RealmActors
import Testing

/// `Documentation/Configuration.md` has every option of a configuration in one table.
@Suite struct ConfigurationPageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The properties that can be set and their types, as the source declares them.
    private static func properties() throws -> [String: String] {
        let source = try text("Sources/RealmActors/Maintenance/Configuration/Configuration.swift")
        let declaration = try #require(source.range(of: "public struct Configuration"))
        let end = try #require(source.range(of: "public init("))
        let pairs = source[declaration.upperBound..<end.lowerBound]
            .matches(of: /\n        public var (\w+): ([^\n={]+|\(@[^\n]+)/)
            .map { match in
                let type = match.2.split(separator: /\ (=|\{)/)[0]
                return (String(match.1), type.trimmingCharacters(in: .whitespaces))
            }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The rows of the page's table: the name of the option, and the cells behind it.
    private static func rows() throws -> [(name: String, cells: [String])] {
        try text("Documentation/Configuration.md").split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `") else { return nil }
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return (cells[0].trimmingCharacters(in: ["`"]), Array(cells.dropFirst()))
        }
    }

    @Test func everyOptionStandsOnThePageOnceWithItsType() throws {
        let properties = try Self.properties()
        #expect(properties.count > 20)
        let rows = try Self.rows()
        #expect(rows.map(\.name).sorted() == properties.keys.sorted())
        for row in rows {
            #expect(row.cells.count == 4, "\(row.name)")
            #expect(row.cells.allSatisfy { !$0.isEmpty }, "\(row.name)")
            let type = properties[row.name].map { "`\($0)`" }
            #expect(row.cells.first == type, "\(row.name)")
        }
    }

    @Test func everyDefaultIsTheOneOfAConfiguration() throws {
        let configuration = Realm.Configuration()
        let values = Mirror(reflecting: configuration).children.map { child in
            (child.label ?? "", "\(child.value)")
        }
        var defaults = Dictionary(uniqueKeysWithValues: values)
        // What a description does not write as a program does.
        #expect(configuration.writeTimeout == .seconds(30))
        defaults["writeTimeout"] = ".seconds(30)"
        #expect(configuration.filePermissions == 0o600)
        defaults["filePermissions"] = "0o600"
        #expect(configuration.activeVersionPolicy == .fail && configuration.durability == .fsync)
        defaults["activeVersionPolicy"] = ".fail"
        defaults["durability"] = ".fsync"
        #expect(configuration.readFailure == .report)
        defaults["readFailure"] = ".report"
        #expect(configuration.monitorLimits == .init())
        defaults["monitorLimits"] = ".init()"
        for row in try Self.rows() {
            let value = try #require(defaults[row.name], "\(row.name)")
            #expect(row.cells[1] == "`\(value)`", "\(row.name)")
        }
    }

    @Test func thePageIsFoundFromTheOthers() throws {
        #expect(try Self.text("README.md").contains("Documentation/Configuration.md"))
        #expect(try Self.text("Documentation/GettingStarted.md").contains("Configuration.md"))
    }
}
