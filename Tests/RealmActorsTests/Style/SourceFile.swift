import Foundation

/// A Swift file of this package, as the style rules see it.
struct SourceFile: Sendable {
    /// What a file is for; some rules depend on it.
    enum Kind: Sendable {
        case library, executable, test
    }

    /// A line, and the part of it that is code.
    struct Line: Sendable {
        var number: Int
        var text: String
        /// Without its comment; empty inside a literal of several lines.
        var code: String
        /// The text of its comment, if it has one.
        var comment: String
        /// The spaces in front.
        var indentation: Int
    }

    let path: String
    let kind: Kind
    let lines: [Line]

    init(path: String, kind: Kind, text: String) {
        self.path = path
        self.kind = kind
        var isInLiteral = false
        var lines: [Line] = []
        for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let text = String(text)
            let delimiters = text.components(separatedBy: #"""""#).count - 1
            let wasInLiteral = isInLiteral
            if delimiters % 2 == 1 { isInLiteral.toggle() }
            let (code, comment) = wasInLiteral ? ("", "") : Self.split(text)
            lines.append(
                Line(
                    number: index + 1, text: text, code: code, comment: comment,
                    indentation: text.prefix { $0 == " " }.count))
        }
        if lines.last?.text.isEmpty == true { lines.removeLast() }
        self.lines = lines
    }

    /// The code of a line and its comment. Two slashes inside a literal are no comment.
    private static func split(_ text: String) -> (code: String, comment: String) {
        var isInLiteral = false
        let bytes = text.utf8
        var previous = UInt8(ascii: " ")
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { isInLiteral.toggle() }
            if byte == UInt8(ascii: "/"), previous == byte, !isInLiteral {
                let start = bytes.index(before: index)
                return (String(text[..<start]), String(text[start...]))
            }
            previous = byte
        }
        return (text, "")
    }
}

/// The Swift files that the style rules cover.
enum SourceTree {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Read once: each rule looks at all of them.
    private static let all = Result {
        try ["Sources", "Tests", "Benchmarks", "Documentation"].flatMap(files(in:))
    }

    static func files() throws -> [SourceFile] { try all.get() }

    /// The text of a file of the repository.
    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private static func files(in folder: String) throws -> [SourceFile] {
        let base = root.appendingPathComponent(folder).path
        // What is built in a folder is hidden, and is many more files than there are sources.
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: base), includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles)
        return try (files?.allObjects ?? []).compactMap { ($0 as? URL)?.path }
            // In a catalog of documentation stand links to files of other folders.
            .filter { $0.hasSuffix(".swift") && !$0.contains(".docc/") }
            .map { String($0.dropFirst(base.count + 1)) }
            .sorted()
            .map { name in
                let path = "\(folder)/\(name)"
                let text = try String(contentsOfFile: "\(base)/\(name)", encoding: .utf8)
                return SourceFile(path: path, kind: kind(of: path), text: text)
            }
    }

    private static func kind(of path: String) -> SourceFile.Kind {
        if path.hasPrefix("Tests/") || path.hasPrefix("Sources/Tools/Tests/") { return .test }
        if path.hasPrefix("Sources/Tools/") { return .executable }
        let isLibrary =
            path.hasPrefix("Sources/") || path.hasPrefix("Documentation/QuickStart/Flights/")
        return isLibrary ? .library : .executable
    }
}
