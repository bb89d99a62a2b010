import Foundation
import RealmActors
import Testing

@testable import realmactors

/// The commands about past and new commits.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
    private func objects(_ line: String) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func changesAreShownAsTheyHappen() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let tool = try Tool(["tail", kennel.path, "Dog", "--count", "2"])
            defer { tool.end() }
            try tool.start()
            try await tool.errors(contain: "following")
            try await service.write(author: "service") { tx in
                let rex = tx.object(Dog.self, forPrimaryKey: 1)
                rex?.age = 4
                rex?.owner = nil
            }
            try await service.write { tx in
                try tx.create(Person.self, value: ["name": "Cy"])
                return
            }
            try await service.write { tx in
                try tx.create(
                    Dog.self,
                    value: ["id": 9, "owner": tx.object(Person.self, forPrimaryKey: "Cy") as Any])
                return
            }
            let run = try await tool.finish()
            #expect(run.status == 0 && run.lines.count == 2, "\(run.errors)")
            let first = try objects(run.lines[0])
            #expect(first["author"] as? String == "service")
            let change = try #require((first["changes"] as? [[String: Any]])?.first)
            #expect(change["class"] as? String == "Dog")
            let modified = try #require((change["modified"] as? [[String: Any]])?.first)
            #expect(modified["key"] as? Int == 1)
            #expect((modified["values"] as? [String: Any])?["age"] as? Int == 4)
            let second = try objects(run.lines[1])
            let inserted = try #require(
                ((second["changes"] as? [[String: Any]])?.first?["inserted"] as? [[String: Any]])?
                    .first)
            #expect((inserted["values"] as? [String: Any])?["owner"] as? String == "Cy")
            // The token of a line leads to the next.
            let token = try #require(first["token"] as? String)
            let again = try await Tool.run(
                "tail", kennel.path, "Dog", "--since", token, "--count", "1")
            #expect(again.lines == [run.lines[1]])
            try await service.close()
        }
    }

    @Test func pathsAreWatchedThroughLinks() async throws {
        try await Kennel.with { kennel in
            let service = try await kennel.open()
            let tool = try Tool(
                ["tail", kennel.path, "Dog", "--paths", "owner.wealth, age", "--count", "1"])
            defer { tool.end() }
            try tool.start()
            try await tool.errors(contain: "watching 3 objects")
            try await service.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.name = "Max" }
            try await service.write { tx in
                tx.object(Person.self, forPrimaryKey: "Ann")?.wealth = 1
            }
            let run = try await tool.finish()
            #expect(run.status == 0 && run.lines.count == 1, "\(run.errors)")
            let modified = try #require(try objects(run.lines[0])["modified"] as? [[String: Any]])
            #expect(modified.map { $0["id"] as? Int } == [1])
            #expect(modified[0]["name"] as? String == "Max")
            try await service.close()
            let wrong = try await Tool.run("tail", kennel.path, "Dog", "--paths", "owner.x")
            #expect(wrong.status == 3)
        }
    }

    @Test func commitsAreListed() async throws {
        try await Kennel.with { kennel in
            let table = try await Tool.run("history", kennel.path)
            #expect(table.status == 0, "\(table.errors)")
            #expect(table.lines.contains { $0.contains("first") && $0.contains("Person +2") })
            #expect(table.lines.contains { $0.contains("second") && $0.hasSuffix("Dog +2") })
            let lines = try await Tool.run(
                "history", kennel.path, "--format", "jsonl", "--class", "Person")
            #expect(lines.lines.count == 1)
            let json = try await Tool.run(
                "history", kennel.path, "--format", "json", "--class", "Person")
            #expect((try json.json() as? [Any])?.count == 1)
            let version = try #require(try objects(lines.lines[0])["version"] as? Int)
            let later = try await Tool.run("history", kennel.path, "--since", "\(version)")
            #expect(later.lines.count == 3 && later.output.contains("second"))
        }
    }

    @Test func versionsAreCompared() async throws {
        try await Kennel.with { kennel in
            let realm = try await kennel.open()
            let start = realm.latestVersion
            // Somebody who follows has old values written.
            let follower = Task { for try await _ in realm.commits() {} }
            try await realm.write { tx in tx.object(Dog.self, forPrimaryKey: 1)?.age = 4 }
            try await realm.write { tx in
                tx.object(Dog.self, forPrimaryKey: 1)?.age = 5
                try tx.create(Dog.self, value: ["id": 8])
                try tx.create(Dog.self, value: ["id": 9])
            }
            try await realm.write { tx in
                try tx.delete(tx.objects(Dog.self).where { $0.id == 3 || $0.id == 8 })
            }
            let end = realm.latestVersion
            follower.cancel()
            try await realm.close()
            let text = try await Tool.run("diff", kennel.path, "\(start)", "\(end)")
            #expect(text.status == 0, "\(text.errors)")
            #expect(text.lines.contains { $0.hasPrefix("+ Dog 9 ") })
            #expect(text.lines.contains { $0.hasPrefix("~ Dog 1 ") && $0.contains("-> 5") })
            #expect(text.lines.contains { $0.hasPrefix("- Dog ") })
            #expect(!text.output.contains("Dog 8"))
            let json = try await Tool.run("diff", kennel.path, "\(start)", "--format", "json")
            let changes = try #require(try json.json() as? [[String: Any]])
            #expect(changes.map { $0["class"] as? String } == ["Dog"])
            let same = try await Tool.run("diff", kennel.path, "\(end)", "\(end)")
            #expect(same.status == 0 && same.output.isEmpty)
            #expect(try await Tool.run("diff", kennel.path, "1", "999").status == 2)
        }
    }

    /// Commits of histories that keep old values, and of those that do not.
    @Test func aDifferenceKnowsNoValueOfAVersionBetween() {
        func commit(_ old: Int?, _ new: Int?) -> [CommitReport.Change] {
            func values(_ value: Int?) -> [String: FrozenValue]? {
                value.map { ["age": .int($0)] }
            }
            let entry = CommitReport.Entry(
                row: 1, key: .int(1), properties: ["age"], values: values(new),
                oldValues: values(old))
            return [.init(className: "Dog", inserted: [], modified: [entry], deleted: [])]
        }
        func difference(_ commits: [CommitReport.Change]...) -> (old: Bool, new: Bool) {
            var difference = VersionDifference()
            for commit in commits { difference.add(commit) }
            let entry = difference.changes.first?.modified.first
            return (entry?.oldValues?["age"] != nil, entry?.values?["age"] != nil)
        }
        #expect(difference(commit(1, 2), commit(2, 3)) == (true, true))
        #expect(difference(commit(nil, 2), commit(2, 3)) == (false, true))
        #expect(difference(commit(1, 2), commit(2, nil)) == (true, false))
        #expect(difference(commit(1, nil), commit(nil, 3)) == (true, true))
    }

    @Test func aShellRunsItsLines() async throws {
        try await Kennel.with { kennel in
            let lines = """
                Dog age > 2 SORT(age ASC)
                query Dog "name == 'Rex'" --format csv --columns id,name
                !2
                nonsense
                query Dog 'age >> 1'
                set Dog 1 age=9 --yes
                info --format json
                history!
                exit
                """
            let run = try await Tool.run("shell", kennel.path, input: lines)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.components(separatedBy: "id,name\n1,Rex\n").count == 3)
            #expect(run.errors.contains("^") && run.errors.contains("only reads"))
            #expect(run.output.contains("\"schemaVersion\" : 3"))
            #expect(run.output.contains("1  Dog age > 2 SORT(age ASC)\n2  query"))
            let written = try await Tool.run(
                "shell", kennel.path, "--write", input: "set Dog 1 age=9 --yes\nget Dog 1\n")
            #expect(written.status == 0 && written.output.contains("9"), "\(written.errors)")
        }
    }

    @Test func aDiskIsMeasured() async throws {
        try await Kennel.with { kennel in
            let run = try await Tool.run(
                "benchmark", kennel.folder, "--seconds", "0.05", "--format", "json")
            #expect(run.status == 0, "\(run.errors)")
            let result = try #require(try run.json() as? [String: Any])
            #expect((result["commits"] as? Int ?? 0) > 0)
            let left = try FileManager.default.contentsOfDirectory(atPath: kennel.folder)
            #expect(left == ["kennel"])
        }
    }
}
