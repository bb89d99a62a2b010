import Foundation
import RealmActors
import Testing

@testable import realmactors

/// A column whose name has control sequences of a terminal.
private final class Odd: Object {
    @Persisted var text: String

    override class func propertiesMapping() -> [String: String] { ["text": "a\u{1B}[2J\u{9B}b"] }
}

/// A column whose name looks like two.
private final class Pair: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var both: Int

    override class func propertiesMapping() -> [String: String] { ["both": "a,b"] }
}

/// A column whose name has a space.
private final class Spaced: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String

    override class func propertiesMapping() -> [String: String] { ["text": "a b"] }
}

/// Arguments, names and outputs that are unusual or hostile.
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

    @Test func argumentsThatContradictEachOtherAreRefused() async throws {
        for words in [
            ["import", "kennel", "app.realm", "--class", "Dog"],
            ["import", "kennel", "app.realm", "--batch", "5"],
            ["import", "kennel", "Dog.csv", "--salvage"],
            ["import", "kennel", "Dog.csv", "--realm-key-file", "key"],
            ["query", "kennel", "Dog", "--rows=-1"], ["benchmark", ""],
            ["tail", "kennel", "Dog", "--paths", ""], ["tail", "kennel", "Dog", "--paths", "a,,b"],
        ] {
            let tool = try Tool(words)
            try tool.start()
            let run = try await tool.finish()
            #expect(run.status == 64, "\(words): \(run.errors)")
        }
    }

    /// As a script has it whose variable is not set.
    @Test func anEmptyPathIsNoStore() async throws {
        let run = try await Tool.run("info", "")
        #expect(run.status == 2 && run.errors.contains("is empty"), "\(run.errors)")
    }

    /// It was the working directory, or the root of the disk.
    @Test func anEmptyPathIsNoDestination() async throws {
        for words in [
            ["backup", "kennel", ""], ["backup", "kennel", "", "--incremental"],
            ["restore", "kennel", "", "--replace", "--yes"], ["export", "kennel", "--output", ""],
            ["export", "kennel", "Dog", "--output", ""],
        ] {
            let tool = try Tool(words)
            try tool.start()
            let run = try await tool.finish()
            #expect(run.status == 64 && run.errors.contains("is empty"), "\(words): \(run.errors)")
        }
    }

    @Test func aSpaceIsPartOfAPathThatIsWatched() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/spaced"
            let service = try await Realm.open(.init(path: path, objectTypes: [Spaced.self]))
            try await service.write { tx in _ = try tx.create(Spaced.self, value: ["id": 1]) }
            let tool = try Tool(["tail", path, "Spaced", "--paths", "id, a b", "--count", "1"])
            defer { tool.end() }
            try tool.start()
            try await tool.errors(contain: "watching 1 objects")
            try await service.write { tx in
                tx.object(Spaced.self, forPrimaryKey: 1)?.text = "x"
            }
            let run = try await tool.finish()
            #expect(run.output.contains("{\"a b\":\"x\",\"id\":1}"), "\(run.errors)")
            try await service.close()
        }
    }

    @Test func aPropertyWithACommaIsSet() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/pairs"
            try await Realm.open(.init(path: path, objectTypes: [Pair.self])).close()
            let set = try await Tool.run("set", path, "Pair", "1", "a,b=5", "--create", "--yes")
            #expect(set.status == 0, "\(set.errors)")
            let pairs = try await Tool.run("query", path, "Pair", "--format", "jsonl")
            #expect(pairs.output == "{\"a,b\":5,\"id\":1}\n")
        }
    }

    /// The store that it measures with would be left in the working directory.
    @Test func anInterruptedBenchmarkLeavesNothing() async throws {
        try await Kennel.with { kennel in
            let files = FileManager.default
            let tool = try Tool(["benchmark", kennel.folder, "--seconds", "600"])
            defer { tool.end() }
            try tool.start()
            func isMeasuring() throws -> Bool {
                try files.contentsOfDirectory(atPath: kennel.folder).contains { name in
                    name != "kennel" && StoreFiles("\(kennel.folder)/\(name)").logSegments > 0
                }
            }
            while try !isMeasuring() {
                try #require(tool.isRunning)
                try await Task.sleep(for: .milliseconds(5))
            }
            tool.interrupt()
            let run = try await tool.finish()
            #expect(run.status == 130 && run.output.isEmpty, "\(run.errors)")
            #expect(try files.contentsOfDirectory(atPath: kennel.folder) == ["kennel"])
        }
    }

    @Test func anInterruptedExportLeavesNoPartOfAFile() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            try await realm.write { tx in
                for number in 0..<20_000 {
                    try tx.create(Person.self, value: ["name": "person \(number)"])
                }
            }
            try await realm.close()
            let folder = kennel.folder + "/out"
            let tool = try Tool(["export", kennel.path, "--output", folder])
            defer { tool.end() }
            try tool.start()
            func names() -> [String] {
                (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            }
            while tool.isRunning, !names().contains(where: { $0.contains("Person") }) {
                try await Task.sleep(for: .milliseconds(1))
            }
            tool.end()
            let run = try await tool.finish()
            // It may have been done when the signal came.
            #expect(run.status == 143 || run.status == 0, "\(run.status): \(run.errors)")
            #expect(!names().contains { $0.hasSuffix(".part") }, "\(names())")
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
