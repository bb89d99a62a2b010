import Foundation
import StorageHarness
import Testing

@testable import Storage

// Safety: bytes are those of arrays that the tests own, lent for the length of a call.

/// Salvage of stores in memory whose files are damaged at known offsets.
@Suite struct SalvageTests {
    typealias S = ModelSchema
    static let path = "store.realm"

    /// A store with three segments or more; returns the numbers and titles in it.
    func makeStore(
        _ fileSystem: any FileSystem, commits: Int = 40
    ) throws -> [Int64: String] {
        var opening = StoreOpening(fileSystem: fileSystem, directory: Self.path)
        opening.options = .small
        let opened = try opening.open(account: NodeAccount()) { _ in S.schema }
        let tree = opened.tree
        var version = opened.version
        var rows: [Int64: String] = [:]
        for number in 0..<Int64(commits) {
            let key = tree.createRow(S.item)
            let row = tree.writer(S.item, key)
            row?.setInt(S.number, number)
            row?.setString(S.title, "title \(number)")
            rows[number] = "title \(number)"
            if number > 0 { row?.setLink(S.friend, RowKey(number - 1)) }
            tree.listAppend(
                contentsOf: [.link(RowKey(max(number - 1, 0)))], S.item, key, ColumnID(S.children))
            _ = tree.setInsert(.string("tag \(number)"), S.item, key, ColumnID(S.tags))
            let part = tree.createRow(S.part)
            tree.writer(S.item, key)?.setLink(S.owned, part)
            if number % 4 == 3 {
                tree.writer(S.item, RowKey(number - 2))?.setString(S.title, "changed \(number)")
                rows[number - 2] = "changed \(number)"
                tree.mapSet(
                    .int(number), forKey: "k", S.item, RowKey(number - 1), ColumnID(S.extras))
            }
            if number % 10 == 9 {
                tree.delete(S.item, [RowKey(number - 4)])
                rows[number - 4] = nil
            }
            version = version.next
            let delta = tree.takeDelta()
            let group = CommitGroupBuffer()
            try group.append(version: version) { (writer) throws(StorageError) in
                CommitRecord.encode(
                    delta, of: tree, author: nil, schema: nil, time: 0, into: &writer)
            }
            try opened.log.append(group)
        }
        try opened.log.close()
        return rows
    }

    func segment(_ number: UInt32) -> String {
        Self.path + "/log/" + SegmentIndex(number).fileName
    }

    func contents(_ fileSystem: MemoryFileSystem, _ path: String) throws -> [UInt8] {
        let file = try fileSystem.open(path, .readOnly)
        var bytes = [UInt8](repeating: 0, count: try file.size().length)
        try bytes.withUnsafeMutableBytes { _ = try file.read(into: $0, at: 0) }
        return bytes
    }

    func write(
        _ bytes: [UInt8], _ fileSystem: MemoryFileSystem, _ path: String, at offset: Int
    ) throws {
        let file = try fileSystem.open(path, .readWrite)
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// All files of the damaged store, to check that they are not modified.
    private func image(_ fileSystem: MemoryFileSystem) throws -> [String: [UInt8]] {
        var image: [String: [UInt8]] = [:]
        for name in try fileSystem.list(Self.path + "/log") {
            image[name] = try contents(fileSystem, Self.path + "/log/" + name)
        }
        return image
    }

    func salvage(
        _ fileSystem: MemoryFileSystem, fallback: StoreSchema? = nil
    ) throws -> (outcome: SalvageOutcome, rows: [Int64: String]) {
        let before = try image(fileSystem)
        var salvage = StoreSalvage(
            fileSystem: fileSystem, directory: Self.path, destination: "new.realm")
        salvage.options = .small
        salvage.fallbackSchema = fallback
        let outcome = try salvage.run()
        #expect(try image(fileSystem) == before)
        let account = NodeAccount()
        let opening = StoreOpening(fileSystem: fileSystem, directory: "new.realm")
        let opened = try opening.open(account: account) { $0 }
        let verifier = StoreVerifier(
            opened.tree.capture(version: opened.version), isShared: false)
        try verifier.verify()
        #expect(verifier.problems == [])
        var rows: [Int64: String] = [:]
        if !opened.tree.schema.classes.isEmpty {
            let view = opened.tree.view.classView(S.item)
            for position in 0..<view.count {
                let place = view.row(at: position)
                rows[place.cluster.int(S.number, place.slot)] =
                    place.cluster.string(S.title, place.slot)
            }
            #expect(outcome.rows[S.item] == rows.count)
        }
        try opened.log.close()
        return (outcome, rows)
    }

    @Test func anUndamagedStoreIsSalvagedCompletely() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        let (outcome, found) = try salvage(fileSystem)
        #expect(found == rows && outcome.commits == 41)
        #expect(outcome.isComplete, "\(outcome)")
    }

