import Dispatch
import Foundation
import Storage
import StorageHarness
import Synchronization
import Testing

@testable import RealmActors

/// Files that Realm wrote, added to a realm that is open.
@Suite struct RealmFileAdditionTests {
    /// One without a primary key, whose objects lead to each other.
    final class Link: Object {
        @Persisted var number: Int
        @Persisted var next: Link?
        @Persisted var all: List<Link>
        @Persisted(originProperty: "next") var before: LinkingObjects<Link>
    }

    final class Keyed: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var label: String
    }

    enum Narrow {
        final class Link: Object {
            @Persisted var number: Int8
            @Persisted var next: Link?
            @Persisted var all: List<Link>
        }
    }

    enum Wide {
        final class Link: Object {
            @Persisted var number: Int?
            @Persisted var next: Link?
            @Persisted var all: List<Link>
            @Persisted var note: String?
        }
    }

    enum Indexed {
        final class Link: Object, IndexedModel {
            @Persisted var number: Int
            @Persisted var next: Link?
            @Persisted var all: List<Link>
            static var indexes: [Index<Link>] { [Index(unique: \.number)] }
        }
    }

    enum Reindexed {
        final class Link: Object, IndexedModel {
            @Persisted var number: Int
            @Persisted var next: Link?
            @Persisted var all: List<Link>
            @Persisted var size: Int?
            static var indexes: [Index<Link>] {
                [Index(unique: \.number), Index(\.size, \.number)]
            }
        }
    }

    enum Other {
        final class Link: Object {
            @Persisted var number: String
            @Persisted var next: Link?
            @Persisted var size: Int
        }
    }

    /// Three objects in a circle, whose lists hold the other two. A later one is linked first.
    private static func linkFile(_ numbers: [Int64] = [1, 2, 300]) throws -> URL {
        var builder = RealmFileBuilder()
        let lists = [[1, 2], [2, 0], [0, 1]].map { builder.integers($0) }
        builder.table(
            "class_Link", count: 3,
            [
                .init("number", type: 0, leaf: builder.integers(numbers)),
                .init(
                    "next", type: 12, attributes: 16, target: 0, leaf: builder.integers([3, 1, 2])),
                .init("all", type: 12, attributes: 32, target: 0, leaf: builder.refs(lists)),
            ])
        let url = URL(fileURLWithPath: TestFolder.path("links") + ".realm")
        try Data(builder.file()).write(to: url)
        return url
    }

    private static func configuration(
        _ types: [ObjectBase.Type], inMemory: Bool = false
    ) -> Realm.Configuration {
        inMemory
            ? Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: types, writeTimeout: nil)
            : Realm.Configuration(
                path: TestFolder.path("open"), objectTypes: types, writeTimeout: nil)
    }

    /// A file does not say which integers a property takes, and 300 was read as 44.
    @Test func aNewRealmHasNoNumberThatItsTypeDoesNotHold() async throws {
        let file = try Self.linkFile()
        var configuration = Self.configuration([Narrow.Link.self])
        let path = try #require(configuration.path)
        var error = await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(at: file, into: configuration)
        }
        #expect(error?.description.contains("300 for 'Link.number'") == true)
        #expect(!Realm.exists(at: path))
        // A migration that is due may make it fit, and has to.
        configuration.schemaVersion = 1
        configuration.migration = { _, _ in }
        try await Realm.importRealmFile(at: file, into: configuration)
        error = await #expect(throws: RealmError.self) { try await Realm.open(configuration) }
        #expect(error?.description.contains("Link.number, Int8: 300") == true)
        configuration.migration = { migration, _ in
            try migration.enumerate("Link") { old, new in
                new?["number"] = min(old?["number"] as? Int ?? 0, 127)
            }
        }
        let realm = try await Realm.open(configuration)
        #expect(realm.objects(Narrow.Link.self).map { $0.number } == [1, 2, 127])
        try await realm.close()
    }

    @Test(arguments: [false, true])
    func objectsComeBehindThoseThatAreThere(inMemory: Bool) async throws {
        let file = try Self.linkFile()
        let realm = try await Realm.open(Self.configuration([Link.self], inMemory: inMemory))
        try await realm.write { tx in _ = try tx.create(Link.self, value: ["number": -1]) }
        for times in 1...3 {
            let report = try await Realm.importRealmFile(at: file, into: realm)
            #expect(report.isComplete && report.objectCounts == ["Link": 3])
            let all = Array(realm.objects(Link.self))
            #expect(all.map { $0.number } == [-1] + (0..<times).flatMap { _ in [1, 2, 300] })
            for first in stride(from: 1, to: all.count, by: 3) {
                let three = all[first..<first + 3].map { $0 }
                #expect(three[0].next == three[2] && three[1].next == three[0])
                #expect(Array(three[1].all) == [three[2], three[0]])
                #expect(Array(three[2].before) == [three[0]])
            }
        }
        #expect(try await realm.verify().isIntact)
        try await realm.close()
    }

    @Test func streamsSeeOneCommit() async throws {
        let file = try Self.linkFile()
        let realm = try await Realm.open(Self.configuration([Link.self]))
        let before = realm.snapshot().changeToken
        try await Realm.importRealmFile(at: file, into: realm, author: "import")
        try await realm.write { tx in _ = try tx.create(Link.self, value: ["number": 9]) }
        var commits: [String] = []
        for try await commit in realm.commits(since: before) {
            let count = commit.insertions(of: Link.self).count
            commits.append("\(commit.author ?? "none") \(count)")
            if commits.count == 2 { break }
        }
        #expect(commits == ["import 3", "none 1"])
        try await realm.close()
    }

    /// It had been gathered for the next writer, and its end came with that of the import.
    @Test func aWriteBeforeAnImportDoesNotWaitForIt() async throws {
        let file = try Self.linkFile()
        let realm = try await Realm.open(Self.configuration([Link.self], inMemory: true))
        let turns = realm.store.writer.turns
        try await turns.take("a test", timeout: nil)
        let writing = Task {
            try await realm.write { tx in _ = try tx.create(Link.self, value: ["number": -1]) }
        }
        while turns.waiterCount < 1 { await Task.yield() }
        let counts = Mutex<[Int]>([])
        let progress: @Sendable (Double) -> Void = { _ in
            let count = realm.objects(Link.self).count
            counts.withLock { $0.append(count) }
        }
        let importing = Task {
            try await Realm.importRealmFile(at: file, into: realm, progress: progress)
        }
        while turns.waiterCount < 2 { await Task.yield() }
        realm.store.releaseTurn()
        try await writing.value
        _ = try await importing.value
        #expect(counts.withLock { $0.first } == 1)
        #expect(realm.objects(Link.self).count == 4)
        try await realm.close()
    }

    @Test func aMonitorHearsOfImports() async throws {
        let monitor = RecordingMonitor()
        var configuration = Self.configuration([Link.self])
        configuration.monitor = monitor
        configuration.monitorLimits.slowTransaction = .zero
        let realm = try await Realm.open(configuration)
        try await Realm.importRealmFile(at: Self.linkFile(), into: realm, author: "import")
        let event = try #require(monitor.received.commits.first)
        #expect(event.version == realm.latestVersion && event.author == "import")
        #expect(event.call == nil && event.groupSize == 1 && event.sync > .zero)
        await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(
                at: RealmFileImportTests.small, into: realm, author: "refused")
        }
        #expect(monitor.received.commits.count == 1)
        #expect(monitor.received.slow.map(\.author) == ["import", "refused"])
        try await realm.close()
    }

    @Test func anObjectThatIsThereAlreadyIsNamedAndNothingIsWritten() async throws {
        let realm = try await Realm.open(Self.configuration([RealmFileImportTests.Thing.self]))
        try await realm.write { tx in
            _ = try tx.create(RealmFileImportTests.Thing.self, value: ["id": 7, "short": "mine"])
        }
        let version = realm.snapshot().version
        await #expect(throws: RealmError.duplicatePrimaryKey(className: "Thing", key: "7")) {
            try await Realm.importRealmFile(at: RealmFileImportTests.small, into: realm)
        }
        #expect(realm.snapshot().version == version)
        // Without it, all of them come.
        try await realm.write { tx in try tx.deleteAll() }
        try await Realm.importRealmFile(at: RealmFileImportTests.small, into: realm)
        let things = realm.objects(RealmFileImportTests.Thing.self)
        #expect(things.map { $0.id } == Array(0..<300))
        #expect(realm.object(RealmFileImportTests.Thing.self, forPrimaryKey: 7)?.short == "s7")
        try await realm.close()
    }

    @Test func whatDiffersIsListedBeforeAnythingIsWritten() async throws {
        let file = try Self.linkFile()
        let realm = try await Realm.open(Self.configuration([Other.Link.self]))
        let version = realm.snapshot().version
        await #expect(
            throws: RealmError.realmFileMismatch(differences: [
                "Property 'Link.number' was int and is string.",
                "Property 'Link.size' is required, and not in the file.",
                "Property 'Link.all' has been removed.",
            ])
        ) {
            try await Realm.importRealmFile(at: file, into: realm)
        }
        await #expect(
            throws: RealmError.realmFileMismatch(differences: ["Class 'Thing' is not in the realm."]
            )
        ) {
            try await Realm.importRealmFile(at: RealmFileImportTests.small, into: realm)
        }
        #expect(realm.snapshot().version == version)
        try await realm.close()
    }

    /// Which integers a property takes is not in the file.
    @Test func aNumberThatDoesNotFitIsRefused() async throws {
        let realm = try await Realm.open(Self.configuration([Narrow.Link.self]))
        await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(at: try Self.linkFile(), into: realm)
        }
        #expect(realm.objects(Narrow.Link.self).isEmpty)
        try await Realm.importRealmFile(at: try Self.linkFile([1, 2, -128]), into: realm)
        #expect(realm.objects(Narrow.Link.self).map { $0.number } == [1, 2, -128])
        try await realm.close()
    }

    @Test func whatIsOptionalNeedNotBeInTheFile() async throws {
        let realm = try await Realm.open(Self.configuration([Wide.Link.self]))
        try await Realm.importRealmFile(at: try Self.linkFile(), into: realm)
        let links = realm.objects(Wide.Link.self)
        #expect(links.map { $0.number } == [1, 2, 300] && links.allSatisfy { $0.note == nil })
        #expect(links.first?.next == links.last)
        try await realm.close()
    }

    /// The process ended: a property that came behind an index had another number in the plan.
    @Test func anIndexOfAPropertyThatCameBehindAnotherIndexIsKept() async throws {
        let file = try Self.linkFile()
        var configuration = Self.configuration([Indexed.Link.self])
        try await Realm.open(configuration).close()
        configuration.objectTypes = [Reindexed.Link.self]
        let realm = try await Realm.open(configuration)
        try await Realm.importRealmFile(at: file, into: realm)
        let links = realm.objects(Reindexed.Link.self)
        #expect(links.map { $0.number } == [1, 2, 300] && links.allSatisfy { $0.size == nil })
        // What is unique stays so.
        await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(at: file, into: realm)
        }
        #expect(links.count == 3 && realm.objects(Reindexed.Link.self).count == 3)
        #expect(try await realm.verify().isIntact)
        try await realm.close()
    }

    @Test func aCancelledImportLeavesNothing() async throws {
        let realm = try await Realm.open(Self.configuration([Link.self]))
        let version = realm.snapshot().version
        let file = try Self.linkFile()
        // Cancelled when the keys have been read, before the first of the objects.
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let shouldContinue = DispatchSemaphore(value: 0)
        let task = Task.detached {
            try await Realm.importRealmFile(at: file, into: realm) { _ in
                beginning.finish()
                shouldContinue.wait()
            }
        }
        for await _ in began {}
        task.cancel()
        shouldContinue.signal()
        shouldContinue.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(realm.snapshot().version == version)
        // The realm can be written to.
        try await Realm.importRealmFile(at: file, into: realm)
        #expect(realm.objects(Link.self).count == 3)
        try await realm.close()
    }

    /// They came with the key 0, which another object had already.
    @Test func objectsWithoutAReadablePrimaryKeyAreLeftOut() async throws {
        var builder = RealmFileBuilder()
        // The first cluster has two keys for one object.
        let ids = [[1, 2], [5]].map { builder.integers($0) }
        let labels = ["a", "b"].map { builder.strings([$0]) }
        let clusters = zip(ids, labels).map {
            builder.refs([RealmFileBuilder.tagged(1), $0, $1])
        }
        let root = builder.tree(of: clusters, total: 2)
        builder.table(
            "class_Keyed", root: root, primaryKey: 0,
            [.init("id", type: 0, leaf: 0), .init("label", type: 2, leaf: 0)])
        let url = URL(fileURLWithPath: TestFolder.path("keyed") + ".realm")
        try Data(builder.file()).write(to: url)
        let realm = try await Realm.open(Self.configuration([Keyed.self]))
        try await realm.write { tx in
            _ = try tx.create(Keyed.self, value: ["id": 0, "label": "mine"] as [String: Any])
        }
        let report = try await Realm.importRealmFile(at: url, into: realm, salvage: true)
        #expect(report.droppedUnkeyed == 1 && report.damageCount == 1 && !report.isComplete)
        #expect(realm.objects(Keyed.self).map { $0.label } == ["mine", "b"])
        #expect(realm.objects(Keyed.self).map { $0.id } == [0, 5])
        #expect(try await realm.verify().isIntact)
        try await realm.close()
    }

    @Test func aDamagedFileLeavesNothing() async throws {
        // A link to an object that is not there.
        var builder = RealmFileBuilder()
        builder.table(
            "class_Link", count: 2,
            [
                .init("number", type: 0, leaf: builder.integers([1, 2])),
                .init("next", type: 12, attributes: 16, target: 0, leaf: builder.integers([0, 9])),
                .init("all", type: 12, attributes: 32, target: 0, leaf: builder.refs([0, 0])),
            ])
        let url = URL(fileURLWithPath: TestFolder.path("damaged") + ".realm")
        try Data(builder.file()).write(to: url)
        let realm = try await Realm.open(Self.configuration([Link.self]))
        await #expect(throws: RealmError.self) {
            try await Realm.importRealmFile(at: url, into: realm)
        }
        #expect(realm.objects(Link.self).isEmpty)
        let report = try await Realm.importRealmFile(at: url, into: realm, salvage: true)
        #expect(report.droppedLinks == 1 && realm.objects(Link.self).count == 2)
        try await realm.close()
    }
}
