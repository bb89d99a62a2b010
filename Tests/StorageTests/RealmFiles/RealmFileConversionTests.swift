import Foundation
import StorageHarness
import Testing

@testable import Storage

/// A store that was converted from a `.realm` file has the contents of the file.
@Suite struct RealmFileConversionTests {
    private static let directory = "converted"

    static func convert(
        _ file: RealmFile, isSalvage: Bool = false, memoryBudget: Int = 256 << 20,
        to files: any FileSystem = MemoryFileSystem()
    ) throws -> (opened: StoreOpening.Opened, changes: RealmFileChanges) {
        let changes = try RealmFileConversion(
            file, to: files, key: nil, isSalvage: isSalvage, memoryBudget: memoryBudget,
            monitor: ReadingMonitor()
        ).fill(directory, try StoreSchema(of: file), time: 0)
        var opening = StoreOpening(fileSystem: files, directory: directory)
        opening.options.preparesInBackground = false
        return (try opening.open(account: NodeAccount()) { $0 }, changes)
    }

    private static func file(_ name: String) throws -> RealmFile {
        let folder = RealmFileFolder.current
        let key = RealmFileFolder.isEncrypted(name) ? RealmFileFolder.key : nil
        return try RealmFile(
            path: folder.url.appendingPathComponent(name + ".realm").path, key: key)
    }

    @Test(arguments: RealmFileContentsTests.names)
    func holdsWhatTheFileHolds(_ name: String) throws {
        let file = try Self.file(name)
        let (opened, changes) = try Self.convert(file)
        #expect(changes.droppedLinks == 0 && changes.droppedDuplicates == 0)
        let engine = TransactionEngine(opened)
        let outcome = try engine.verify(ReadingMonitor())
        #expect(outcome.problems.isEmpty, "\(outcome.problems.prefix(3))")
        let tree = opened.tree
        #expect(tree.schema.version == file.info.schemaVersion)
        #expect(tree.schema.classes.map(\.name) == file.classes.map(\.name))
        let comparison = try RealmFileComparison(file, bases: [:])
        try comparison.compare(with: tree)
        try Self.compareInverses(name, file, comparison, tree)
        try opened.log.close()
    }

