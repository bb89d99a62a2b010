import Foundation

/// A page of the documentation, as a program: its Swift examples one after the other.
///
/// A comment `<!-- swift: ... -->` adds lines that readers need not see; `<!-- not compiled -->`
/// stands in front of an example that is no program, such as a part of a manifest.
struct GuidePage: Sendable {
    let name: String
    let code: String

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The pages with examples.
    static func all() throws -> [GuidePage] {
        try ["README.md", "Documentation/GettingStarted.md", "Documentation/Isolation.md"].map {
            let url = root.appendingPathComponent($0)
            return GuidePage(name: $0, text: try String(contentsOf: url, encoding: .utf8))
        }
    }

    init(name: String, text: String) {
        self.name = name
        var code = ["import Foundation"]
        var isCode = false
        var isHidden = false
        var isSkipped = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                isCode = line == "```swift" && !isSkipped
                isSkipped = false
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
        let importsModule = code.contains("import RealmActors")
        self.code = (importsModule ? code : ["import RealmActors"] + code).joined(separator: "\n")
    }
}
