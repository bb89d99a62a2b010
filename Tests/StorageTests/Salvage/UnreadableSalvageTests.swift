import StorageHarness
import Testing

@testable import Storage

/// Salvage from a disk on which some reads fail.
@Suite struct UnreadableSalvageTests {
    private static let path = "store.realm"
    private static let basket = ClassID(0)
    private static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Basket",
            columns: [
                ColumnSchema(name: "numbers", kind: .int, container: .list),
                ColumnSchema(name: "prices", kind: .double, container: .map),
                ColumnSchema(name: "text", kind: .string),
            ])
    ])

    private func makeStore(_ files: any FileSystem) throws {
        let tree = WorkingTree(schema: Self.schema, account: NodeAccount())
        for row in Int64(0)..<3 {
            let key = tree.createRow(Self.basket)
            let numbers = (Int64(0)..<3_000).map { StoredValue.int(row * 100_000 + $0) }
            tree.listAppend(contentsOf: numbers, Self.basket, key, ColumnID(0))
            for number in 0..<500 {
                tree.mapSet(
                    .double(Double(number)), forKey: "price \(number)", Self.basket, key,
                    ColumnID(1))
            }
            let text = String(repeating: "text \(row) ", count: 4_000)
            tree.set(.string(text), Self.basket, key, ColumnID(2))
        }
        let version = tree.capture(version: Version.zero.next)
        try StoreCopy(of: version, to: files, directory: Self.path).write()
    }

    /// The contents of the rows of a store; nil if it does not have the class.
    private func contents(_ files: any FileSystem, _ path: String) throws -> [[ColumnContents]]? {
        var opening = StoreOpening(fileSystem: files, directory: path)
        opening.options = .small
        let opened = try opening.open(account: NodeAccount()) { $0 }
        defer { try? opened.log.close() }
        guard !opened.tree.schema.classes.isEmpty else { return nil }
        let view = opened.tree.view.classView(Self.basket)
        let columns = view.classSchema.columns
        var rows: [[ColumnContents]] = []
        for key in Int64(0)..<3 {
            if let row = view.locate(RowKey(key)) {
                let contents = columns.indices.map {
                    ColumnContents(row, ColumnID($0), columns[$0])
                }
                rows.append(contents)
            }
        }
        return rows
    }

    private func rescue(
        _ files: any FileSystem, to destination: String = "new.realm"
    ) throws -> SalvageOutcome {
        var salvage = StoreSalvage(
            fileSystem: files, directory: Self.path, destination: destination)
        salvage.options = .small
        return try salvage.run()
    }

    /// A process without a free descriptor reported the files that it could not open as lost.
    @Test func aLackOfDescriptorsIsNoDamage() throws {
        let memory = MemoryFileSystem()
        try makeStore(memory)
        let path = Self.path
        var opened = [path + "/superblock"]
        for folder in ["/log/", "/pages/"] {
            opened += try memory.list(path + folder.dropLast()).map { path + folder + $0 }
        }
        #expect(opened.count > 2)
        for file in opened {
            let lack = StorageError.io(operation: .open, path: file, errno: 24)
            let files = RefusingFiles(memory) { path, _ in path == file ? lack : nil }
            files.isRefusing = true
            #expect(throws: lack, "\(file)") { try rescue(files) }
            #expect(throws: StorageError.self) { try memory.list("new.realm") }
        }
        let scarce = ScarceFiles(memory)
        for (allowed, folder) in [(0, "new.realm"), (2, path + "/log")] {
            scarce.allow(allowed)
            #expect(throws: StorageError.io(operation: .list, path: folder, errno: 24)) {
                try rescue(scarce)
            }
        }
        #expect(try rescue(memory).lostRanges.isEmpty)
        #expect(try contents(memory, "new.realm") == contents(memory, path))
    }

    /// A salvage reported a complete store although elements, or a text, were missing because the
    /// disk had failed to read them.
    @Test func everyFailedReadIsReported() throws {
        let files = UnreadableFiles(MemoryFileSystem())
        try makeStore(files)
        let whole = try #require(try contents(files, Self.path))
        #expect(whole.count == 3)
        let places = files.asked
        var lost = 0
        for (number, place) in places.sorted(by: { $0.lowerBound < $1.lowerBound }).enumerated() {
            let destination = "new-\(number).realm"
            files.unreadable = place
            let outcome = try? rescue(files, to: destination)
            files.unreadable = 0..<0
            // A salvage that throws has reported the failure.
            guard let outcome else { continue }
            if try contents(files, destination) == whole { continue }
            lost += 1
            #expect(!outcome.isComplete, "\(place)")
        }
        #expect(lost > 3)
    }
}
