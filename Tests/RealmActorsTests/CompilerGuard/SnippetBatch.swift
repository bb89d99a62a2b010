import Foundation

/// Snippets that must not compile, judged by few runs of the compiler: all of them as the files of
/// one module, first by the type checker, and those that pass it by the passes after it, as long as
/// that finds more. What is left is compiled alone: some errors name no file.
struct SnippetBatch: Sendable {
    private let files: [(file: String, snippet: Snippet)]

    init(_ snippets: [Snippet]) {
        files = snippets.enumerated().map { number, snippet in
            (String(format: "Rejected%03d", number), snippet)
        }
    }

    /// The complaints about snippets that compile, or are rejected for another reason.
    func accepted(by compiler: SwiftCompiler) async throws -> [String] {
        var complaints: [String] = []
        var rest = files
        var depth = SwiftCompiler.Depth.types
        while !rest.isEmpty {
            let diagnostics = try await diagnostics(of: rest, to: depth, by: compiler)
            let rejected = rest.filter { diagnostics[$0.file] != nil }
            complaints += rejected.compactMap { Self.complaint($0.snippet, diagnostics[$0.file]) }
            rest.removeAll { diagnostics[$0.file] != nil }
            if depth == .isolation, rejected.isEmpty { break }
            depth = .isolation
        }
        for (_, snippet) in rest {
            let outcome = try await compiler.compile(Snippet.prelude + snippet.code)
            let text = outcome.succeeded ? nil : outcome.diagnostics
            if let complaint = Self.complaint(snippet, text) { complaints.append(complaint) }
        }
        return complaints
    }

    /// What is wrong with the verdict about a snippet; nil when it is rejected as it must be.
    private static func complaint(_ snippet: Snippet, _ diagnostics: String?) -> String? {
        guard let diagnostics else { return "\(snippet.name): it compiles" }
        let rejection = snippet.rejection ?? ""
        if diagnostics.contains(rejection) { return nil }
        return "\(snippet.name): rejected, but not for \"\(rejection)\":\n\(diagnostics)"
    }

    /// What the compiler says about each file that it rejects.
    private func diagnostics(
        of files: [(file: String, snippet: Snippet)], to depth: SwiftCompiler.Depth,
        by compiler: SwiftCompiler
    ) async throws -> [String: String] {
        var sources = ["Prelude": Snippet.prelude]
        for (file, snippet) in files {
            sources[file] = Snippet.imports + snippet.code(suffix: "_\(file)")
        }
        let outcome = try await compiler.compile(sources, to: depth, ["-parse-as-library"])
        return Self.byFile(outcome.diagnostics)
    }

    /// The diagnostics of files that have an error: each error or warning, and the notes to it.
    private static func byFile(_ diagnostics: String) -> [String: String] {
        var texts: [String: String] = [:]
        var rejected: Set<String> = []
        var current = ""
        for line in diagnostics.split(separator: "\n", omittingEmptySubsequences: false) {
            if let kind = [": error: ", ": warning: "].first(where: line.contains),
                let end = line.range(of: ".swift:")
            {
                current = line[..<end.lowerBound].split(separator: "/").last.map(String.init) ?? ""
                if kind == ": error: " { rejected.insert(current) }
            }
            texts[current, default: ""] += line + "\n"
        }
        return texts.filter { rejected.contains($0.key) }
    }
}

extension Snippet {
    /// The code with names of its own, so that many snippets make one module.
    fileprivate func code(suffix: String) -> String {
        var code = code
        let declaration =
            /^(?:@\w+ |final |open |private )*(?:func|class|struct|enum|actor|let|var) (\w+)/
            .anchorsMatchLineEndings()
        for match in code.matches(of: declaration).map(\.1).map(String.init) {
            guard let word = try? Regex("\\b\(match)\\b") else { continue }
            // Simple boundaries: the default ones see one word in `Name.self`.
            code.replace(word.wordBoundaryKind(.simple), with: match + suffix)
        }
        return code
    }
}
