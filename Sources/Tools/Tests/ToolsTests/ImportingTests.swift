import Foundation
import RealmActors
import Testing

private final class Badge: Object, IndexedModel {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: String

    static var indexes: [Index<Badge>] { [Index(unique: \.number)] }
}

/// Files that an import takes, and those that it refuses.
@Suite(.timeLimit(.minutes(10))) struct ImportingTests {
    /// The texts would be other ones in the store, and nothing would say so.
    @Test func aTableInAnotherEncodingIsRefused() async throws {
        try await Kennel.with { kennel in
            let file = kennel.folder + "/Person.csv"
            var latin = Data("name\nRen".utf8)
            latin.append(0xE9)
            try latin.write(to: URL(fileURLWithPath: file))
            let run = try await Tool.run("import", kennel.path, file)
            #expect(run.status == 3 && run.errors.contains("not in UTF-8"), "\(run.errors)")
            #expect(try await Tool.run("query", kennel.path, "Person", "--count").output == "2\n")
        }
    }

    /// What the first run has brought is found by its key, and nothing is there twice.
    @Test(arguments: ["jsonl", "csv"])
    func anImportThatWasKilledIsRunAgain(_ format: String) async throws {
        try await Kennel.with { kennel in
            let copy = try await kennel.makeEmpty("copy")
            let file = kennel.folder + "/Dog.\(format)"
            let lines = (1...20_000).map { id in
                format == "csv"
                    ? "\(id),dog \(id),\(id % 7)\n"
                    : "{\"id\": \(id), \"name\": \"dog \(id)\", \"age\": \(id % 7)}\n"
            }
            let head = format == "csv" ? "id,name,age\n" : ""
            try Data((head + lines.joined()).utf8).write(to: URL(fileURLWithPath: file))
            let tool = try Tool(["import", copy, file, "--batch", "50"])
            defer { tool.end() }
            try tool.start()
            func count() async throws -> Int {
                let run = try await Tool.run("query", copy, "Dog", "--count")
                return try #require(Int(run.output.dropLast()), "\(run.errors)")
            }
            while tool.isRunning, try await count() == 0 {}
            tool.kill()
            _ = try await tool.finish()
            // Whole batches, of which the last may have been the end.
            let before = try await count()
            #expect(before > 0 && before.isMultiple(of: 50))
            let rest = try await Tool.run("import", copy, file)
            #expect(rest.status == 0 && rest.errors == "20000 objects of Dog\n", "\(rest.errors)")
            #expect(try await count() == 20_000)
            let sum = try await Tool.run("query", copy, "Dog", "--sum", "age")
            #expect(sum.output == "\((1...20_000).reduce(0) { $0 + $1 % 7 })\n")
            #expect(try await Tool.run("verify", copy).status == 0)
        }
    }

    @Test func theCaseOfAnEndingDoesNotMatter() async throws {
        try await Kennel.with { kennel in
            let file = kennel.folder + "/Dog.CSV"
            try Data("id,name\n7,New\n".utf8).write(to: URL(fileURLWithPath: file))
            let run = try await Tool.run("import", kennel.path, file)
            #expect(run.status == 0 && run.errors == "1 objects of Dog\n", "\(run.errors)")
        }
    }

    @Test func aColumnThatIsThereTwiceIsRefused() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run(
                "import", kennel.path, "-", "--class", "Dog", "--format", "csv",
                input: "id,name,name\n7,Old,New\n")
            #expect(run.status == 3 && run.errors.contains("'name' twice"), "\(run.errors)")
        }
    }

    /// What stood behind the mark was taken for the next record.
    @Test func aTextEndsWithItsQuotationMark() async throws {
        try await Kennel.with { kennel in
            let cases = [
                ("name\n\"Cy\"Di\n", "Line 2: text follows the closing quote of a field"),
                ("\"name\nCy\n", "Line 1: a quotation mark is not closed"),
            ]
            for (input, message) in cases {
                let run = try await Tool.run(
                    "import", kennel.path, "-", "--class", "Person", "--format", "csv",
                    input: input)
                #expect(run.status == 3 && run.errors.contains(message), "\(run.errors)")
            }
            #expect(try await Tool.run("query", kennel.path, "Person", "--count").output == "2\n")
        }
    }

    @Test func aNumberThatJSONDoesNotHaveIsNoDate() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run(
                "import", kennel.path, "-", "--class", "Dog", "--format", "csv",
                input: "id,born\n7,0x10\n")
            let message = "'0x10' is not a value of 'Dog.born'"
            #expect(run.status == 3 && run.errors.contains(message), "\(run.errors)")
        }
    }

    /// Only the value was named, however many lines there were, and all of it, however long.
    @Test func aValueThatDoesNotFitIsNamedWithItsLine() async throws {
        try await Kennel.with { kennel in
            let long = String(repeating: "x", count: 100_000)
            let run = try await Tool.run(
                "import", kennel.path, "-", "--class", "Dog", "--format", "csv",
                input: "id,age\n7,1\n8,\(long)\n")
            #expect(run.status == 3 && run.errors.contains("Line 3: 'xxx"), "\(run.errors)")
            #expect(run.errors.contains("'Dog.age'") && run.errors.utf8.count < 500)
            #expect(try await Tool.run("query", kennel.path, "Dog", "--count").output == "3\n")
        }
    }

    /// What is refused at the end of a transaction was reported without its lines.
    @Test func aValueThatHasToBeUniqueIsNamedWithItsLines() async throws {
        try await Kennel.with { kennel in
            let path = kennel.folder + "/badges"
            try await Realm.open(.init(path: path, objectTypes: [Badge.self])).close()
            let run = try await Tool.run(
                "import", path, "-", "--class", "Badge", "--format", "csv", "--batch", "2",
                input: "id,number\n1,a\n2,b\n3,c\n4,a\n")
            #expect(run.status == 3 && run.errors.contains("Lines 4...5: "), "\(run.errors)")
            #expect(try await Tool.run("query", path, "Badge", "--count").output == "2\n")
        }
    }

    @Test func aFolderWithTheNameOfAFileIsNamed() async throws {
        try await Kennel.with { kennel in
            let folder = kennel.folder + "/out"
            for name in ["Dog.jsonl", "Person.csv"] {
                try? FileManager.default.removeItem(atPath: folder)
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + name, withIntermediateDirectories: true)
                let run = try await Tool.run("import", kennel.path, folder)
                #expect(run.status == 3, "\(run.errors)")
                #expect(run.errors.contains(name + "' cannot be read"), "\(run.errors)")
            }
        }
    }

    /// It was taken for an object in JSON, and refused.
    @Test func aKeyMayBeginAsAnObjectDoes() async throws {
        try await Kennel.with { kennel in
            let key = "{6B29FC40-CA47-1067-B31D-00DD010662DA}"
            let made = try await Tool.run(
                "set", kennel.path, "Person", key, "wealth=1", "--create", "--yes")
            #expect(made.status == 0, "\(made.errors)")
            let linked = try await Tool.run("set", kennel.path, "Dog", "2", "owner=\(key)", "--yes")
            #expect(linked.status == 0, "\(linked.errors)")
            let before = try await Tool.run("query", kennel.path, "Dog", "--format", "jsonl")
            #expect(before.output.contains("\"owner\":\"\(key)\""), "\(before.output)")
            let folder = kennel.folder + "/out"
            let exported = try await Tool.run(
                "export", kennel.path, "--format", "csv", "--output", folder)
            #expect(exported.status == 0, "\(exported.errors)")
            let copy = try await kennel.makeEmpty("copy")
            let imported = try await Tool.run("import", copy, folder)
            #expect(imported.status == 0, "\(imported.errors)")
            let after = try await Tool.run("query", copy, "Dog", "--format", "jsonl")
            #expect(after.output == before.output)
        }
    }
}
