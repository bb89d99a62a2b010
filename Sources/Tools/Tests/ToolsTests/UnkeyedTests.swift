import Foundation
import RealmActors
import Testing

private final class Tree: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var first: Leaf?
    @Persisted var leaves: List<Leaf>
    @Persisted var byName: Map<String, Leaf?>
    @Persisted var pot: Pot?
    @Persisted var any: AnyRealmValue
}

/// Without a primary key.
private final class Leaf: Object {
    @Persisted var name: String
    @Persisted var next: Leaf?
    @Persisted var tree: Tree?
}

/// Without a primary key, too.
private final class Friend: Object {
    @Persisted var name: String
    @Persisted var friends: List<Friend>
}

private final class Pot: EmbeddedObject {
    @Persisted var fallen: List<Leaf>
}

/// A store with objects that have no primary key.
private struct Orchard {
    let folder: String

    var path: String { folder + "/orchard" }

    /// Runs `body` with a store of two trees that share leaves, which lead in a circle, and of a
    /// leaf that nothing leads to.
    static func with(_ body: (Orchard) async throws -> Void) async throws {
        let orchard = Orchard(folder: NSTemporaryDirectory() + "orchard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            atPath: orchard.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: orchard.folder) }
        let realm = try await orchard.open("orchard")
        try await realm.write { tx in
            // So that numbers do not begin with the first object.
            let gone = try tx.create(Leaf.self, value: ["name": "gone"])
            try tx.delete(gone)
            let red = try tx.create(Leaf.self, value: ["name": "red"])
            let green = try tx.create(Leaf.self, value: ["name": "green"])
            _ = try tx.create(Leaf.self, value: ["name": "lost"])
            let old = try tx.create(Tree.self, value: ["id": 1])
            (red.next, green.next, red.tree) = (green, red, old)
            old.first = red
            old.leaves.append(objectsIn: [red, green, red])
            old.byName["a"] = green
            old.byName["b"] = .some(nil)
            old.pot = Pot()
            old.pot?.fallen.append(green)
            old.any = .double(2)
            let young = try tx.create(Tree.self, value: ["id": 2])
            young.first = red
            young.any = [.double(3), .int(3), ["7": .double(1e16), "x": .int(1)]]
        }
        try await realm.close()
        try await body(orchard)
    }

    func open(_ name: String) async throws -> Realm {
        try await Realm.open(
            .init(path: "\(folder)/\(name)", objectTypes: [Tree.self, Leaf.self, Pot.self]))
    }

    /// Makes a store without objects, and gives its path.
    func makeEmpty(_ name: String) async throws -> String {
        try await open(name).close()
        return "\(folder)/\(name)"
    }

    /// Everything in a store, a line for each object. Leaves are identified by their names, which
    /// are unique.
    func contents(_ name: String) async throws -> [String] {
        let realm = try await open(name)
        let leaves = realm.objects(Leaf.self).map { leaf in
            "\(leaf.name) > \(leaf.next?.name ?? "") @ \(leaf.tree?.id ?? 0)"
        }
        let trees = realm.objects(Tree.self).map { tree in
            let names = tree.leaves.map { $0.name }
            let byName = tree.byName.keys.map { "\($0): \(tree.byName[$0]??.name ?? "")" }
            let fallen = tree.pot?.fallen.map { $0.name } ?? []
            return "\(tree.id) \(tree.first?.name ?? "") \(names) \(byName) \(fallen) \(tree.any)"
        }
        try await realm.close()
        return leaves.sorted() + trees.sorted()
    }
}

/// Objects without a primary key on their way out of a store and into another one.
@Suite(.timeLimit(.minutes(10))) struct UnkeyedTests {
    @Test(arguments: ["jsonl", "json", "csv"])
    func theFolderOfAnExportBecomesTheSameObjects(_ format: String) async throws {
        try await Orchard.with { orchard in
            let folder = orchard.folder + "/out"
            let exported = try await Tool.run(
                "export", orchard.path, "--output", folder, "--format", format)
            #expect(exported.status == 0 && exported.errors.contains("3 objects of Leaf"))
            let runs: [(String, [String])] = [("whole", []), ("batches", ["--batch", "1"])]
            for (name, options) in runs {
                let copy = try await orchard.makeEmpty(name)
                let tool = try Tool(["import", copy, folder, "--strict"] + options)
                try tool.start()
                let imported = try await tool.finish()
                #expect(imported.status == 0, "\(imported.errors)")
                #expect(imported.errors == "3 objects of Leaf\n2 objects of Tree\n")
                let contents = try await orchard.contents(name)
                #expect(try await contents == orchard.contents("orchard"))
                #expect(try await Tool.run("verify", copy).status == 0)
            }
        }
    }

    @Test(arguments: ["jsonl", "csv"])
    func aClassByItselfHasWhatItLinksToOnce(_ format: String) async throws {
        try await Orchard.with { orchard in
            let file = orchard.folder + "/Tree.\(format)"
            let exported = try await Tool.run(
                "export", orchard.path, "Tree", "-o", file, "--format", format)
            #expect(exported.status == 0, "\(exported.errors)")
            let copy = try await orchard.makeEmpty("copy")
            let imported = try await Tool.run("import", copy, file, "--strict")
            #expect(imported.status == 0, "\(imported.errors)")
            let expected = try await orchard.contents("orchard").filter { !$0.hasPrefix("lost") }
            #expect(try await orchard.contents("copy") == expected)
        }
    }

    @Test func aLinkToWhatIsNotThereIsRefused() async throws {
        try await Orchard.with { orchard in
            let folder = orchard.folder + "/out"
            #expect(
                try await Tool.run("export", orchard.path, "--output", folder).status == 0)
            let copy = try await orchard.makeEmpty("copy")
            let imported = try await Tool.run("import", copy, folder + "/Tree.jsonl")
            #expect(imported.status == 3, "\(imported.errors)")
            #expect(imported.errors.contains("A link leads to the 'Leaf' with \"$row\": "))
            #expect(try await orchard.contents("copy").isEmpty)
        }
    }

