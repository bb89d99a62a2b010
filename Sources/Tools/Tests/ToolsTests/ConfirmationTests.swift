import Foundation
import RealmActors
import Testing

@testable import realmactors

/// Changes that are confirmed at a terminal.
@Suite(.timeLimit(.minutes(10))) struct ConfirmationTests {
    /// Runs a command that asks for confirmation, does something else before it, and confirms.
    private func answered(
        _ words: [String], meanwhile: () async throws -> Void
    ) async throws -> (status: Int32, screen: String) {
        let terminal = try PseudoTerminal()
        let tool = try Tool(words, terminal: terminal)
        defer { tool.end() }
        try tool.start()
        try await terminal.shows("[y/N] ", while: tool)
        try await meanwhile()
        try terminal.press("y\n")
        let screen = try await terminal.all(of: tool)
        return (try await tool.finish().status, screen)
    }

    /// The writer lease is where it was: a program that begins now can take it.
    @Test func othersCanWriteUntilTheAnswer() async throws {
        try await Kennel.with { kennel in
            let own = Int(ProcessInfo.processInfo.processIdentifier)
            for words in [
                ["set", kennel.path, "Dog", "1", "name=Max"], ["delete", kennel.path, "Dog", "2"],
                ["delete", kennel.path, "Person", "--all"],
            ] {
                try await kennel.open().close()
                #expect(StoreFiles(kennel.path).writer == own)
                let run = try await answered(words) {
                    #expect(StoreFiles(kennel.path).writer == own, "\(words)")
                }
                #expect(run.status == 0, "\(words): \(run.screen)")
            }
            let realm = try await kennel.open()
            #expect(realm.object(Dog.self, forPrimaryKey: 1)?.name == "Max")
            #expect(realm.objects(Dog.self).count == 2 && realm.objects(Person.self).isEmpty)
            try await realm.close()
        }
    }

    @Test func whatSomebodyElseHasChangedMeanwhileIsLeft() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let path = kennel.path
            let set = try await answered(["set", path, "Dog", "1", "name=Max"]) {
                try await service.write { tx in
                    tx.object(Dog.self, forPrimaryKey: 1)?.name = "Rexy"
                }
            }
            #expect(set.status == 10 && set.screen.contains("have changed since"))
            let other = try await answered(["set", path, "Dog", "3", "name=Max"]) {
                try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 3)?.age = 8 }
            }
            #expect(other.status == 0, "\(other.screen)")
            let one = try await answered(["delete", path, "Dog", "1"]) {
                try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.age = 4 }
            }
            #expect(one.status == 10, "\(one.screen)")
            let found = try await answered(["delete", path, "Dog", "--where", "age > 3"]) {
                try await service.write { tx in
                    _ = try tx.create(Dog.self, value: ["id": 7, "age": 7])
                }
            }
            #expect(found.status == 10, "\(found.screen)")
            try await service.close()
            let names = try await Tool.run(
                "query", path, "Dog", "id > 0 SORT(id ASC)", "--columns", "id,name", "--format",
                "csv")
            #expect(names.output == "id,name\n1,Rexy\n2,\"Kit, the\ncat\"\n3,Max\n7,\"\"\n")
        }
    }

    /// The store is opened twice, and standard input has the key once.
    @Test func theKeyIsReadOnce() async throws {
        let key = EncryptionKey.random()
        try await Kennel.with(key: key) { kennel in
            let digits = key.bytes.map { String(format: "%02x", $0) }.joined()
            let set = try await Tool.run(
                "set", kennel.path, "Dog", "1", "name=Max", "--yes", "--key-stdin",
                input: digits + "\n")
            #expect(set.status == 0, "\(set.errors)")
        }
    }

    @Test func aShellThatOnlyReadsDoesNotAsk() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run(
                "shell", kennel.path, input: "delete Dog --all\nset Dog 1 name=Max\n")
            #expect(run.errors.components(separatedBy: "only reads").count == 3)
            #expect(!run.errors.contains("Delete 3 objects"), "\(run.errors)")
        }
    }
}