    /// The inverse links of an object are those that Realm read.
    private static func compareInverses(
        _ name: String, _ file: RealmFile, _ comparison: RealmFileComparison, _ tree: WorkingTree
    ) throws {
        let expected = try RealmFileFolder.current.decode(
            RealmFileFolder.contents(of: name) + ".json", as: ExpectedFile.self)
        for table in expected.tables {
            guard let entry = file.classes.first(where: { $0.name == table.class }) else {
                continue
            }
            for object in table.objects {
                for (origin, keys) in object.backlinks ?? [:] {
                    let found = try comparison.backlinks(
                        to: try #require(Int64(object.key)), of: entry, from: origin, tree)
                    let place: Comment = "\(entry.name) \(object.key) \(origin)"
                    #expect(found.map { "\($0)" } == keys, place)
                }
            }
        }
    }

    /// Rows that are imported after others have the same contents and links. The largest file,
    /// which takes as long as all others, is only covered by the test above.
    @Test(arguments: RealmFileContentsTests.names.filter { $0 != "many" })
    func holdsTheSameBehindOtherRows(_ name: String) throws {
        let file = try Self.file(name)
        if file.classes.isEmpty { return }
        let files = MemoryFileSystem()
        let (opened, _) = try Self.convert(file, to: files)
        let engine = TransactionEngine(opened)
        let tree = opened.tree
        // Objects with a primary key would exist twice.
        try engine.beginBody()
        for index in tree.schema.classes.indices where tree.schema[ClassID(index)].primaryKey != nil
        {
            var all: [RowKey] = []
            tree.forEachCluster(ClassID(index)) { all += $0 }
            tree.delete(ClassID(index), all)
        }
        engine.endBody(try engine.encodeCommit(author: nil, time: 0), waiter: .nobody)
        let bases = Dictionary(
            uniqueKeysWithValues: file.classes.enumerated().map { number, entry in
                (entry.key, tree.nextRow(tree.states[number]).rawValue)
            })
        let counts = tree.schema.classes.indices.map { tree.count(ClassID($0)) }
        let (_, commit) = try RealmFileTransaction(
            file, isSalvage: false, monitor: ReadingMonitor()
        ).run(in: engine, author: nil, time: 0)
        engine.endBody(commit, waiter: .nobody)
        if let failure = engine.failure { throw failure }
        try RealmFileComparison(file, bases: bases, counts: counts).compare(with: tree)
        #expect(try engine.verify(ReadingMonitor()).problems.isEmpty)
        try opened.log.close()
        // The log has the same contents, if it has the values of the commit.
        var opening = StoreOpening(fileSystem: files, directory: Self.directory)
        opening.options.preparesInBackground = false
        let again = try opening.open(account: NodeAccount()) { $0 }
        try RealmFileComparison(file, bases: bases, counts: counts).compare(with: again.tree)
        try again.log.close()
    }

    /// Data that is read while an app writes to the file may belong to several of its commits.
    @Test func aFileWrittenMeanwhileIsNotImported() throws {
        // Slot 1 has the commit before the last one.
        let newest = try RealmFileFolder.own.bytes("small.realm")
        var bytes = newest
        bytes[23] = 1
        let files = MemoryFileSystem()
        let written = try files.open("file.realm", .create)
        // Safe: copied while they are lent.
        try bytes.withUnsafeBytes { try written.write($0, at: 0) }
        let file = try RealmFile(path: "file.realm", in: files)
        // Safe: as above.
        try newest.withUnsafeBytes { try written.write($0, at: 0) }
        #expect(throws: RealmFileError.changed(path: "file.realm")) { try Self.convert(file) }
    }

    /// A transaction that is much larger than the memory budget spills while it runs.
    @Test func takesLittleMemory() throws {
        let file = try Self.file("small")
        let (opened, _) = try Self.convert(file, memoryBudget: 1 << 20)
        #expect(opened.tree.count(ClassID(0)) == file.classes[0].count)
        try opened.log.close()
    }

    /// Unreadable lists, sets and maps of optionals are empty. They were set to null, like single
    /// values, and the commit interpreted that as a list.
    @Test(arguments: [32, 64, 128] as [Int64])
    func collectionsThatCannotBeReadAreEmpty(_ collection: Int64) throws {
        var builder = RealmFileBuilder()
        // It has a value for only one of the two objects.
        let leaf = builder.refs([0])
        builder.table(
            "class_A", count: 2,
            [
                .init("n", type: 0, leaf: builder.integers([1, 2])),
                .init("all", type: 6, attributes: collection | 16, keyType: 2, leaf: leaf),
            ])
        let file = try RealmFileReading.open(builder.file(), salvage: true)
        let (opened, _) = try Self.convert(file, isSalvage: true)
        #expect(file.report.count > 0 && opened.tree.count(ClassID(0)) == 2)
        #expect(try TransactionEngine(opened).verify(ReadingMonitor()).problems.isEmpty)
        try opened.log.close()
    }

    /// A dictionary has each key once. The log of a realm that had imported one with a repeated key
    /// could not be read.
    @Test func aKeyThatADictionaryHasTwiceIsKeptOnce() throws {
        var builder = RealmFileBuilder()
        let numbers = builder.integers([1 | 5 << 8, 1 | 7 << 8])
        let parts = [builder.strings(["k", "k"]), builder.refs([numbers, 0, 0, 0])]
        let dictionary = builder.refs(parts)
        let composites = builder.integers([22])
        let nested = builder.refs([dictionary])
        builder.table(
            "class_A", count: 1,
            [
                .init(
                    "any", type: 6, attributes: 16,
                    leaf: builder.refs([composites, 0, 0, 0, nested])),
                .init(
                    "map", type: 0, attributes: 64, keyType: 2, leaf: builder.refs([dictionary])),
            ])
        let (opened, changes) = try Self.convert(RealmFileReading.open(builder.file()))
        #expect(changes.mergedElements == 2)
        let tree = opened.tree
        var rows: [RowKey] = []
        tree.forEachCluster(ClassID(0)) { rows += $0 }
        let column = tree.schema[ClassID(0)].columns[0]
        let entries = [NestedEntry(key: "k", value: .int(5))]
        #expect(
            tree.contents(ClassID(0), try #require(rows.first), ColumnID(0), column)
                == .value(.dictionary(NestedID(0), entries)))
        #expect(try TransactionEngine(opened).verify(ReadingMonitor()).problems.isEmpty)
        try opened.log.close()
    }

    /// An embedded object with two parents is damage, and a salvage removes it from both. The store
    /// contained it twice.
    @Test func anEmbeddedObjectOfTwoParentsIsDamage() throws {
        var builder = RealmFileBuilder()
        let numbers = builder.integers([1, 2])
        builder.table("class_Part", count: 2, kind: 1, [.init("n", type: 0, leaf: numbers)])
        let links = builder.integers([1, 2, 1])
        builder.table(
            "class_Whole", count: 3,
            [.init("part", type: 12, attributes: 16, target: 0, leaf: links)])
        let file = try RealmFileReading.open(builder.file())
        #expect(throws: RealmFileError.self) { try Self.convert(file) }
        let (opened, changes) = try Self.convert(file, isSalvage: true)
        #expect(opened.tree.count(ClassID(0)) == 1 && opened.tree.count(ClassID(1)) == 3)
        #expect(changes.droppedLinks == 2)
        #expect(try TransactionEngine(opened).verify(ReadingMonitor()).problems.isEmpty)
        try opened.log.close()
    }

    /// The outcome is either a whole store, or an error and no store.
    @Test func aDamagedFileIsRefusedOrSalvaged() throws {
        let bytes = try RealmFileFolder.own.bytes("small.realm")
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0..<4 {
                damaged[Int.random(in: 24..<damaged.count, using: &generator)] ^=
                    UInt8.random(in: 1...255, using: &generator)
            }
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("damaged-\(UUID().uuidString).realm")
            try Data(damaged).write(to: folder)
            defer { try? FileManager.default.removeItem(at: folder) }
            for isSalvage in [false, true] {
                do {
                    let file = try RealmFile(path: folder.path, salvage: isSalvage)
                    let (opened, _) = try Self.convert(file, isSalvage: isSalvage)
                    let outcome = try TransactionEngine(opened).verify(ReadingMonitor())
                    #expect(outcome.problems.isEmpty)
                    try opened.log.close()
                } catch is RealmFileError {
                } catch let error as StorageError {
                    guard case .invalid = error else { throw error }
                }
            }
        }
    }
}
