import Foundation
import RealmActors
import Testing

@testable import realmactors

/// Paths of stores, and the contents of texts.
@Suite(.timeLimit(.minutes(10))) struct StoresTests {
    @Test func aFileIsNoStore() async throws {
        try await Kennel.with { kennel in
            let file = kennel.folder + "/app.realm"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: file))
            let commands = [
                ["info"], ["query", "Dog"], ["verify"], ["compact"], ["shell"], ["browse"],
                ["salvage", kennel.folder + "/new"], ["restore", kennel.folder + "/new"],
            ]
            for words in commands {
                let tool = try Tool([words[0], file] + words.dropFirst())
                try tool.start()
                let run = try await tool.finish()
                #expect(run.status == 5 && run.errors.contains("is a file"), "\(words)")
                #expect(run.output.isEmpty, "\(words)")
            }
            let none = try await Tool.run("info", kennel.folder + "/none")
            #expect(none.status == 2 && none.errors.contains("There is no store at"))
        }
    }

    /// Writing needs the shared log, which only the host's program has.
    @Test func theFolderOfAHostIsVerifiedWithoutBeingWritten() async throws {
        try await Kennel.with { kennel in
            let folder = try kennel.copied("host")
            // What a host notes there that has read nothing yet.
            var note: [UInt8] = [0x89, 0x52, 0x4C, 0x4D, 0x48, 0x53, 0x54, 0x0A]
            note += [UInt8](repeating: 0, count: 16)
            note += Array(1...16)
            note += [1]
            note += [UInt8](repeating: 0, count: 96 - note.count)
            note += [0x03, 0xDA, 0x4E, 0xDD, 0xD2, 0x1C, 0x47, 0xD1]
            try Data(note).write(to: URL(fileURLWithPath: folder + "/shared"))
            let verified = try await Tool.run("verify", folder)
            #expect(verified.status == 0 && verified.output.contains("not the log"), "\(verified)")
            let refused = try await Tool.run("set", folder, "Dog", "1", "age=4", "--yes")
            #expect(refused.status == 3 && refused.errors.contains("shared log"))
            let json = try await Tool.run("verify", folder, "--format", "json")
            #expect((try json.json() as? [String: Any])?["segments"] as? Int == 0)
        }
    }

    @Test func versionsToComeAreNotThere() async throws {
        try await Kennel.with { kennel in
            for words in [
                ["history", kennel.path, "--since", "99"], ["tail", kennel.path, "--since", "99"],
                ["diff", kennel.path, "99"],
            ] {
                let tool = try Tool(words)
                try tool.start()
                let run = try await tool.finish()
                #expect(run.status == 2 && run.errors.contains("The newest version is"), "\(words)")
            }
        }
    }

    @Test func aPropertyIsSetOnceAndColumnsHaveNames() async throws {
        try await Kennel.with { kennel in
            let twice = try await Tool.run(
                "set", kennel.path, "Dog", "1", "age=4", "age=5", "--yes")
            #expect(twice.status == 3 && twice.errors.contains("'age' is set twice"))
            for columns in ["", "id,", ","] {
                let run = try await Tool.run("query", kennel.path, "Dog", "--columns", columns)
                #expect(run.status == 3 && run.output.isEmpty, "\(columns)")
            }
        }
    }

    @Test func aKeyHasNothingButItsDigits() async throws {
        let digits = String(repeating: "ab", count: EncryptionKey.byteCount)
        for text in [digits + "!", "0x" + digits, String(digits.dropLast())] {
            let run = try await Tool.run(
                "info", "kennel", "--key-env", "KENNEL_KEY", environment: ["KENNEL_KEY": text])
            #expect(run.status == 4 && run.errors.contains("has no key"), "\(run.errors)")
            #expect(!run.errors.contains(digits.prefix(8)))
        }
    }

    /// Where both came from standard input, the key would take the first objects with it.
    @Test func standardInputHasTheKeyOrTheObjects() async throws {
        let run = try await Tool.run("import", "kennel", "-", "--class", "Dog", "--key-stdin")
        #expect(run.status == 64 && run.errors.contains("--key-file"))
    }

    @Test func filesOfOtherProgramsAreRead() async throws {
        try await Kennel.with { kennel in
            let mark = "\u{FEFF}"
            for (format, text) in [("csv", "id,name\n7,New\n"), ("jsonl", "{\"id\": 8}\n")] {
                let run = try await Tool.run(
                    "import", kennel.path, "-", "--class", "Dog", "--format", format, "--strict",
                    input: mark + text)
                #expect(run.status == 0 && run.errors == "1 objects of Dog\n", "\(run.errors)")
            }
            let open = try await Tool.run(
                "import", kennel.path, "-", "--class", "Dog", "--format", "csv",
                input: "id,name\n9,\"New\n10,Old\n")
            #expect(open.status == 3 && open.errors.contains("Line 2: a quotation mark"))
            #expect(try await Tool.run("query", kennel.path, "Dog", "--count").output == "5\n")
        }
    }

    /// Stored text must not control the terminal, wherever it is shown.
    @Test func controlCharactersAreNotWrittenAnywhere() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            let start = realm.latestVersion
            try await realm.write { tx in
                _ = try tx.create(Person.self, value: ["name": "a\u{1B}[2J\u{9B}b\u{0}c"])
            }
            try await realm.close()
            for words in [
                ["diff", kennel.path, "\(start)"], ["history", kennel.path, "--format", "jsonl"],
                ["query", kennel.path, "Person"], ["delete", kennel.path, "Person", "--all"],
                ["query", kennel.path, "Person", "--format", "json"],
            ] {
                let tool = try Tool(words)
                try tool.start()
                let run = try await tool.finish()
                let shown = (run.output + run.errors).unicodeScalars
                #expect(shown.contains { $0 == "a" }, "\(words)")
                let controls = shown.filter {
                    $0.properties.generalCategory == .control && $0 != "\n"
                }
                #expect(controls.isEmpty, "\(words)")
            }
            let json = try await Tool.run(
                "query", kennel.path, "Person", "name BEGINSWITH 'a'", "--format", "jsonl")
            let name = (try json.json() as? [String: Any])?["name"] as? String
            #expect(name == "a\u{1B}[2J\u{9B}b\u{0}c")
        }
    }

    /// The text of one before the first year was that of one in this era.
    @Test func aDateBeforeTheFirstYearIsANumber() {
        let before = Date(timeIntervalSinceReferenceDate: -90_000_000_000)
        #expect(DateText.text(before) == "-90000000000.0" && DateText.exact(before) == nil)
        #expect(DateText.text(.distantPast).hasSuffix("Z"))
    }

    /// A terminal gives some characters two columns, and some none.
    @Test func wideCharactersStayInTheirColumns() {
        let texts: [(text: String, columns: Int)] = [
            ("abc", 3), ("\u{4E2D}\u{6587}", 4), ("\u{AC00}", 2), ("\u{1F415}", 2),
            ("\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", 2), ("e\u{301}", 1), ("\u{200B}", 0),
            ("\u{2764}\u{FE0F}", 2), ("\u{FF21}", 2), ("\u{E9}", 1),
        ]
        for (text, columns) in texts { #expect(text.columns == columns, "\(text)") }
        #expect("\u{4E2D}\u{6587}a".prefix(columns: 3) == "\u{4E2D}")
        var table = TextTable(["name", "age"], isNumeric: [false, true])
        table.add(["\u{4E2D}\u{6587}\u{4E2D}", "7"])
        table.add(["Rex", "12"])
        let lines = table.lines(width: nil)
        #expect(lines[2] == "\u{4E2D}\u{6587}\u{4E2D}    7")
        #expect(lines[3] == "Rex      12")
        let narrow = table.lines(width: 10)
        #expect(narrow.dropFirst(2).allSatisfy { $0.columns <= 10 })
        #expect(narrow[2] == "\u{4E2D}...    7")
    }

    /// The key that it was started with opens the store no longer.
    @Test func aShellGoesOnWithTheNewKeyOfItsStore() async throws {
        let (key, newKey) = (EncryptionKey.random(), EncryptionKey.random())
        try await Kennel.with(key: key) { kennel in
            let files = ["/key", "/new-key"].map { kennel.folder + $0 }
            for (file, key) in zip(files, [key, newKey]) {
                try Data(key.bytes).write(to: URL(fileURLWithPath: file))
            }
            let saved = kennel.folder + "/saved"
            let run = try await Tool.run(
                "shell", kennel.path, "--write", "--key-file", files[0],
                input: "rekey --new-key-file \(files[1])\nsalvage \(saved)\n")
            let count = try await Tool.run(
                "query", saved, "Dog", "--count", "--key-file", files[1])
            #expect(count.output == "3\n", "\(run.errors)\(count.errors)")
        }
    }

    /// Some commands of a shell are about no store.
    @Test func aShellNamesTheStoreWhereThereIsOne() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run(
                "shell", kennel.path, input: "benchmark --seconds 0\nhelp get\n")
            #expect(run.status == 0 && run.errors.contains("--seconds is from"))
            #expect(run.errors.contains("Show one object, by its primary key."))
            let files = try FileManager.default.contentsOfDirectory(atPath: kennel.path)
            #expect(!files.contains { $0.hasPrefix("realmactors-benchmark") })
        }
    }
}
