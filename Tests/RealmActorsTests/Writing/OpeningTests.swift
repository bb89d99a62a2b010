import Foundation
import RealmActors
import Storage
import StorageHarness
import Synchronization
import Testing

/// The models of one store as they change over time.
private enum Original {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var size: Int
    }
}
private enum Extended {
    final class Item: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var name: String
        @Persisted var size: Int
        @Persisted var color: String?
    }
    final class Box: Object {
        @Persisted var items: List<Item>
    }
}
private enum Changed {
    final class Item: Object {
        @Persisted(primaryKey: true) var name: String
        @Persisted var size: String
    }
}

/// Opening, sharing, closing and opening again.
@Suite struct OpeningTests {
    private func fill(_ path: String) async throws {
        let realm = try await Realm.open(
            .init(path: path, objectTypes: [Original.Item.self], writeTimeout: nil))
        try await realm.write { tx in
            _ = try tx.create(Original.Item.self, value: ["id": 1, "name": "a", "size": 2])
        }
        try await realm.close()
    }

    @Test("Z2: one path is one store")
    func onePathIsOneStore() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Mark.self], writeTimeout: nil)
            async let one = Realm.open(configuration)
            async let two = Realm.open(configuration)
            let (first, second) = try await (one, two)
            try await first.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
            #expect(second.objects(Mark.self).count == 1)
            try await second.close()
            await #expect(throws: RealmError.closed) { try await first.write { _ in } }
        }
    }

    @Test("Z10: refused, and the difference named")
    func aConfigurationThatDiffersIsRefusedAndTheDifferenceNamed() async throws {
        try await withStorePath { path in
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Mark.self], writeTimeout: nil)
            let realm = try await Realm.open(configuration)
            configuration.history = .keep(bytes: 1 << 20)
            do {
                _ = try await Realm.open(configuration)
                Issue.record("Two histories")
            } catch let error as RealmError {
                guard case .alreadyOpen(_, let difference) = error else { throw error }
                #expect(difference == "history is .untilCompacted")
            }
            configuration.durability = .relaxed(every: .seconds(1))
            let error = await #expect(throws: RealmError.self) {
                try await Realm.open(configuration)
            }
            #expect(error?.description.contains("durability is fsync, history is") == true)
            try await realm.close()
            #expect(try await Realm.open(configuration).configuration.history != .untilCompacted)
        }
    }

    /// The failure of one opening is not that of another that waited for it.
    @Test func openingFailsForItsOwnReasonsOnly() async throws {
        try await withStorePath { path in
            try await fill(path)
            for _ in 0..<30 {
                async let wrong: Void = {
                    await #expect(throws: RealmError.self) {
                        try await Realm.open(
                            .init(path: path, objectTypes: [Changed.Item.self], writeTimeout: nil))
                    }
                }()
                let realm = try await Realm.open(
                    .init(path: path, objectTypes: [Original.Item.self], writeTimeout: nil))
                #expect(realm.objects(Original.Item.self).count == 1)
                await wrong
                try await realm.close()
            }
        }
    }

    @Test func aClosedStoreOpensAgain() async throws {
        try await withStorePath { path in
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Mark.self], writeTimeout: nil)
            let realm = try await Realm.open(configuration)
            for number in 1...3 {
                try await realm.write { tx in
                    _ = try tx.create(Mark.self, value: ["number": number])
                }
                try await realm.close()
                try await realm.reopen()
                #expect(realm.objects(Mark.self).count == number)
            }
            try await realm.close()
            let again = try await Realm.open(configuration)
            #expect(again.objects(Mark.self).values(of: \.number) == [1, 2, 3])
            try await again.close()
        }
    }

    /// An opening that changes nothing costs neither writes nor syncs.
    @Test func openingAndClosingWritesNothing() async throws {
        let disk = SimulatedDisk()
        var configuration = Realm.Configuration(
            path: "quiet.realm", objectTypes: [Mark.self], writeTimeout: nil)
        configuration.fileSystem = disk
        let realm = try await Realm.open(configuration)
        try await realm.write { tx in _ = try tx.create(Mark.self, value: ["number": 1]) }
        try await realm.close()
        let changes = Mutex<[String]>([])
        disk.observe { call in
            let reads: [IOOperation] = [.open, .read, .size, .list, .lock]
            guard call.moment == .before, !reads.contains(call.operation) else { return }
            changes.withLock { $0.append("\(call.operation) \(call.path)") }
        }
        for _ in 0..<2 {
            let again = try await Realm.open(configuration)
            #expect(again.objects(Mark.self).count == 1)
            try await again.close()
        }
        #expect(changes.withLock { $0 } == [])
    }

    /// A store is the same under every name that its folder has.
    @Test("Z2: other names of a path are the same store")
    func otherNamesOfAPathAreTheSameStore() async throws {
        try await withStorePath { path in
            let link = path + ".link"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false)
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: path)
            defer { try? FileManager.default.removeItem(atPath: link) }
            let names = ["/store", "/store/", "/./store", "//store"].map { path + $0 }
            var realms: [Realm] = []
            for name in names + [link + "/store"] {
                realms.append(
                    try await Realm.open(
                        .init(path: name, objectTypes: [Mark.self], writeTimeout: nil)))
            }
            try await realms[0].write { tx in
                _ = try tx.create(Mark.self, value: ["number": 1])
            }
            #expect(realms.map { $0.objects(Mark.self).count } == [1, 1, 1, 1, 1])
            try await realms[0].close()
        }
    }

    @Test("G5: every difference of the schema is listed")
    func everyDifferenceOfTheSchemaIsListed() async throws {
        try await withStorePath { path in
            try await fill(path)
            do {
                _ = try await Realm.open(
                    .init(path: path, objectTypes: [Changed.Item.self], writeTimeout: nil))
                Issue.record("It opens")
            } catch RealmError.schemaMismatch(let differences) {
                for name in ["'Item.id'", "primary key", "'Item.size'"] {
                    #expect(differences.contains { $0.contains(name) }, "\(name)")
                }
            }
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Original.Item.self], writeTimeout: nil))
            #expect(realm.objects(Original.Item.self).count == 1)
            try await realm.close()
        }
    }

    @Test("G4: classes and properties may be added")
    func classesAndPropertiesMayBeAdded() async throws {
        try await withStorePath { path in
            try await fill(path)
            let types: [ObjectBase.Type] = [Extended.Item.self, Extended.Box.self]
            for round in 1...2 {
                let realm = try await Realm.open(
                    .init(path: path, objectTypes: types, writeTimeout: nil))
                let item = try #require(realm.object(Extended.Item.self, forPrimaryKey: 1))
                #expect(item.name == "a" && item.size == 2)
                #expect(item.color == (round == 1 ? nil : "red"))
                try await realm.write { tx in
                    let item = try #require(tx.object(Extended.Item.self, forPrimaryKey: 1))
                    item.color = "red"
                    try tx.create(Extended.Box.self).items.append(item)
                }
                #expect(realm.objects(Extended.Box.self).count == round)
                try await realm.close()
            }
        }
    }
}
