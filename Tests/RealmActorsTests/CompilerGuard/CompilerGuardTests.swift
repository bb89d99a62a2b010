import Foundation
import Testing

/// The compiler as guard: misuse of live objects, transactions and queries must not compile, and
/// what users write every day must, without a warning.
@Suite struct CompilerGuardTests {
    @Test func misuseDoesNotCompile() async throws {
        guard let compiler = compiler() else { return }
        let snippets = Snippet.rejectedSnippets
        #expect(snippets.count >= 30)
        #expect(Set(snippets.map(\.name)).count == snippets.count)
        try await eachWithTwoCompilers(snippets) { snippet in
            let outcome = try await compiler.compile(Snippet.prelude + snippet.code)
            let rejection = snippet.rejection ?? ""
            if outcome.succeeded {
                Issue.record("\(snippet.name): it compiles")
            } else if !outcome.diagnostics.contains(rejection) {
                Issue.record(
                    """
                    \(snippet.name): rejected, but not for "\(rejection)":
                    \(outcome.diagnostics)
                    """)
            }
        }
    }

    @Test func ordinaryUseCompilesWithoutAWarning() async throws {
        guard let compiler = compiler() else { return }
        let snippets = Snippet.acceptedSnippets
        #expect(Set(snippets.map(\.name)).count == snippets.count)
        // All in one file: each snippet declares names of its own.
        let all = snippets.map { "// \($0.name)\n\($0.code)" }.joined(separator: "\n\n")
        let outcome = try await compiler.compile(Snippet.prelude + all)
        #expect(outcome.succeeded && outcome.diagnostics.isEmpty, "\(outcome.diagnostics)")
    }

    /// A chain of conditions must not take the type checker a second.
    @Test func aLongQueryIsTypeCheckedQuickly() async throws {
        guard let compiler = compiler() else { return }
        let terms = (0..<15).map { "$0.age != \($0) && $0.name != \"n\($0)\"" }
        let code = """
            func longQuery(_ dogs: FrozenResults<Dog>) -> Int {
                dogs.where { \(terms.joined(separator: " && ")) }.count
            }
            """
        let outcome = try await compiler.compile(Snippet.prelude + code)
        #expect(outcome.succeeded, "\(outcome.diagnostics)")
    }

    /// What the guides show must compile as it stands there.
    @Test func theExamplesOfTheGuidesCompile() async throws {
        guard let compiler = compiler() else { return }
        for page in try GuidePage.all() {
            #expect(page.code.contains("realm.write"), "\(page.name): no example was found")
            let outcome = try await compiler.compile(page.code, as: .script)
            #expect(
                outcome.succeeded && outcome.diagnostics.isEmpty,
                "\(page.name): \(outcome.diagnostics)")
        }
    }

    private func compiler() -> SwiftCompiler? {
        do {
            return try SwiftCompiler()
        } catch {
            // Standard error, since this is for whoever reads the log.
            FileHandle.standardError.write(Data("compiler guard skipped: \(error)\n".utf8))
            return nil
        }
    }

    /// Two compilers at a time: more would only fight over the cores.
    private func eachWithTwoCompilers(
        _ snippets: [Snippet], _ body: @escaping @Sendable (Snippet) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, snippet) in snippets.enumerated() {
                if index >= 2 { try await group.next() }
                group.addTask { try await body(snippet) }
            }
            try await group.waitForAll()
        }
    }
}
