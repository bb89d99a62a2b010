import Foundation
import RealmActors
import Testing

private final class Note: Object {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var text: String?
    @Persisted var any: AnyRealmValue
}

/// The commands that carry objects out of stores and into them.
@Suite(.timeLimit(.minutes(10))) struct MovingTests {
    @Test(arguments: ["jsonl", "json", "csv"])
    func whatIsExportedIsImportedAsItWas(_ format: String) async throws {
        try await Kennel.with { kennel in
            let folder = kennel.folder + "/out"
            let exported = try await Tool.run(
                "export", kennel.path, "--output", folder, "--format", format)
            #expect(exported.status == 0 && exported.errors.contains("3 objects of Dog"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            #expect(names == ["Dog.\(format)", "Person.\(format)"])
            let copy = try await kennel.makeEmpty("copy")
            for name in ["Person", "Dog"] {
                let imported = try await Tool.run(
                    "import", copy, "\(folder)/\(name).\(format)", "--strict")
                #expect(imported.status == 0, "\(imported.errors)")
            }
            #expect(
                try await kennel.contents(of: copy) == kennel.contents(of: kennel.path))
        }
    }

    @Test func aClassGoesThroughAPipe() async throws {
        try await Kennel.with { kennel in
            let exported = try await Tool.run(
                "export", kennel.path, "Dog", "--where", "age > 2", "--columns", "id,name")
            #expect(exported.output == "{\"id\":1,\"name\":\"Rex\"}\n{\"id\":3,\"name\":\"Tom\"}\n")
            let copy = try await kennel.makeEmpty("copy")
            let imported = try await Tool.run(
                "import", copy, "-", "--class", "Dog", input: exported.output)
            #expect(imported.status == 0 && imported.errors == "2 objects of Dog\n")
        }
    }

    @Test func anImportNamesTheLinesAtFaultAndGoesOnLater() async throws {
        try await Kennel.with { kennel in
            let copy = try await kennel.makeEmpty("copy")
            let file = kennel.folder + "/Dog.jsonl"
            let good = (1...5).map { "{\"id\": \($0), \"name\": \"dog \($0)\"}\n" }.joined()
            try Data((good + "\n{\"id\": 6, \"age\": 70000}\n").utf8)
                .write(to: URL(fileURLWithPath: file))
            let cut = try await Tool.run("import", copy, file, "--batch", "2")
            #expect(cut.status == 3 && cut.errors.contains("Lines 5...7"))
            #expect(cut.errors.contains("an Int16, from -32768 to 32767"))
            let count = try await Tool.run("query", copy, "Dog", "--count")
            #expect(count.output == "4\n")
            try Data((good + "{\"id\": 6, \"age\": 7}\n").utf8)
                .write(to: URL(fileURLWithPath: file))
            let refused = try await Tool.run("import", copy, file, "--update", "error")
            #expect(refused.status == 3 && refused.errors.contains("exists already"))
            let rest = try await Tool.run("import", copy, file)
            #expect(rest.status == 0 && rest.errors == "6 objects of Dog\n")
            #expect(try await Tool.run("query", copy, "Dog", "--count").output == "6\n")
        }
    }

    /// Somebody who looks at standard error sees a bar; a script sees none.
    @Test(arguments: ["jsonl", "csv"])
    func anImportShowsHowFarItIsAndHowQuickly(_ format: String) async throws {
        try await Kennel.with { kennel in
            let copy = try await kennel.makeEmpty("copy")
            let file = kennel.folder + "/Dog.\(format)"
            let lines =
                format == "csv"
                ? "id,name\n" + (1...40).map { "\($0),dog \($0 + 100)\n" }.joined()
                : (1...40).map { "{\"id\": \($0 + 100), \"name\": \"dog\"}\n" }.joined()
            try Data(lines.utf8).write(to: URL(fileURLWithPath: file))
            let terminal = try PseudoTerminal()
            let tool = try Tool(["import", copy, file, "--batch", "10"], terminal: terminal)
            try tool.start()
            let screen = try await terminal.all(of: tool)
            #expect(try await tool.finish().status == 0)
            let shown = screen.split(separator: "\r").filter { $0.contains("imported [") }
            #expect(shown.count == 4, "\(screen)")
            for (index, line) in shown.enumerated() {
                #expect(line.contains(" \((index + 1) * 10), "), "\(line)")
                #expect(line.contains(" per second"), "\(line)")
            }
            let percents = shown.compactMap { line in
                line.split(separator: "] ").last.flatMap { Int($0.prefix { $0.isNumber }) }
            }
            #expect(percents == percents.sorted() && percents.last == 100, "\(screen)")
            #expect(percents.count == 4 && (15..<35).contains(percents[0]), "\(screen)")
            #expect(shown.last?.contains("[##############################]") == true)
            #expect(screen.hasSuffix("40 objects of Dog\r\n"), "\(screen)")
            let piped = try await Tool.run("import", copy, file)
            #expect(piped.status == 0 && piped.errors == "40 objects of Dog\n")
        }
    }

    @Test func anExportShowsHowFarItIsAndHowQuickly() async throws {
        try await Kennel.with { kennel in
            let words = ["export", kennel.path, "--output", kennel.folder + "/out"]
            let terminal = try PseudoTerminal()
            let tool = try Tool(words, terminal: terminal)
            try tool.start()
            let screen = try await terminal.all(of: tool)
            #expect(try await tool.finish().status == 0)
            for (name, count) in [("Dog", 3), ("Person", 2)] {
                let bar = "\r\(name) [\(String(repeating: "#", count: 30))] 100 % \(count), "
                #expect(screen.contains(bar), "\(screen)")
                #expect(screen.contains(" per second \r\n\(count) objects of \(name)"), "\(screen)")
            }
        }
    }

    @Test func anErrorIsALineOfItsOwnBehindTheBar() async throws {
        try await Kennel.with { kennel in
            let copy = try await kennel.makeEmpty("copy")
            let file = kennel.folder + "/Dog.jsonl"
            let good = (1...5).map { "{\"id\": \($0)}\n" }.joined()
            try Data((good + "{\"id\": \"x\"}\n").utf8).write(to: URL(fileURLWithPath: file))
            let terminal = try PseudoTerminal()
            let tool = try Tool(["import", copy, file, "--batch", "5"], terminal: terminal)
            try tool.start()
            let screen = try await terminal.all(of: tool)
            #expect(try await tool.finish().status == 3)
            #expect(screen.contains("imported ["), "\(screen)")
            #expect(screen.contains("\r\nerror: "), "\(screen)")
        }
    }

    @Test func whatDoesNotFitIsRefused() async throws {
        try await Kennel.with { kennel in
            let cases = [
                ("{\"id\": 9, \"what\": 1}", "has no property 'what'"),
                ("{\"id\": 9, \"owner\": \"Zoe\"}", "no 'Person' with primary key Zoe"),
                ("{\"name\": \"x\"}", "lacks its primary key 'id'"), ("nonsense", "JSON"),
            ]
            for (line, message) in cases {
                let run = try await Tool.run(
                    "import", kennel.path, "-", "--class", "Dog", "--strict", "--existing-links",
                    input: line)
                #expect(run.status == 3 && run.errors.contains(message), "\(run.errors)")
            }
            let csv = try await Tool.run(
                "import", kennel.path, "-", "--class", "Dog", "--format", "csv",
                input: "id,age\n9,old\n")
            #expect(csv.status == 3 && csv.errors.contains("'old' is not a value of 'Dog.age'"))
            #expect(try await Tool.run("query", kennel.path, "Dog", "--count").output == "3\n")
        }
    }

    @Test func aRealmFileBecomesAStore() async throws {
        let files = Tool.repository
            .appendingPathComponent("Tests/StorageTests/RealmFiles/Files").path
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: files).sorted()
                .first { $0.hasSuffix(".realm") && !$0.contains("encrypted") })
        try await Kennel.with { kennel in
            let store = kennel.folder + "/imported"
            let imported = try await Tool.run("import", store, files + "/" + name)
            #expect(imported.status == 0, "\(imported.errors)")
            #expect(try await Tool.run("verify", store).status == 0)
            let none = try await Tool.run("import", store + "2", kennel.folder + "/none.realm")
            #expect(none.status == 3)
            // The case of its ending says nothing.
            let capital = kennel.folder + "/KENNEL.REALM"
            try FileManager.default.copyItem(atPath: files + "/" + name, toPath: capital)
            let other = try await Tool.run("import", store + "3", capital)
            #expect(other.status == 0, "\(other.errors)")
        }
    }

    /// The tool said that all was well.
    @Test func aSalvageThatLeavesOutObjectsSaysSo() async throws {
        let file = Tool.repository
            .appendingPathComponent("Tests/StorageTests/RealmFiles/Files/small.realm")
        var whole = try Data(contentsOf: file)
        // The second object gets the primary key of the first one; numbers take two bytes here.
        #expect(whole[546] == 1)
        whole[546] = 0
        let bytes = whole
        try await Kennel.with { kennel in
            let damaged = kennel.folder + "/damaged.realm"
            try bytes.write(to: URL(fileURLWithPath: damaged))
            let store = kennel.folder + "/imported"
            #expect(try await Tool.run("import", store, damaged).status == 3)
            let salvaged = try await Tool.run("import", store, damaged, "--salvage")
            #expect(salvaged.status == 5, "\(salvaged.errors)")
            #expect(salvaged.errors.contains("1 objects dropped with the key of another"))
            #expect(try await Tool.run("query", store, "Thing", "--count").output == "299\n")
        }
    }

    /// What looks like nothing, a number or another field is the text that it was.
    @Test func textsOfEveryKindAreImportedAsTheyWere() async throws {
        let folder = NSTemporaryDirectory() + "notes-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let texts: [String?] = [
            nil, "", "null", "\"", "a,\u{301}b", "\"\u{301}x", "a\nb", "5", "true", "{}", "inf",
        ]
        func make(_ path: String) async throws -> Realm {
            try await Realm.open(.init(path: path, objectTypes: [Note.self]))
        }
        let notes = try await make(folder + "/notes")
        try await notes.write { tx in
            for (number, text) in texts.enumerated() {
                let note = try tx.create(Note.self, value: ["id": "key \(number)"])
                note.text = text
                note.any = text.map { .string($0) } ?? .none
            }
            let unnamed = try tx.create(Note.self, value: ["id": "null"])
            unnamed.text = "named null"
        }
        try await notes.close()
        let exported = try await Tool.run("export", folder + "/notes", "Note", "--format", "csv")
        #expect(exported.status == 0, "\(exported.errors)")
        try Data(exported.output.utf8).write(to: URL(fileURLWithPath: folder + "/Note.csv"))
        try await make(folder + "/again").close()
        let imported = try await Tool.run("import", folder + "/again", folder + "/Note.csv")
        #expect(imported.status == 0, "\(imported.errors)")
        let again = try await make(folder + "/again")
        for (number, text) in texts.enumerated() {
            let note = try #require(
                again.snapshot().object(Note.self, forPrimaryKey: "key \(number)"))
            #expect(note.text == text && note.any == (text.map { .string($0) } ?? .none))
        }
        #expect(again.snapshot().object(Note.self, forPrimaryKey: "null") != nil)
        try await again.close()
        let set = try await Tool.run("set", folder + "/again", "Note", "null", "text=x", "--yes")
        #expect(set.status == 0, "\(set.errors)")
        let column = try await Tool.run(
            "query", folder + "/again", "Note", "id == 'null'", "--format", "csv", "--columns",
            "text")
        #expect(column.output == "text\nx\n")
    }

    @Test func aMistakeLeavesTheFileThatIsThere() async throws {
        try await Kennel.with { kennel in
            try await kennel.open().close()
            let path = kennel.folder + "/dogs.csv"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
            let refused = try await Tool.run(
                "export", kennel.path, "Dog", "-o", path, "--columns", "nmae")
            #expect(refused.status == 3)
            #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
        }
    }

    @Test func anExportTakesItsPlaceWhenItIsWhole() async throws {
        try await Kennel.with { kennel in
            try await kennel.open().close()
            let files = FileManager.default
            let folder = kennel.folder + "/exports"
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("old".utf8).write(to: URL(fileURLWithPath: folder + "/dogs.csv"))
            try files.createSymbolicLink(
                atPath: folder + "/latest.csv", withDestinationPath: folder + "/dogs.csv")
            let written = try await Tool.run(
                "export", kennel.path, "Dog", "-o", folder + "/latest.csv", "--format", "csv",
                "--columns", "id")
            #expect(written.status == 0, "\(written.errors)")
            #expect(files.contents(atPath: folder + "/dogs.csv") == Data("id\n1\n2\n3\n".utf8))
            let refused = try await Tool.run("export", kennel.path, "Dog", "-o", folder)
            #expect(refused.status == 7, "\(refused.errors)")
            let names = try files.contentsOfDirectory(atPath: folder)
            #expect(Set(names) == ["dogs.csv", "latest.csv"])
        }
    }

    @Test func anIncrementalBackupTakesWhatIsNew() async throws {
        try await Kennel.with { kennel in
            let backup = kennel.folder + "/backup"
            func run() async throws -> [String: Any] {
                let run = try await Tool.run(
                    "backup", kennel.path, backup, "--incremental", "--format", "json")
                #expect(run.status == 0, "\(run.errors)")
                return try #require(try run.json() as? [String: Any])
            }
            let service = try await kennel.open()
            let photo = Data(repeating: 7, count: 1 << 20)
            try await service.write { tx in
                tx.object(Dog.self, forPrimaryKey: 1)?.photo = photo
            }
            let first = try await run()
            #expect(first["isIncremental"] as? Bool == false)
            // While a program has the store open and writes.
            try await service.write { tx in
                try tx.create(Dog.self, value: ["id": 4, "name": "New"])
            }
            let second = try await run()
            #expect(second["isIncremental"] as? Bool == true)
            #expect((second["version"] as? NSNumber)?.uint64Value == service.latestVersion.rawValue)
            let idle = try await run()
            #expect(idle["bytesCopied"] as? Int == 0)
            try await service.close()
            #expect(try await Tool.run("verify", backup).status == 0)
            #expect(try await Tool.run("query", backup, "Dog", "--count").output == "4\n")
            let text = try await Tool.run("backup", kennel.path, backup, "--incremental")
            #expect(text.errors.contains("were there already"))
            // Another key, and another store, are not for this.
            let key = try await Tool.run(
                "backup", kennel.path, backup, "--incremental", "--decrypt")
            #expect(key.status == 64)
            let other = try await kennel.makeEmpty("other")
            let refused = try await Tool.run("backup", other, backup, "--incremental")
            #expect(refused.status == 3 && refused.errors.contains("another realm"))
            // Nor is one that was written to since.
            let changed = try await Tool.run("set", backup, "Dog", "1", "age=9", "--yes")
            #expect(changed.status == 0, "\(changed.errors)")
            let written = try await Tool.run("backup", kennel.path, backup, "--incremental")
            #expect(written.status == 3 && written.errors.contains("written to since"))
        }
    }

    @Test func aDamagedStoreIsSalvaged() async throws {
        try await Kennel.with { kennel in
            let whole = kennel.folder + "/whole"
            let all = try await Tool.run("salvage", kennel.path, whole)
            #expect(all.status == 0 && all.lines.contains("3 objects of Dog"))
            try kennel.damage()
            let part = kennel.folder + "/part"
            let rest = try await Tool.run("salvage", kennel.path, part)
            #expect(rest.status == 5 && rest.errors.contains("lost"))
            let json = try await Tool.run(
                "salvage", kennel.path, part + "-2", "--format", "json")
            let report = try #require(try json.json() as? [String: Any])
            #expect(json.status == 5 && report["isComplete"] as? Bool == false)
            #expect(try await Tool.run("verify", part).status == 0)
        }
    }
}
