import Foundation
import RealmActors
import Testing

/// `Documentation/Errors.md` has every error: when it comes, what to do, and what to answer.
@Suite struct ErrorPageTests {
    private static var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The names of the cases, as the source declares them.
    private static func cases() throws -> [String] {
        let source = try text("Sources/RealmActors/Values/Errors/RealmError.swift")
        let declaration = try #require(source.range(of: "enum RealmError"))
        let end = try #require(
            source.range(of: "\n}", range: declaration.upperBound..<source.endIndex))
        return source[declaration.upperBound..<end.lowerBound]
            .matches(of: /\n    case (\w+)/).map { String($0.1) }
    }

    /// The rows of the page's table: the name of the case, and the cells behind it.
    private static func rows() throws -> [(name: String, cells: [String])] {
        try text("Documentation/Errors.md").split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| `.") else { return nil }
            let cells = line.split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let name = cells[0].dropFirst(2).prefix { $0.isLetter }
            return (String(name), Array(cells.dropFirst()))
        }
    }

    @Test func everyErrorStandsOnThePageOnce() throws {
        let cases = try Self.cases()
        #expect(cases.count > 35)
        #expect(try Self.rows().map(\.name).sorted() == cases.sorted())
    }

    @Test func everyRowSaysWhenWhatToDoAndWhatToAnswer() throws {
        for row in try Self.rows() {
            #expect(row.cells.count == 3, "\(row.name)")
            #expect(row.cells.allSatisfy { !$0.isEmpty }, "\(row.name)")
            let status = row.cells.last.flatMap { Int($0.prefix(3)) } ?? 0
            #expect((400...507).contains(status), "\(row.name)")
        }
    }

    @Test func thePageIsFoundFromTheOthers() throws {
        #expect(try Self.text("README.md").contains("Documentation/Errors.md"))
        for page in ["GettingStarted", "Isolation", "SeveralProcesses", "MigrationFromRealm"] {
            #expect(try Self.text("Documentation/\(page).md").contains("Errors.md"), "\(page)")
        }
    }

    /// Said "The operation couldn't be completed" to whoever asked for its localized description.
    @Test func errorsDescribeThemselvesToWhoeverAsks() {
        let errors: [any Error] = [
            RealmError.closed, RealmError.outOfSpace, RealmError.invalidValue("no number"),
        ]
        for error in errors {
            #expect(error.localizedDescription == "\(error)")
            #expect((error as? any LocalizedError)?.errorDescription == "\(error)")
        }
    }
}
