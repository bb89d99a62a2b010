import Foundation
import Testing

/// The compiler as guard: misuse of live objects, transactions and queries must not compile, and
/// what users write every day must, without a warning.
@Suite struct CompilerGuardTests {
    @Test func misuseDoesNotCompile() async throws {
        guard let compiler = compiler() else { return }
        let snippets = Snippet.rejectedSnippets
        #expect(snippets.count >= 60)
        #expect(Set(snippets.map(\.name)).count == snippets.count)
        // Two compilers at a time, since the tests are given two cores at least.
        let middle = snippets.count / 2
        async let first = SnippetBatch(Array(snippets[..<middle])).accepted(by: compiler)
        async let second = SnippetBatch(Array(snippets[middle...])).accepted(by: compiler)
        for complaint in try await first + second { Issue.record("\(complaint)") }
    }

    /// The batch itself must notice what compiles, and what is rejected for another reason.
    @Test func theGuardNoticesWhatCompiles() async throws {
        guard let compiler = compiler() else { return }
        let batch = SnippetBatch([
            .rejected("harmless", "data race", "func harmless(_ dog: Dog) -> Int { dog.age }"),
            .rejected("another reason", "data race", "func harmless() -> Int { 5 + nothing }"),
            .rejected("right", "cannot find 'nothing'", "func harmless() -> Int { nothing }"),
            .rejected(
                "isolation", "data race",
                "func harmless(_ dog: Dog) { Task.detached { dog.age += 1 } }"),
        ])
        let complaints = try await batch.accepted(by: compiler)
        #expect(complaints.count == 2, "\(complaints)")
        #expect(complaints.first?.hasPrefix("another reason: rejected, but not for") == true)
        #expect(complaints.last == "harmless: it compiles")
    }

    /// Models and projections need one word in a module that is isolated to the main actor.
    @Test func modelsCompileInAModuleThatIsIsolatedToTheMainActor() async throws {
        guard let compiler = compiler() else { return }
        let outcome = try await compiler.compile(
            Snippet.mainActorModule, as: .library, ["-default-isolation", "MainActor"])
        #expect(outcome.succeeded && outcome.diagnostics.isEmpty, "\(outcome.diagnostics)")
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
        let pages = try GuidePage.all()
        #expect(
            Set(pages.map(\.name)).isSuperset(of: [
                "README.md", "Documentation/GettingStarted.md", "Documentation/Isolation.md",
                "Documentation/Queries.md", "Documentation/Migration.md",
                "Documentation/Encryption.md", "Documentation/SeveralProcesses.md",
                "Documentation/Search.md",
            ]))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, page) in pages.enumerated() {
                // Two compilers at a time: more would only fight over the cores.
                if index >= 2 { try await group.next() }
                group.addTask {
                    let outcome = try await compiler.compile(page.code, as: .script)
                    #expect(
                        outcome.succeeded && outcome.diagnostics.isEmpty,
                        "\(page.name): \(outcome.diagnostics)")
                }
            }
            try await group.waitForAll()
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
}
