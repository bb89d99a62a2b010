import Foundation
import RealmActors
import Testing

/// The commands that change a store.
@Suite(.timeLimit(.minutes(10))) struct ChangingTests {
    @Test func nothingChangesWithoutAConfirmation() async throws {
        try await Kennel.with { kennel in
            let before = try await kennel.contents(of: kennel.path)
            let set = try await Tool.run("set", kennel.path, "Dog", "1", "name=Max")
            #expect(set.status == 8 && set.errors.contains("name      Rex  Max"))
            let delete = try await Tool.run("delete", kennel.path, "Dog", "--all")
            #expect(delete.status == 8 && delete.errors.contains("Delete 3 objects of Dog?"))
            #expect(try await kennel.contents(of: kennel.path) == before)
        }
    }

    @Test func propertiesAreSet() async throws {
        try await Kennel.with { kennel in
            let set = try await Tool.run(
                "set", kennel.path, "Dog", "1", "name=Max", "age=null", "owner=Bo, \"the\" 2nd",
                "tags=[\"old\"]", "born=2020-01-02T03:04:05Z", "mood=5", "weight=0.1", "--yes")
            #expect(set.status == 0, "\(set.errors)")
            let made = try await Tool.run(
                "set", kennel.path, "Dog", "7", "name=New", "--create", "--yes")
            #expect(made.status == 0, "\(made.errors)")
            let realm = try await kennel.open()
            let max = try #require(realm.object(Dog.self, forPrimaryKey: 1))
            #expect(max.name == "Max" && max.age == nil && Array(max.tags) == ["old"])
            #expect(max.owner?.name == "Bo, \"the\" 2nd" && max.mood == .int(5))
            #expect(max.born == Date(timeIntervalSince1970: 1_577_934_245))
            #expect(max.weight == Decimal128("0.1") && max.photo == Data([0, 1, 255]))
            #expect(realm.object(Dog.self, forPrimaryKey: 7)?.name == "New")
            try await realm.close()
        }
    }

    @Test func whatCannotBeSetIsRefused() async throws {
        try await Kennel.with { kennel in
            let before = try await kennel.contents(of: kennel.path)
            for (assignment, status) in [
                ("age=70000", 3), ("age=x", 3), ("what=1", 3), ("id=9", 3), ("name", 3),
                ("owner=Zoe", 3), ("tags=[1]", 3),
            ] {
                let run = try await Tool.run("set", kennel.path, "Dog", "1", assignment, "--yes")
                #expect(run.status == Int32(status), "\(assignment): \(run.errors)")
            }
            #expect(try await Tool.run("set", kennel.path, "Dog", "9", "age=1", "-y").status == 2)
            #expect(try await kennel.contents(of: kennel.path) == before)
        }
    }

    @Test func objectsAreDeleted() async throws {
        try await Kennel.with { kennel in
            let one = try await Tool.run("delete", kennel.path, "Dog", "1", "--yes")
            #expect(one.status == 0, "\(one.errors)")
            let found = try await Tool.run(
                "delete", kennel.path, "Dog", "--where", "age > 5", "--yes")
            #expect(found.errors.contains("1 objects deleted"))
            let left = try await Tool.run(
                "query", kennel.path, "Dog", "--format", "jsonl", "--columns", "id,friends")
            #expect(left.output == "{\"friends\":[],\"id\":2}\n")
            let all = try await Tool.run("delete", kennel.path, "Person", "--all", "--yes")
            #expect(all.errors.contains("2 objects deleted"))
            #expect(try await Tool.run("delete", kennel.path, "Dog", "--yes").status == 64)
            #expect(try await Tool.run("verify", kennel.path).status == 0)
        }
    }

    /// A program that has the store open gets to see what the tool writes.
    @Test func aStoreIsWrittenWhileAProgramHasItOpen() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let token = service.snapshot().changeToken
            let set = try await Tool.run("set", kennel.path, "Dog", "1", "age=5", "--yes")
            #expect(set.status == 0, "\(set.errors)")
            for try await commit in service.commits(since: token) {
                #expect(commit.author == "realmactors set")
                break
            }
            #expect(service.object(Dog.self, forPrimaryKey: 1)?.age == 5)
            try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.age = 6 }
            try await service.close()
        }
    }

    @Test func spaceIsGivenBack() async throws {
        try await Kennel.with { kennel in
            let compacted = try await Tool.run("compact", kennel.path)
            #expect(compacted.status == 0 && compacted.output.contains(" before, "))
            #expect(try await Tool.run("verify", kennel.path).status == 0)
        }
    }

    @Test func encryptedStoresTakeTheirKeyFromWhereItIsSafe() async throws {
        let key = EncryptionKey.random()
        try await Kennel.with(key: key) { kennel in
            let file = kennel.folder + "/key"
            try Data(key.bytes).write(to: URL(fileURLWithPath: file))
            let digits = key.bytes.map { String(format: "%02x", $0) }.joined()
            #expect(try await Tool.run("info", kennel.path).status == 4)
            #expect(try await Tool.run("info", kennel.path, "--key-file", "/none").status == 4)
            let count = ["query", kennel.path, "Dog", "--count"]
            for (options, input) in [
                (["--key-file", file], ""), (["--key-env", "KENNEL_KEY"], ""),
                (["--key-stdin"], digits + "\n"),
            ] {
                let tool = try Tool(
                    count + options, input: input, environment: ["KENNEL_KEY": digits])
                try tool.start()
                let run = try await tool.finish()
                #expect(run.status == 0 && run.output == "3\n", "\(run.errors)")
            }
            let copy = kennel.folder + "/copy"
            let made = try await Tool.run("backup", kennel.path, copy, "--key-file", file)
            #expect(made.status == 0)
            #expect(try await Tool.run("info", copy).status == 4)
            let plain = kennel.folder + "/plain"
            let open = try await Tool.run(
                "backup", kennel.path, plain, "--key-file", file, "--decrypt")
            #expect(open.status == 0)
            #expect(try await Tool.run("info", plain).status == 0)
            #expect(try await Tool.run("info", plain, "--key-file", file).status == 4)
            let other = kennel.folder + "/other"
            let newKey = EncryptionKey.random()
            try Data(newKey.bytes).write(to: URL(fileURLWithPath: other))
            let rekeyed = try await Tool.run(
                "rekey", kennel.path, "--key-file", file, "--new-key-file", other)
            #expect(rekeyed.status == 0, "\(rekeyed.errors)")
            #expect(try await Tool.run("info", kennel.path, "--key-file", file).status == 4)
            #expect(try await Tool.run("info", kennel.path, "--key-file", other).status == 0)
        }
    }
}
