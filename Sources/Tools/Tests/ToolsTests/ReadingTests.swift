import Foundation
import RealmActors
import Testing

@testable import realmactors

/// The commands that look into a store.
@Suite(.timeLimit(.minutes(10))) struct ReadingTests {
    @Test func infoSaysWhatIsInAStore() async throws {
        try await Kennel.with { kennel in
            let text = try await Tool.run("info", kennel.path)
            #expect(text.status == 0 && text.errors.isEmpty)
            #expect(text.lines.contains { $0.hasPrefix("schema version  3") })
            #expect(text.lines.contains("format          1"))
            #expect(text.lines.contains { $0.hasPrefix("history         from version ") })
            #expect(text.lines.contains { $0.hasPrefix("Dog ") && $0.contains(" 3  id") })
            #expect(text.lines.contains { $0.hasPrefix("Chip (embedded)") })
            let json = try await Tool.run("info", kennel.path, "--format", "json").json()
            let info = try #require(json as? [String: Any])
            #expect(info["schemaVersion"] as? Int == 3 && info["isEncrypted"] as? Bool == false)
            let classes = try #require(info["classes"] as? [[String: Any]])
            #expect(classes.map { $0["name"] as? String } == ["Dog", "Person", "Chip"])
            #expect(classes.map { $0["objects"] as? Int } == [3, 2, 1])
            #expect(classes[0]["indexes"] as? [String] == ["name"])
        }
    }

    @Test func infoCountsBytesOfValuesAndKnowsTheLastCheckpoint() async throws {
        try await Kennel.with { kennel in
            // A key of three bytes and one of thirteen, and two numbers; then a text of two.
            let run = try await Tool.run("info", kennel.path, "--bytes", "--format", "json")
            let info = try #require(try run.json() as? [String: Any], "\(run.errors)")
            let classes = try #require(info["classes"] as? [[String: Any]])
            #expect(classes.map { $0["valueBytes"] as? Int }[1...] == [3 + 13 + 2 * 8, 2])
            let plain = try await Tool.run("info", kennel.path)
            #expect(!plain.output.contains("bytes  key"))
            let table = try await Tool.run("info", kennel.path, "--bytes")
            #expect(table.output.contains("bytes  key"))
            // Nothing is in the page files of a new store until it is compacted.
            let path = kennel.folder + "/new"
            let realm = try await Realm.open(Kennel.configuration(path))
            let before = try await Tool.run("info", path)
            #expect(before.lines.contains("checkpoint      none"), "\(before.output)")
            try await realm.compact()
            let after = try await Tool.run("info", path)
            let line = try #require(after.lines.first { $0.hasPrefix("checkpoint ") })
            #expect(line.contains(" s ago, "))
            let date = try #require(line.split(separator: " ").last)
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
            #expect(try Date(String(date), strategy: style) <= Date.now)
            try await realm.close()
        }
    }

    @Test func aVersionOfThePastIsReadByItsNumberAndByItsTime() async throws {
        try await Kennel.with { kennel in
            var configuration = Kennel.configuration(kennel.folder + "/kept")
            configuration.history = .keep(bytes: 1 << 20)
            let realm = try await Realm.open(configuration)
            var versions: [Realm.Version] = []
            for age in [1, 2, 3] {
                try await realm.write { tx in
                    try tx.create(Dog.self, value: ["id": 7, "age": age], update: .modified)
                    return
                }
                versions.append(realm.snapshot().version)
            }
            var times: [Date] = []
            for try await commit in realm.pastCommits() { times.append(commit.time) }
            let (path, second) = (realm.configuration.path ?? "", "\(versions[1].rawValue)")
            try await realm.close()
            let query = ["query", path, "Dog", "--columns", "age", "--format", "csv"]
            for asOf in [second, DateText.exact(times[1]) ?? ""] {
                let tool = try Tool(query + ["--as-of", asOf])
                try tool.start()
                let run = try await tool.finish()
                #expect(run.output == "age\n2\n", "\(asOf): \(run.errors)")
            }
            let object = try await Tool.run(
                "get", path, "Dog", "7", "--as-of", second, "--format", "json")
            #expect(object.output.contains("\"age\" : 2"), "\(object.output)\(object.errors)")
            let exported = try await Tool.run(
                "export", path, "Dog", "--columns", "age", "--as-of", second)
            #expect(exported.output == "{\"age\":2}\n", "\(exported.errors)")
            let later = try await Tool.run("get", path, "Dog", "7", "--as-of", "99")
            #expect(later.status == 2 && later.errors.contains("does not exist yet"), "\(later)")
            let nonsense = try await Tool.run("query", path, "Dog", "--as-of", "yesterday")
            #expect(nonsense.status == 3 && nonsense.errors.contains("neither"), "\(nonsense)")
        }
    }

    @Test func aQueryIsATableThatFitsTheTerminal() async throws {
        try await Kennel.with { kennel in
            let query = "age > 2 SORT(name DESC)"
            let found = try await Tool.run(
                "query", kennel.path, "Dog", query, "--columns", "name,age,born,owner",
                environment: ["COLUMNS": "40"])
            #expect(found.status == 0 && found.errors == "2 objects\n")
            #expect(found.lines.count == 4 && found.lines.allSatisfy { $0.count <= 40 })
            #expect(found.lines[0].hasPrefix("name  age"))
            #expect(found.lines[2].hasPrefix("Tom     9"))
            #expect(found.lines[3].hasPrefix("Rex     3") && found.lines[3].hasSuffix("Ann"))
            #expect(!found.output.contains("\u{1B}"))
            let few = try await Tool.run("query", kennel.path, "Dog", "--rows", "1")
            #expect(few.lines.count == 3 && few.errors.contains("the first 1 are shown"))
            // What would break the line does not.
            let odd = try await Tool.run("query", kennel.path, "Dog", "id == 2")
            #expect(odd.lines.count == 3 && odd.output.contains("Kit, the\\ncat"))
        }
    }

    @Test func aDateWithoutACalendarIsShown() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            try await realm.write { tx in
                tx.object(Dog.self, forPrimaryKey: 1)?.born =
                    Date(timeIntervalSinceReferenceDate: .infinity)
            }
            try await realm.close()
            let shown = try await Tool.run("get", kennel.path, "Dog", "1")
            #expect(shown.status == 0 && shown.output.contains("inf"), "\(shown.errors)")
        }
    }

    @Test func outputThatCannotBeWrittenIsAFailureOfTheDisk() async throws {
        try await Kennel.with { kennel in
            try await kennel.open().close()
            for arguments in [["info"], ["query", "Dog", "--format", "csv"]] {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/bin/sh")
                let words = [arguments[0], kennel.path] + arguments.dropFirst()
                process.arguments =
                    ["-c", "exec \"$0\" \"$@\" > /dev/full 2> /dev/null"]
                    + [Tool.path] + words
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 7, "\(arguments)")
            }
        }
    }

    @Test func aQueryIsJSONAndCSV() async throws {
        try await Kennel.with { kennel in
            let json = try await Tool.run(
                "query", kennel.path, "Dog", "id == 1", "--format", "json")
            let dogs = try #require(try json.json() as? [[String: Any]])
            #expect(dogs.count == 1 && dogs[0]["name"] as? String == "Rex")
            #expect(dogs[0]["owner"] as? String == "Ann")
            #expect(dogs[0]["born"] as? String == "2017-07-14T02:40:00.123Z")
            #expect(dogs[0]["tags"] as? [String] == ["good", "loud"])
            let none = try await Tool.run(
                "query", kennel.path, "Dog", "id == 99", "--format", "json")
            #expect(try none.json() as? [Int] == [])
            let lines = try await Tool.run("query", kennel.path, "Dog", "--format", "jsonl")
            #expect(lines.lines.count == 3)
            let csv = try await Tool.run(
                "query", kennel.path, "Dog", "--format", "csv", "--columns", "id,name,age")
            #expect(csv.output == "id,name,age\n1,Rex,3\n2,\"Kit, the\ncat\",\n3,Tom,9\n")
        }
    }

    @Test func aggregatesAndExplanations() async throws {
        try await Kennel.with { kennel in
            let count = try await Tool.run("query", kennel.path, "Dog", "age > 2", "--count")
            #expect(count.output == "2\n")
            let aggregates = try await Tool.run(
                "query", kennel.path, "Dog", "--sum", "age", "--max", "owner.wealth", "--average",
                "age", "--min", "born", "--format", "json")
            let values = try #require(try aggregates.json() as? [String: Any])
            #expect(values["sum age"] as? Int == 12 && values["average age"] as? Double == 6)
            #expect(values["max owner.wealth"] as? Double == 12.5)
            let wrong = try await Tool.run("query", kennel.path, "Dog", "--sum", "name")
            #expect(
                wrong.status == 3 && wrong.errors.contains("'name' of class 'Dog' is not a number"))
            let explained = try await Tool.run(
                "query", kennel.path, "Dog", "name == 'Rex'", "--explain")
            #expect(explained.output.contains("query: Dog WHERE name == 'Rex'"))
            let json = try await Tool.run(
                "query", kennel.path, "Dog", "name == 'Rex'", "--explain", "--format", "json")
            let explanation = (try json.json() as? [String: Any])?["explanation"] as? String
            #expect(explanation.map { $0 + "\n" } == explained.output, "\(json.output)")
        }
    }

    @Test func mistakesAreShownWithTheirPlaceAndACode() async throws {
        try await Kennel.with { kennel in
            let query = try await Tool.run("query", kennel.path, "Dog", "age >> 3")
            #expect(query.status == 3 && query.output.isEmpty && query.errors.contains("^"))
            let type = try await Tool.run("query", kennel.path, "Cat")
            #expect(type.status == 2 && type.errors.contains("It has: Chip, Dog, Person."))
            let store = try await Tool.run("query", kennel.folder + "/none", "Dog")
            #expect(store.status == 2)
            #expect(!FileManager.default.fileExists(atPath: kennel.folder + "/none"))
            let usage = try await Tool.run("query", kennel.path)
            #expect(usage.status == 64 && usage.errors.contains("Usage:"))
            let help = try await Tool.run("--help")
            #expect(help.status == 0 && help.output.contains("salvage"))
            for shell in ["zsh", "bash", "fish"] {
                let script = try await Tool.run("--generate-completion-script", shell)
                #expect(script.status == 0 && script.output.contains("realmactors"))
            }
        }
    }

    @Test func theGuideHasEveryCommandAndEveryExitCode() async throws {
        let guide = try String(
            contentsOf: Tool.repository.appendingPathComponent("Documentation/Tools.md"),
            encoding: .utf8)
        let help = try await Tool.run("--help").output
        let names = help.matches(of: #/\n  ([a-z]+)  /#).map { String($0.1) }
        #expect(names.count == 21)
        for name in names { #expect(guide.contains("\n| `\(name) "), "\(name)") }
        // The help is wrapped, and the table is not.
        let codes = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for row in guide.matches(of: #/\n\| ([0-9]+) \| (.*) \|/#) {
            #expect(codes.contains("\(row.1) \(row.2)"), "\(row.2)")
        }
    }

    @Test func coloursAreForTerminalsThatWantThem() async throws {
        try await Kennel.with { kennel in
            let colours = "\u{1B}["
            let plain = try await Tool.run("query", kennel.path, "Dog")
            #expect(!plain.output.contains(colours))
            for (environment, hasColours) in [
                (["NO_COLOR": "", "TERM": "xterm"], true), (["NO_COLOR": "1"], false),
                (["TERM": "dumb"], false),
            ] {
                let terminal = try PseudoTerminal()
                let tool = try Tool(
                    ["query", kennel.path, "Dog"], environment: environment, terminal: terminal,
                    showsOutput: true)
                try tool.start()
                let shown = try await terminal.all(of: tool)
                #expect(shown.contains("Rex"))
                #expect(shown.contains(colours) == hasColours, "\(environment)")
            }
        }
    }

    /// Stored text must not control the terminal.
    @Test func controlCharactersAreNotWrittenForPeople() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            try await realm.write { tx in
                tx.object(Dog.self, forPrimaryKey: 1)?.name = "a\u{1B}[2Jb\u{9B}c\nd"
            }
            try await realm.close()
            let shown = try await Tool.run("get", kennel.path, "Dog", "1")
            #expect(shown.lines.contains { $0.hasSuffix("  a?[2Jb?c\\nd") }, "\(shown.output)")
            let table = try await Tool.run("query", kennel.path, "Dog", "--columns", "name")
            #expect(table.output.contains("a?[2Jb?c\\nd"))
            let json = try await Tool.run("get", kennel.path, "Dog", "1", "--format", "json")
            let name = (try json.json() as? [String: Any])?["name"] as? String
            #expect(name == "a\u{1B}[2Jb\u{9B}c\nd")
        }
    }

    @Test func anObjectIsFoundByItsKey() async throws {
        try await Kennel.with { kennel in
            let text = try await Tool.run("get", kennel.path, "Dog", "1")
            #expect(text.status == 0 && text.lines.contains { $0.hasSuffix("  Rex") })
            let json = try await Tool.run(
                "get", kennel.path, "Person", "Bo, \"the\" 2nd", "--format", "json")
            #expect((try json.json() as? [String: Any])?["wealth"] as? Double == 0.1)
            #expect(try await Tool.run("get", kennel.path, "Dog", "99").status == 2)
            #expect(try await Tool.run("get", kennel.path, "Dog", "x").status == 3)
            #expect(try await Tool.run("get", kennel.path, "Chip", "x").status == 3)
        }
    }

    @Test func aStoreIsVerified() async throws {
        try await Kennel.with { kennel in
            let intact = try await Tool.run("verify", kennel.path)
            #expect(intact.status == 0 && intact.lines.last == "intact")
            let json = try await Tool.run("verify", kennel.path, "--format", "json").json()
            #expect((json as? [String: Any])?["isIntact"] as? Bool == true)
            let tree = try await Tool.run("verify", kennel.path, "--read-only")
            #expect(tree.status == 0 && tree.output.contains("not the log"))
            try kennel.damage()
            let damaged = try await Tool.run("verify", kennel.path)
            #expect(damaged.status == 5 && damaged.errors.contains("damaged"), "\(damaged)")
        }
    }

    /// As an operator looks into the store of a service.
    @Test func aStoreIsReadWhileAProgramHasItOpen() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.age = 4 }
            let found = try await Tool.run(
                "query", kennel.path, "Dog", "age == 4", "--format", "csv", "--columns", "name")
            #expect(found.output == "name\nRex\n")
            let info = try await Tool.run("info", kennel.path)
            let writer = "process \(ProcessInfo.processInfo.processIdentifier)"
            #expect(info.output.contains("last writer     \(writer)"))
            try await service.close()
        }
    }
}
