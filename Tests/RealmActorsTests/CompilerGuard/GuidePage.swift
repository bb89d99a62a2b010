import Foundation

/// A page of the documentation, as a program: its Swift examples one after the other.
///
/// A comment `<!-- swift: ... -->` adds lines that readers need not see, such as the declarations
/// that a fragment takes for granted; `<!-- not compiled -->` stands in front of an example that is
/// no program, such as a part of a manifest. Examples that would declare a name twice stand in
/// functions or `do` blocks.
struct GuidePage: Sendable {
    let name: String
    let code: String
    /// How many examples are compiled.
    let exampleCount: Int

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All pages with examples: those at the root of the package and in its documentation.
    static func all() throws -> [GuidePage] {
        try ["", "Documentation"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                atPath: root.appendingPathComponent(folder).path
            ).filter { $0.hasSuffix(".md") }.sorted().map { file in
                let name = folder.isEmpty ? file : "\(folder)/\(file)"
                let url = root.appendingPathComponent(name)
                return GuidePage(name: name, text: try String(contentsOf: url, encoding: .utf8))
            }
        }.filter { $0.exampleCount > 0 }
    }

    init(name: String, text: String) {
        self.name = name
        var code = ["import Foundation"]
        var isCode = false
        var exampleCount = 0
        var isHidden = false
        var isSkipped = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isCode = line == "```swift" && !isSkipped
                isSkipped = false
                if isCode { exampleCount += 1 }
            } else if line == "<!-- not compiled -->" {
                isSkipped = true
            } else if line.hasPrefix("<!-- swift:") {
                isHidden = !line.hasSuffix("-->")
                if !isHidden { code.append(String(line.dropFirst(11).dropLast(3))) }
            } else if isHidden, line == "-->" {
                isHidden = false
            } else if isCode || isHidden {
                code.append(line)
            }
        }
        self.exampleCount = exampleCount
        let importsModule = code.contains("import RealmActors")
        self.code = (importsModule ? code : ["import RealmActors"] + code).joined(separator: "\n")
    }
}