    /// Another run would not find those again that have no key.
    @Test func anImportThatFailsLeavesNothingOfThem() async throws {
        try await Orchard.with { orchard in
            let folder = orchard.folder + "/out"
            #expect(
                try await Tool.run("export", orchard.path, "--output", folder).status == 0)
            let trees = URL(fileURLWithPath: folder + "/Tree.jsonl")
            let good = try Data(contentsOf: trees)
            try (good + Data("{\"id\": \"x\"}\n".utf8)).write(to: trees)
            let copy = try await orchard.makeEmpty("copy")
            let cut = try await Tool.run("import", copy, folder)
            #expect(cut.status == 3 && cut.errors.contains("Tree.jsonl: Lines 1...3"))
            #expect(try await orchard.contents("copy").isEmpty)
            try good.write(to: trees)
            #expect(try await Tool.run("import", copy, folder).status == 0)
            let contents = try await orchard.contents("copy")
            #expect(try await contents == orchard.contents("orchard"))
        }
    }

    /// The import had the turn to write for as long as another program took to send its lines.
    @Test func nobodyIsKeptFromWritingByAPipe() async throws {
        try await Orchard.with { orchard in
            let path = orchard.folder + "/leaves"
            try #require(mkfifo(path, 0o600) == 0)
            // For both directions, so that opening does not block.
            let end = open(path, O_RDWR | O_CLOEXEC)
            let pipe = FileHandle(fileDescriptor: end, closeOnDealloc: true)
            let service = try await orchard.open("orchard")
            let tool = try Tool(["import", orchard.path, path, "--class", "Leaf"])
            defer { tool.end() }
            try tool.start()
            try pipe.write(contentsOf: Data("{\"name\": \"one\"}\n".utf8))
            var state = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
            while poll(&state, 1, 0) > 0 {
                try #require(tool.isRunning)
                try await Task.sleep(for: .milliseconds(5))
            }
            try await service.write { tx in
                _ = try tx.create(Leaf.self, value: ["name": "two"])
            }
            try pipe.write(contentsOf: Data("{\"name\": \"three\"}".utf8))
            try pipe.close()
            let run = try await tool.finish()
            #expect(run.status == 0 && run.errors == "2 objects of Leaf\n", "\(run.errors)")
            try await service.close()
            let leaves = try await orchard.contents("orchard")
            for name in ["one", "two", "three"] {
                #expect(leaves.contains("\(name) >  @ 0"), "\(leaves)")
            }
        }
    }

    @Test func aFolderWithoutAnExportIsRefused() async throws {
        try await Orchard.with { orchard in
            let copy = try await orchard.makeEmpty("copy")
            for options in [[], ["--class", "Tree"]] {
                let tool = try Tool(["import", copy, orchard.path] + options)
                try tool.start()
                let run = try await tool.finish()
                #expect(run.status == 3, "\(run.errors)")
            }
        }
    }

    /// A number that is whole stays what it is, and so does one that is set.
    @Test func aDoubleThatIsWholeIsNoInteger() async throws {
        try await Orchard.with { orchard in
            let lines = try await Tool.run(
                "export", orchard.path, "Tree", "--columns", "id,any")
            #expect(
                lines.lines == [
                    #"{"any":2.0,"id":1}"#,
                    #"{"any":[3.0,3,{"7":1e+16,"x":1}],"id":2}"#,
                ])
            let table = try await Tool.run(
                "export", orchard.path, "Tree", "--columns", "id,any", "--format", "csv")
            #expect(table.lines[1] == "1,2.0")
            for (text, shown) in [("5", "5"), ("5.0", "5.0"), ("5e0", "5.0")] {
                let set = try await Tool.run(
                    "set", orchard.path, "Tree", "1", "any=\(text)", "--yes")
                #expect(set.status == 0, "\(set.errors)")
                let again = try await Tool.run(
                    "query", orchard.path, "Tree", "id == 1", "--columns", "any", "--format",
                    "jsonl")
                #expect(again.output == "{\"any\":\(shown)}\n")
            }
        }
    }

    /// Of a query, what an object links to is seen at once, and a circle has an end.
    @Test func aQueryHasLinkedObjectsWhole() async throws {
        try await Orchard.with { orchard in
            let run = try await Tool.run(
                "query", orchard.path, "Leaf", "name == 'red'", "--format", "json")
            let found = try #require(try run.json() as? [[String: Any]], "\(run.errors)")
            let next = try #require(found.first?["next"] as? [String: Any])
            #expect(found.count == 1 && next["name"] as? String == "green")
            #expect(next["next"] as? Int != nil && found[0]["tree"] as? Int == 1)
        }
    }

    /// The second line was refused, whatever `--update` said.
    @Test func whatIsLinkedToInFullIsThereAlready() async throws {
        try await Orchard.with { orchard in
            let copy = try await orchard.makeEmpty("copy")
            let lines = ["a", "b"].map { "{\"name\": \"\($0)\", \"tree\": {\"id\": 5}}\n" }.joined()
            let imported = try await Tool.run(
                "import", copy, "-", "--class", "Leaf", input: lines)
            #expect(imported.status == 0, "\(imported.errors)")
            #expect(try await orchard.contents("copy").count == 3)
            let refused = try await Tool.run(
                "import", copy, "-", "--class", "Leaf", "--update", "error", input: lines)
            #expect(refused.status == 3 && refused.errors.contains("primary key 5"))
        }
    }

    /// Each path through them was written, of which there are more than a billion.
    @Test(arguments: ["jsonl", "csv"])
    func objectsThatAllLinkToEachOtherAreShown(_ format: String) async throws {
        try await Orchard.with { orchard in
            let path = orchard.folder + "/friends"
            let realm = try await Realm.open(.init(path: path, objectTypes: [Friend.self]))
            try await realm.write { tx in
                let all = try (0..<14).map { try tx.create(Friend.self, value: ["name": "f\($0)"]) }
                for friend in all { friend.friends.append(objectsIn: all) }
            }
            try await realm.close()
            let shown = try await Tool.run("query", path, "Friend", "--format", format)
            #expect(shown.status == 0 && shown.output.utf8.count < 1_000_000, "\(shown.errors)")
            for number in 0..<14 { #expect(shown.output.contains("f\(number)")) }
        }
    }

    /// After a hundred of them, its number stood in their place.
    @Test func anObjectThatIsLinkedToOftenIsShownEachTime() async throws {
        try await Orchard.with { orchard in
            let path = orchard.folder + "/friends"
            let realm = try await Realm.open(.init(path: path, objectTypes: [Friend.self]))
            try await realm.write { tx in
                let one = try tx.create(Friend.self, value: ["name": "one"])
                let many = try tx.create(Friend.self, value: ["name": "many"])
                many.friends.append(objectsIn: Array(repeating: one, count: 150))
            }
            try await realm.close()
            let shown = try await Tool.run(
                "query", path, "Friend", "name == 'many'", "--format", "jsonl")
            #expect(shown.output.components(separatedBy: "\"one\"").count == 151)
        }
    }
}
