import Foundation
import StorageHarness
import Testing

@testable import Storage

/// A store that was made of a `.realm` file holds what the file does.
@Suite struct RealmFileConversionTests {
    private static let directory = "converted"

    private static func convert(
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
        for (number, entry) in file.classes.enumerated() {
            try compare(entry, ClassID(number), tree, file)
        }
        try opened.log.close()
    }

    private func compare(
        _ entry: RealmFileClass, _ id: ClassID, _ tree: WorkingTree, _ file: RealmFile
    ) throws {
        let schema = tree.schema[id]
        var (count, left) = (0, 0)
        var cursor = file.objects(of: entry)
        while let batch = try cursor.next() {
            for row in 0..<batch.count {
                let key = RowKey(batch.keys[row])
                guard let found = tree.locate(id, key) else {
                    #expect(entry.kind == .embedded, "an object of \(entry.name) is missing")
                    left += 1
                    continue
                }
                count += 1
                for column in schema.columns.indices {
                    let stored = ColumnContents(found, ColumnID(column), schema.columns[column])
                    let wanted = try WholeValue(batch.value(of: column, at: row))
                    #expect(
                        Self.matches(stored, wanted, schema.columns[column].container),
                        "\(entry.name).\(schema.columns[column].name) of \(key): \(stored)")
                }
            }
        }
        #expect(tree.count(id) == count)
        #expect(count + left == entry.count)
    }

    private static func matches(
        _ stored: ColumnContents, _ wanted: WholeValue, _ container: Container
    ) -> Bool {
        switch (stored, wanted) {
        case (.value(let value), _): matches(value, wanted)
        case (.elements(let elements), .list(let all)):
            elements.count == all.count && zip(elements, all).allSatisfy { matches($0, $1) }
        case (.elements(let elements), .set(let all)):
            // Dates less than a microsecond apart may become one.
            all.allSatisfy { one in elements.contains { matches($0, one) } }
                && elements.allSatisfy { element in all.contains { matches(element, $0) } }
        case (.entries(let keys, let values), .dictionary(let entries)):
            keys.map { Array($0.utf8) }
                == entries.map { String(decoding: $0.key, as: UTF8.self) }
                .map { Array($0.utf8) }
                && zip(values, entries).allSatisfy { matches($0, $1.value) }
        default: false
        }
    }

    private static func matches(_ stored: StoredValue, _ wanted: WholeValue) -> Bool {
        switch (stored, wanted) {
        case (.list(_, let elements), .list(let all)):
            elements.count == all.count && zip(elements, all).allSatisfy { matches($0, $1) }
        case (.dictionary(_, let entries), .dictionary(let all)):
            entries.count == all.count
                && zip(entries, all).allSatisfy {
                    Array($0.key.utf8) == $1.key && matches($0.value, $1.value)
                }
        case (_, .single(let value)): matches(stored, value)
        default: false
        }
    }

    private static func matches(_ stored: StoredValue, _ wanted: RealmFileValue) -> Bool {
        switch (stored, wanted) {
        case (.null, .null): true
        case (.int(let a), .int(let b)): a == b
        case (.bool(let a), .bool(let b)): a == b
        case (.float(let a), .float(let bits)): a.bitPattern == bits
        case (.double(let a), .double(let bits)): a.bitPattern == bits
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.string(let a), .malformedString(let bytes)):
            a == String(decoding: bytes, as: UTF8.self)
        case (.data(let a), .data(let b)): Array(a) == b
        case (.date(let a), .date(let date)):
            a == Double(Int128(date.seconds) - 978_307_200) + Double(date.nanoseconds) / 1e9
        case (.decimal(let a), .decimal(let b)): a.bits == UInt128(b.high) << 64 | UInt128(b.low)
        case (.objectID(let a), .objectID(let b)): Self.bytes(of: a) == b.bytes
        case (.uuid(let a), .uuid(let b)): Self.bytes(of: a.uuid) == b.bytes
        case (.link(let a), .link(let b)), (.object(_, let a), .link(let b)): a.rawValue == b.key
        default: false
        }
    }

    private static func bytes<Value>(of value: Value) -> [UInt8] {
        // Safe: copied while they are lent.
        withUnsafeBytes(of: value) { Array($0) }
    }

    /// A transaction that is much larger than memory may hold is written on the way.
    @Test func takesLittleMemory() throws {
        let file = try Self.file("small")
        let (opened, _) = try Self.convert(file, memoryBudget: 1 << 20)
        #expect(opened.tree.count(ClassID(0)) == file.classes[0].count)
        try opened.log.close()
    }

    /// Either a store that is whole, or an error and nothing else.
    @Test func aDamagedFileIsRefusedOrItsRestKept() throws {
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
