import Foundation
import RealmActors
import Testing

@testable import realmactors

/// A column whose name tells a terminal what to do.
private final class Odd: Object {
    @Persisted var text: String

    override class func propertiesMapping() -> [String: String] { ["text": "a\u{1B}[2J\u{9B}b"] }
}

/// Arguments, names and outputs that nobody expects.
@Suite(.timeLimit(.minutes(10))) struct HostileTests {
    /// Runs the tool with redirections of a shell, and gives its status.
    private func status(_ words: [String], _ redirections: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \"$0\" \"$@\" \(redirections)", Tool.path] + words
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test func aPortThatThereIsNotIsRefused() async throws {
        for port in ["--port=65536", "--port=70000", "--port=-1"] {
            let run = try await Tool.run("browse", "kennel", port)
            #expect(run.status == 64 && run.errors.contains("65535"), "\(port): \(run.errors)")
        }
    }

    @Test func aBenchmarkThatNobodyCanBeToldOfLeavesNothing() async throws {
        try await Kennel.with { kennel in
            let words = ["benchmark", kennel.folder, "--seconds", "0.01"]
            #expect(try status(words, "> /dev/full 2> /dev/null") == 7)
            let names = try FileManager.default.contentsOfDirectory(atPath: kennel.folder)
            #expect(names == ["kennel"])
        }
    }

    @Test func aFolderThatCannotBeMadeIsAFailureOfTheDisk() async throws {
        try await Kennel.with { kennel in
            let file = kennel.folder + "/file"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
            let run = try await Tool.run("export", kennel.path, "--output", file)
            #expect(run.status == 7 && run.errors.contains("cannot be made"), "\(run.errors)")
        }
    }

    /// What is secret in the file that is there is secret in the new one.
    @Test func anExportIsForThoseWhoMayReadWhatItReplaces() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/dogs.jsonl"
            let files = FileManager.default
            #expect(
                files.createFile(
                    atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
            let run = try await Tool.run("export", kennel.path, "Dog", "-o", path)
            #expect(run.status == 0, "\(run.errors)")
            let attributes = try files.attributesOfItem(atPath: path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            #expect((attributes[.size] as? NSNumber)?.intValue ?? 0 > 0)
        }
    }

    /// The next file that is opened would be standard output, and get what is said.
    @Test func whatIsClosedIsNoFileOfTheStore() async throws {
        try await Kennel.with { kennel in
            #expect(try status(["info", kennel.path], ">&- 2>&-") == 7)
            let set = ["set", kennel.path, "Dog", "1", "name=Max", "--yes"]
            #expect(try status(set, "<&- >&- 2>&-") == 0)
            let verified = try await Tool.run("verify", kennel.path)
            #expect(verified.status == 0, "\(verified.output)")
        }
    }

    @Test func aTerminalWithoutColumnsIsEditedOn() async throws {
        try await Kennel.with { kennel in
            let terminal = try PseudoTerminal()
            let tool = try Tool(
                ["shell", kennel.path], environment: ["TERM": "xterm", "COLUMNS": "\(Int.min)"],
                terminal: terminal)
            defer { tool.end() }
            try tool.start()
            try await terminal.shows("realm> ", while: tool)
            try terminal.press("exit\r")
            _ = try await terminal.all(of: tool)
            #expect(try await tool.finish().status == 0)
        }
    }

    @Test func namesDoNotTellATerminalWhatToDo() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/odd"
            let realm = try await Realm.open(.init(path: path, objectTypes: [Odd.self]))
            let schema = realm.snapshot().storedSchema.schema
            try await realm.close()
            for form in ["text", "swift", "json", "mermaid", "svg"] {
                let run = try await Tool.run("schema", path, "--format", form)
                #expect(run.status == 0 && run.output.contains("Odd"), "\(form): \(run.errors)")
                let controls = run.output.unicodeScalars.filter {
                    $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
                }
                #expect(controls.isEmpty, "\(form)")
            }
            let completion = ShellCompletion(commands: [], schema: schema)
            #expect(completion.words(behind: "Odd ").isEmpty)
            #expect(completion.words(behind: "") == ["Odd"])
        }
    }

    @Test func aClassInQuotationMarksTakesAQuery() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run(
                "shell", kennel.path, input: "\"Dog\" age > 5\n'Dog' age > 5\n")
            #expect(run.output.components(separatedBy: "Tom").count == 3, "\(run.errors)")
        }
    }

    @Test func aLineMayBeLongerThanWhatIsReadAtATime() async throws {
        try await Kennel.with { kennel in
            let long = String(repeating: "b", count: 600_000)
            let lines = ["a", long, "", long + "c", "d"]
            let path = kennel.folder + "/lines"
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
            var reader = try LineReader(path: path)
            var found: [Int] = []
            while let line = try reader.next() { found.append(line.count) }
            #expect(found == [1, 600_000, 0, 600_001, 1])
        }
    }
}
