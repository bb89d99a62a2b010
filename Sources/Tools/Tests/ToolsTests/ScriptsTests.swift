import Foundation
import RealmActors
import Testing

@testable import realmactors

/// What scripts read.
@Suite(.timeLimit(.minutes(10))) struct ScriptsTests {
    /// A number that is whole would be an integer for who reads it, and for an import.
    @Test func aRealThatIsWholeIsARealInEveryCommand() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            let start = "\(realm.latestVersion)"
            try await realm.write { tx in
                tx.object(Person.self, forPrimaryKey: "Ann")?.wealth = 2
                tx.object(Dog.self, forPrimaryKey: 1)?.mood = .float(3)
            }
            try await realm.close()
            let (path, json) = (kennel.path, ["--format", "json"])
            let object = try await Tool.run("get", path, "Person", "Ann", "--format", "json")
            #expect(object.output == "{\n  \"name\" : \"Ann\",\n  \"wealth\" : 2.0\n}\n")
            let cases: [(words: [String], texts: [String])] = [
                (["get", path, "Dog", "1"] + json, ["\"mood\" : 3.0"]),
                (["tail", path, "--since", start, "--count", "1"], ["\"wealth\":2.0"]),
                (
                    ["history", path, "--since", start, "--format", "jsonl"],
                    ["\"wealth\":2.0", "\"mood\":3.0"]
                ),
                (["history", path, "--since", start] + json, ["\"wealth\" : 2.0"]),
                (["diff", path, start] + json, ["\"wealth\" : 2.0", "\"mood\" : 3.0"]),
                (["diff", path, start], ["-> 2.0"]),
                (["query", path, "Person", "--max", "wealth"] + json, ["\"max wealth\":2.0"]),
                (["query", path, "Person", "name == 'Ann'"] + json, ["\"wealth\":2.0"]),
            ]
            for (words, texts) in cases {
                let tool = try Tool(words)
                try tool.start()
                let run = try await tool.finish()
                for text in texts {
                    #expect(run.output.contains(text), "\(words): \(run.output)\(run.errors)")
                }
            }
        }
    }

    @Test func aRealThatIsWholeIsARealOfWhatIsWatched() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let tool = try Tool(
                ["tail", kennel.path, "Person", "--paths", "wealth", "--count", "1"])
            defer { tool.end() }
            try tool.start()
            try await tool.errors(contain: "watching 2 objects")
            try await service.write { tx in
                tx.object(Person.self, forPrimaryKey: "Ann")?.wealth = 2
            }
            let run = try await tool.finish()
            #expect(
                run.lines == [
                    "{\"deleted\":[],\"inserted\":[],\"modified\":[{\"name\":\"Ann\","
                        + "\"wealth\":2.0}],\"version\":\(service.latestVersion)}"
                ])
            try await service.close()
        }
    }

    @Test func aValueOfJSONHasALineWhereItIsForPeople() {
        let cases = [
            ("[]", "[]"), ("2.0", "2.0"), ("{\"a\":{}}", "{\n  \"a\" : {}\n}"),
            ("[1,[2]]", "[\n  1,\n  [\n    2\n  ]\n]"),
            // What looks like more of it in a text is none.
            ("{\"a\":\"\\\"[,:\\\\\"}", "{\n  \"a\" : \"\\\"[,:\\\\\"\n}"),
        ]
        for (json, text) in cases { #expect(JSONText.pretty(json) == text) }
    }

    /// Runs a command that succeeds, and reads what it says of it.
    private func result(_ words: [String], input: String = "") async throws -> [String: Any] {
        let tool = try Tool(words, input: input)
        try tool.start()
        let run = try await tool.finish()
        #expect(run.status == 0, "\(words): \(run.errors)")
        return try #require(try run.json() as? [String: Any], "\(words): \(run.output)")
    }

    @Test func everyReportIsJSONWhereThatIsRequested() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            let newest = "\(realm.latestVersion)"
            try await realm.close()
            let (path, folder) = (kennel.path, kennel.folder)
            let lists = [
                ["query", path, "Dog"], ["query", path, "Dog", "id > 99"], ["history", path],
                ["diff", path, newest],
            ]
            for words in lists {
                let tool = try Tool(words + ["--format", "json"])
                try tool.start()
                let run = try await tool.finish()
                #expect(run.status == 0, "\(words): \(run.errors)")
                #expect(try run.json() is [Any], "\(words): \(run.output)")
            }
            let reports: [(words: [String], field: String)] = [
                (["info", path], "classes"), (["info", path, "--bytes"], "bytesInUse"),
                (["schema", path], "schemaVersion"), (["get", path, "Dog", "1"], "name"),
                (["query", path, "Dog", "--count"], "count"),
                (["query", path, "Dog", "id > 1", "--explain"], "explanation"),
                (["verify", path], "isIntact"), (["verify", path, "--read-only"], "isIntact"),
                (["backup", path, folder + "/copy"], "version"),
                (["backup", path, folder + "/files", "--incremental"], "bytesCopied"),
                (["salvage", path, folder + "/saved"], "isComplete"),
                (["compact", path], "bytesAfter"),
                (["benchmark", folder, "--seconds", "0.01"], "commitsPerSecond"),
            ]
            for (words, field) in reports {
                let report = try await result(words + ["--format", "json"])
                #expect(report[field] != nil, "\(words): \(report)")
            }
        }
    }

    @Test func aChangeSaysWhatWasDone() async throws {
        try await Kennel.with { kennel in
            let (path, json) = (kennel.path, ["--yes", "--format", "json"])
            let set = try await result(["set", path, "Dog", "1", "name=Max"] + json)
            #expect(set["class"] as? String == "Dog" && set["key"] as? Int == 1)
            #expect(set["isNew"] as? Bool == false)
            let made = try await result(["set", path, "Dog", "7", "age=8", "--create"] + json)
            #expect(made["key"] as? Int == 7 && made["isNew"] as? Bool == true)
            let found = try await result(["delete", path, "Dog", "--where", "age > 7"] + json)
            #expect(found["class"] as? String == "Dog" && found["deleted"] as? Int == 2)
            let one = try await result(["delete", path, "Dog", "2"] + json)
            #expect(one["deleted"] as? Int == 1)
            let imported = try await result(
                ["import", path, "-", "--class", "Dog", "--report", "json"],
                input: "{\"id\": 8}\n{\"id\": 9}\n")
            #expect(imported["objects"] as? [String: Int] == ["Dog": 2])
            #expect(imported["path"] as? String == path)
            let realm = try await kennel.open()
            let version = Int(realm.latestVersion.rawValue)
            try await realm.close()
            #expect(imported["version"] as? Int == version)
            #expect(one["version"] as? Int == version - 1)
            #expect(made["version"] as? Int == version - 3)
        }
    }

    @Test func aNewStoreSaysWhatItWasMadeOf() async throws {
        try await Kennel.with { kennel in
            try await kennel.open().close()
            let place = kennel.folder + "/restored"
            let words = ["restore", kennel.path, place, "--format", "json"]
            let restored = try await result(words)
            #expect((restored["path"] as? String)?.hasSuffix("/restored") == true)
            #expect(restored["isReplaced"] as? Bool == false)
            let replaced = try await result(words + ["--replace", "--yes"])
            #expect(replaced["isReplaced"] as? Bool == true)
            let info = try await result(["info", kennel.path, "--format", "json"])
            #expect(replaced["version"] as? Int == info["version"] as? Int)
            let file = Tool.repository
                .appendingPathComponent("Tests/StorageTests/RealmFiles/Files/small.realm").path
            let store = kennel.folder + "/imported"
            let imported = try await result(["import", store, file, "--report", "json"])
            #expect(imported["path"] as? String == store)
            #expect(imported["objects"] as? [String: Int] == ["Thing": 300])
            let differences = imported["differences"] as? [String: Int]
            let names = [
                "damages", "repairedTexts", "mergedElements", "droppedLinks", "droppedDuplicates",
                "droppedUnkeyed", "droppedOrphans",
            ]
            #expect(differences == Dictionary(uniqueKeysWithValues: names.map { ($0, 0) }))
        }
    }

    @Test func aNewKeySaysWhoseItIs() async throws {
        let (key, newKey) = (EncryptionKey.random(), EncryptionKey.random())
        try await Kennel.with(key: key) { kennel in
            let files = ["/key", "/new-key"].map { kennel.folder + $0 }
            for (file, key) in zip(files, [key, newKey]) {
                try Data(key.bytes).write(to: URL(fileURLWithPath: file))
            }
            let rekeyed = try await result([
                "rekey", kennel.path, "--key-file", files[0], "--new-key-file", files[1],
                "--format", "json",
            ])
            #expect(rekeyed["path"] as? String == kennel.path)
            #expect((rekeyed["version"] as? Int ?? 0) > 0)
        }
    }
}