    @Test func framesAfterADamagedOneAreKept() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        let bytes = try contents(fileSystem, segment(2))
        let victim = try #require(frames(bytes).dropFirst(2).first)
        try write([0xFF, 0xFF], fileSystem, segment(2), at: victim + 80)
        #expect(throws: StorageError.self) { try open(fileSystem) }
        let (outcome, found) = try salvage(fileSystem)
        #expect(outcome.gaps == 1 && !outcome.isComplete && outcome.lostRanges.count >= 1)
        let lost = try #require(outcome.lostRanges.first)
        #expect(lost.file == segment(2) && lost.bytes.contains(victim + 80))
        // One row is lost, and its changes.
        #expect(rows.keys.filter { found[$0] == nil }.count == 1)
        #expect(rows.filter { found[$0.key] != $0.value }.count <= 3)
        #expect(outcome.droppedLinks > 0)
    }

    @Test func aLostSegmentLosesNoOther() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        try fileSystem.remove(segment(2))
        let (outcome, found) = try salvage(fileSystem)
        #expect(outcome.gaps == 1)
        #expect(found.count > rows.count / 2 && found.count < rows.count)
        #expect(found[0] == rows[0] && found[39] == rows[39])
    }

    @Test func headersAreNotNeeded() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        // All files except one: the database must be identified somewhere.
        try fileSystem.remove(Self.path + "/superblock")
        try write([UInt8](repeating: 7, count: 100), fileSystem, segment(2), at: 0)
        try write([UInt8](repeating: 7, count: 100), fileSystem, segment(3), at: 0)
        let (outcome, found) = try salvage(fileSystem)
        #expect(found == rows && outcome.gaps == 0)
        #expect(outcome.lostRanges.count == 2)
    }

    @Test func aDamagedEpochStillHasItsSalt() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        // Overwrites the header of the first frame, and so its checksum, but not its payload.
        try write([9, 9, 9, 9], fileSystem, segment(1), at: SegmentHeader.size + 16)
        let (outcome, found) = try salvage(fileSystem)
        #expect(found == rows && outcome.gaps == 1)
    }

    @Test func theSchemaCanBeGivenWhenItIsLost() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        let bytes = try contents(fileSystem, segment(1))
        let schema = try #require(frames(bytes).dropFirst().first)
        try write([0xFF, 0xFF], fileSystem, segment(1), at: schema + 70)
        let (outcome, found) = try salvage(fileSystem, fallback: S.schema)
        #expect(found == rows && outcome.gaps == 1)
    }

    /// If no other schema is left, commits from before a migration are decoded with the one after
    /// it: removed values reappeared.
    @Test func aPropertyThatAMigrationHasRemovedStaysEmpty() throws {
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem, commits: 5)
        var classes = S.schema.classes
        classes[S.item.rawValue].columns[S.title].name = ""
        classes[S.item.rawValue].columns[S.title].dropIndex()
        let migrated = StoreSchema(classes: classes)
        var opening = StoreOpening(fileSystem: fileSystem, directory: Self.path)
        opening.options = .small
        try opening.open(account: NodeAccount()) { _ in migrated }.log.close()
        let bytes = try contents(fileSystem, segment(1))
        let schema = try #require(frames(bytes).dropFirst().first)
        try write([0xFF, 0xFF], fileSystem, segment(1), at: schema + 70)
        let (outcome, found) = try salvage(fileSystem)
        #expect(outcome.commits == 6 && found == rows.mapValues { _ in "" })
    }

    @Test func withoutAnySchemaNothingCanBeRead() throws {
        let fileSystem = MemoryFileSystem()
        _ = try makeStore(fileSystem)
        let bytes = try contents(fileSystem, segment(1))
        let schema = try #require(frames(bytes).dropFirst().first)
        try write([0xFF, 0xFF], fileSystem, segment(1), at: schema + 70)
        let (outcome, found) = try salvage(fileSystem)
        #expect(found.isEmpty && outcome.incompleteCommits == 40)
    }

    @Test func theDestinationMustBeFree() throws {
        let fileSystem = MemoryFileSystem()
        _ = try makeStore(fileSystem, commits: 3)
        let salvage = StoreSalvage(
            fileSystem: fileSystem, directory: Self.path, destination: Self.path)
        #expect(throws: StorageError.self) { try salvage.run() }
        let missing = StoreSalvage(
            fileSystem: fileSystem, directory: "nowhere", destination: "new.realm")
        #expect(throws: StorageError.self) { try missing.run() }
        #expect(throws: StorageError.self) { try fileSystem.list("new.realm") }
    }

    /// Damage at any offset never ends the process, and the salvaged store is always consistent.
    @Test(arguments: testSeeds(30)) func randomDamageLeavesAConsistentStore(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fileSystem = MemoryFileSystem()
        let rows = try makeStore(fileSystem)
        let names = try fileSystem.list(Self.path + "/log").filter { $0.hasSuffix(".log") }
        for _ in 0...random.next(below: 6) {
            let path = Self.path + "/log/" + names[random.next(below: names.count)]
            let size = try contents(fileSystem, path).count
            let length = 1 + random.next(below: random.next(below: 3) == 0 ? 600 : 3)
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            try write(bytes, fileSystem, path, at: random.next(below: max(size - length, 1)))
        }
        let (_, found) = try salvage(fileSystem, fallback: S.schema)
        for (number, title) in found where rows[number] == nil {
            // Only rows that a lost commit has deleted.
            #expect(title.hasPrefix("title") || title.hasPrefix("changed"), "SEED=\(seed)")
        }
    }

    private func open(_ fileSystem: MemoryFileSystem) throws {
        var opening = StoreOpening(fileSystem: fileSystem, directory: Self.path)
        opening.options.readOnly = true
        _ = try opening.open(account: NodeAccount()) { $0 }
    }

    /// The offsets of the frames of a segment.
    private func frames(_ bytes: [UInt8]) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            guard case .valid(let header) = SegmentHeaderReading(bytes) else { return [] }
            var reader = FrameReader(header.database)
            reader.resume(in: header.epochSalt)
            var offsets: [Int] = []
            var offset = SegmentHeader.size
            while let frame = try? reader.frame(in: bytes, at: offset) {
                offsets.append(offset)
                reader.resume(with: frame.key)
                offset += frame.header.frameSize
            }
            return offsets
        }
    }
}
