import Foundation
import RealmActors
import Storage
import Synchronization
import Testing

/// What opening a realm with a configuration does.
@Suite struct OpenedConfigurationTests {
    final class Book: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var title: String
    }
    final class Shelf: Object {
        @Persisted var books: List<Book>
    }

    private static func fill(_ realm: Realm, _ ids: Range<Int>) async throws {
        try await realm.write { tx in
            for id in ids { try tx.create(Book.self, value: ["id": id, "title": "title \(id)"]) }
        }
    }

    /// A closed store with some books.
    private static func make(_ path: String, _ ids: Range<Int> = 0..<2) async throws {
        let realm = try await Realm.open(
            .init(path: path, objectTypes: [Book.self], writeTimeout: nil))
        try await fill(realm, ids)
        try await realm.close()
    }

    /// The one test that sets what the whole process shares, and that opens without a place.
    @Test("Z1: the default configuration and path; setting them affects later openings only")
    func defaults() async throws {
        let (usual, place) = (Realm.Configuration.default, Realm.defaultPath)
        #expect(place == "default.realm" && usual.path == nil && usual.objectTypes.isEmpty)
        try await withStorePath { firstPath in
            try await withStorePath { secondPath in
                defer { (Realm.Configuration.default, Realm.defaultPath) = (usual, place) }
                Realm.Configuration.default.objectTypes = [Book.self]
                // A copy is a value of its own.
                var copy = Realm.Configuration.default
                copy.schemaVersion = 9
                #expect(Realm.Configuration.default.schemaVersion == 0)

                Realm.defaultPath = firstPath
                let first = try await Realm.open()
                try await Self.fill(first, 0..<1)
                Realm.defaultPath = secondPath
                #expect(!Realm.exists(for: .default))
                let second = try await Realm.open()
                #expect(first.configuration.path == firstPath)
                #expect(second.configuration.path == secondPath && Realm.exists(for: .default))
                #expect(first.objects(Book.self).count == 1 && second.objects(Book.self).isEmpty)

                Realm.Configuration.default.path = firstPath
                #expect(try await Realm.open() == first)
                try await first.close()
                try await second.close()
            }
        }
    }

    @Test("Z3: read-only, nothing is written, and handles that write are kept out")
    func readOnly() async throws {
        try await withStorePath { path in
            try await Self.make(path)
            let before = try FileBytes(of: path)
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Book.self], readOnly: true)
            let reader = try await Realm.open(configuration)
            #expect(reader.objects(Book.self).count == 2)
            await #expect(throws: RealmError.readOnly) { try await reader.write { _ in } }
            await #expect(throws: RealmError.readOnly) { try await reader.compact() }
            await #expect(throws: RealmError.readOnly) {
                try await reader.revert(to: reader.snapshot())
            }
            try await Self.refuseLiveWrite(reader)
            configuration.readOnly = false
            await #expect(
                throws: RealmError.alreadyOpen(path: path, difference: "readOnly is true")
            ) { try await Realm.open(configuration) }
            try await reader.close()
            #expect(try FileBytes(of: path) == before)

            let writer = try await Realm.open(configuration)
            configuration.readOnly = true
            await #expect(
                throws: RealmError.alreadyOpen(path: path, difference: "readOnly is false")
            ) { try await Realm.open(configuration) }
            try await writer.close()
        }
    }

    /// Invalidating works, writing does not.
    @MainActor
    private static func refuseLiveWrite(_ realm: Realm) async throws {
        let live = try await realm.live()
        await #expect(throws: RealmError.readOnly) { try await live.write {} }
        await #expect(throws: RealmError.readOnly) { try await live.beginWrite() }
        live.invalidate()
        #expect(live.refresh() && live.objects(Book.self).count == 2)
    }

    @Test("Z4: tasks share a realm in memory, and nothing of it is on disk")
    func inMemory() async throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Book.self], writeTimeout: nil)
        let realm = try await Realm.open(configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<8 {
                group.addTask { try await Self.fill(Realm.open(configuration), id..<id + 1) }
            }
            try await group.waitForAll()
        }
        #expect(realm.objects(Book.self).count == 8)
        let name = try #require(configuration.inMemoryIdentifier)
        for folder in [FileManager.default.currentDirectoryPath, NSTemporaryDirectory()] {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.contains(name) })
        }
        #expect(!Realm.exists(for: configuration) && realm.configuration.path == nil)
    }

    @Test("Z8: schema, path and readOnly are there to be asked for")
    func introspection() async throws {
        try await withStorePath { path in
            try await Self.make(path)
            let configuration = Realm.Configuration(
                path: path, objectTypes: [Shelf.self, Book.self], readOnly: true)
            let realm = try await Realm.open(configuration)
            #expect(realm.schema.objectSchema.map(\.className) == ["Shelf", "Book"])
            #expect(realm.snapshot().schema == realm.schema)
            #expect(realm.schema["Book"]?.primaryKeyProperty?.name == "id")
            #expect(realm.configuration.path == path && realm.configuration.readOnly)
            #expect(realm.configuration.inMemoryIdentifier == nil)
            try await realm.close()
        }
    }

    @Test("Z10: every difference is named at once; fewer classes are none")
    func mismatch() async throws {
        try await withStorePath { path in
            let realm = try await Realm.open(
                .init(path: path, objectTypes: [Book.self, Shelf.self], writeTimeout: nil))
            let other = Realm.Configuration(
                path: path, objectTypes: [ConfigurationExtra.self], readOnly: true,
                encryptionKey: .random(), durability: .relaxed(every: .seconds(1)),
                history: .keep(bytes: 1 << 20), schemaVersion: 4)
            let error = await #expect(throws: RealmError.self) { try await Realm.open(other) }
            guard case .alreadyOpen(path, let difference) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(
                difference
                    == [
                        "readOnly is false", "durability is fsync", "it has no key",
                        "history is .untilCompacted", "schemaVersion is 0",
                        "its objectTypes are \(realm.configuration.objectTypes)",
                    ].joined(separator: ", "))
            let second = try await Realm.open(
                .init(path: path, objectTypes: [Book.self], writeTimeout: nil))
            #expect(second == realm)
            try await realm.close()
        }
    }

    @Test("Z12: nothing is compacted when it says no")
    func compactOnOpen() async throws {
        try await withStorePath { path in
            try await Self.make(path, 0..<4000)
            var configuration = Realm.Configuration(
                path: path, objectTypes: [Book.self], writeTimeout: nil)
            var realm = try await Realm.open(configuration)
            try await realm.write { tx in try tx.delete(tx.objects(Book.self).where { $0.id > 9 }) }
            try await realm.close()
            let before = try FileBytes(of: path)
            for isWanted in [false, true] {
                configuration.shouldCompactOnOpen = { _, _ in isWanted }
                realm = try await Realm.open(configuration)
                #expect(realm.objects(Book.self).count == 10)
                try await realm.close()
                let after = try FileBytes(of: path)
                #expect(isWanted ? after.count < before.count : after == before)
            }
        }
    }

    @Test("Z12, S5: not applied while another process writes")
    func compactBesideAWriter() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let live = LiveHolder()
            try await live.begin(first)
            let isAsked = Mutex(false)
            let second = try await Realm.open(
                .init(
                    path: folder.name(1), objectTypes: [SharedParcel.self],
                    writeTimeout: .milliseconds(50),
                    shouldCompactOnOpen: { _, _ in
                        isAsked.withLock { $0 = true }
                        return true
                    }))
            #expect(isAsked.withLock { $0 } && second.states == [1: 0])
            try await live.commit()
            try await second.close()
            try await first.close()
        }
    }

    @Test("Z15: refused while another process may write, which is named")
    func deleteBesideAProcess() async throws {
        try await SharedFolder.with { folder in
            let first = try await folder.open(0)
            try await first.write { tx in try tx.create(SharedParcel.self, value: ["id": 1]) }
            let process = ProcessInfo.processInfo.processIdentifier
            #expect(
                throws: RealmError.alreadyOpen(
                    path: folder.name(1), difference: "process \(process) writes to it")
            ) { try Realm.deleteFiles(at: folder.name(1)) }
            #expect(first.states.count == 1)
            #expect(try await first.verify().isIntact)
            try await first.close()
            #expect(try Realm.deleteFiles(at: folder.name(1)))
        }
    }

    @Test("Z13: what is no realm is an error that names it, and leaves nothing")
    func wrongSeed() async throws {
        try await withStorePath { seed in
            try Data("hello".utf8).write(to: URL(fileURLWithPath: seed))
            try await withStorePath { path in
                let configuration = Realm.Configuration(
                    path: path, objectTypes: [Book.self], writeTimeout: nil, seedFilePath: seed)
                let error = await #expect(throws: RealmError.self) {
                    try await Realm.open(configuration)
                }
                guard case .notARealm(seed, _) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(!FileManager.default.fileExists(atPath: path))
                #expect(!FileManager.default.fileExists(atPath: path + ".seeding"))
            }
        }
    }

    @Test("Z16: no object in the file, of classes that are not opened neither")
    func isEmpty() async throws {
        try await withStorePath { path in
            let whole = Realm.Configuration(
                path: path, objectTypes: [Book.self, Shelf.self], writeTimeout: nil)
            var realm = try await Realm.open(whole)
            #expect(realm.snapshot().isEmpty)
            try await realm.write { tx in try tx.create(Shelf.self) }
            #expect(!realm.snapshot().isEmpty)
            try await realm.close()
            realm = try await Realm.open(
                .init(path: path, objectTypes: [Book.self], writeTimeout: nil))
            #expect(!realm.snapshot().isEmpty)
            try await realm.close()
            realm = try await Realm.open(whole)
            try await realm.write { tx in try tx.deleteAll() }
            #expect(realm.snapshot().isEmpty)
            try await realm.close()
        }
    }

    @Test("Z16: in a write it is what the write has made of it, until that is cancelled")
    @MainActor func isEmptyInAWrite() async throws {
        try await withFreshRealm([Book.self]) { realm in
            let live = try await realm.live()
            #expect(realm.isEmpty && live.isEmpty)
            try await live.beginWrite()
            try live.create(Book.self, value: ["id": 1])
            #expect(!live.isEmpty && realm.isEmpty)
            live.cancelWrite()
            #expect(live.isEmpty)
            try await live.write { _ = try live.create(Book.self, value: ["id": 2]) }
            #expect(!live.isEmpty && !realm.isEmpty)
            try await realm.write { tx in
                try tx.deleteAll()
                #expect(tx.isEmpty)
            }
            #expect(realm.isEmpty)
        }
    }

    @Test("Z16: handles on one store are equal; so is what they freeze of a version")
    func equality() async throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Book.self], writeTimeout: nil)
        let (first, second) = (
            try await Realm.open(configuration), try await Realm.open(configuration)
        )
        let other = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [Book.self], writeTimeout: nil))
        #expect(first == second && first != other && Set([first, second, other]).count == 2)
        try await Self.fill(first, 0..<1)
        let frozen = first.snapshot().objects(Book.self).first
        #expect(frozen != nil && frozen == second.snapshot().objects(Book.self).first)
        try await Self.fill(first, 1..<2)
        #expect(frozen != second.snapshot().objects(Book.self).first)
    }
}

/// A class that only a later opening has.
private final class ConfigurationExtra: Object {
    @Persisted var number: Int
}

/// What stands in the files of a store, to be compared; without the files that are but locks.
struct FileBytes: Equatable {
    let contents: [String: Data]

    /// All bytes.
    var count: Int { contents.values.reduce(0) { $0 + $1.count } }

    init(of path: String) throws {
        let files = FileManager.default
        var contents: [String: Data] = [:]
        for case let name as String in files.enumerator(atPath: path)?.allObjects ?? []
        where !name.hasPrefix("writer.") {
            contents[name] = files.contents(atPath: "\(path)/\(name)")
        }
        self.contents = contents
    }
}
