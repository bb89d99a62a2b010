import StorageHarness
import Synchronization
import Testing

@testable import Storage

// Safety: bytes are those of arrays that the tests own, or of a caller's buffer, lent for the
// length of a call.

/// Files that an app writes to while they are read.
@Suite struct RealmFileWritingTests {
    /// If the app wrote the first page between the two reads of its entry, the key was reported as
    /// wrong.
    @Test(.enabled(if: RealmFileCipher.isAvailable))
    func aPageThatIsWrittenMeanwhileIsReadAgain() throws {
        let bytes = try RealmFileFolder.own.bytes("streaming-encrypted.realm")
        for count in [0, 1, 5] {
            let file = try Self.open(bytes, writings: count)
            var reading = RealmFileReading()
            #expect(try reading.read(file) == 300)
        }
        // Reading a page that changes each time ends as well.
        #expect(throws: RealmFileError.wrongKey(path: "file.realm")) {
            try Self.open(bytes, writings: 200)
        }
    }

    private static func open(_ bytes: [UInt8], writings: Int) throws -> RealmFile {
        let written = try MemoryFileSystem().open("file.realm", .create)
        try bytes.withUnsafeBytes { try written.write($0, at: 0) }
        return try RealmFile(
            RealmFileOpening(
                file: WrittenFile(written, writings), path: "file.realm", key: RealmFileFolder.key),
            salvage: false)
    }

    /// Data that an app had overwritten was reported as damage of the file.
    @Test func dataOverwrittenByAnAppIsNotDamage() throws {
        var builder = RealmFileBuilder()
        // The leaf is alone on its page, which is not read before the import.
        let filler = [UInt8](repeating: 7, count: 40_000)
        _ = builder.blob(filler)
        let leaf = builder.integers([1, 2])
        _ = builder.blob(filler)
        builder.table("class_A", count: 2, [.init("n", type: 0, leaf: leaf)])
        let first = builder.file()
        // Moves the top array of the second commit.
        _ = builder.blob([1])
        let second = builder.file()
        let damage = RealmFileError.damaged(
            path: "file.realm", offset: Int(leaf), reason: "values has an invalid width type")
        for (newest, error) in [
            (first, damage), (second, RealmFileError.changed(path: "file.realm")),
        ] {
            let files = MemoryFileSystem()
            let written = try files.open("file.realm", .create)
            try first.withUnsafeBytes { try written.write($0, at: 0) }
            let file = try RealmFile(path: "file.realm", in: files)
            var newest = newest
            newest[Int(leaf) + 4] |= 3 << 3
            try newest.withUnsafeBytes { try written.write($0, at: 0) }
            #expect(throws: error) { try RealmFileConversionTests.convert(file) }
        }
    }

    /// A commit was reported as unfinished if other data had replaced the top array of the previous
    /// one.
    @Test func otherDataIsNotAnUnfinishedCommit() throws {
        var bytes = try RealmFileFolder.own.bytes("small.realm")
        let place = bytes.count
        // A node of 20 tagged integers, each greater than the number of any commit.
        bytes += [0x41, 0x41, 0x41, 0x41, 0x47, 0, 0, 20] + [UInt8](repeating: 0x7F, count: 160)
        for index in 0..<8 { bytes[8 + index] = UInt8(truncatingIfNeeded: place >> (index * 8)) }
        #expect(try !RealmFileReading.open(bytes).info.hasUnfinishedCommit)
    }
}

/// An encrypted file whose first page an app writes continuously: the entry belongs to another
/// state of the page, as often as it is written.
private final class WrittenFile: File {
    private let base: any File
    private let writings: Mutex<Int>

    init(_ base: any File, _ writings: Int) {
        self.base = base
        self.writings = Mutex(writings)
    }

    func size() throws(StorageError) -> FileSize { try base.size() }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        let count = try base.read(into: buffer, at: offset)
        // An entry has 64 bytes, with the digest from the fifth on.
        guard offset == 0, buffer.count == 64 else { return count }
        let number = writings.withLock { writings in
            defer { writings = max(writings - 1, 0) }
            return writings
        }
        buffer[4] ^= UInt8(number)
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        try base.write(bytes, at: offset)
    }

    func allocate(_ length: Int) throws(StorageError) { try base.allocate(length) }

    func truncate(to length: Int) throws(StorageError) { try base.truncate(to: length) }

    func sync() throws(StorageError) { try base.sync() }
}
