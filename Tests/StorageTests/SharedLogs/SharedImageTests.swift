import StorageHarness
import Testing

@testable import Storage

/// Images of a shared log, as hosts create and read them.
@Suite struct SharedImageTests {
    private static let host = Bits128(low: 7, high: 7)
    private static let cursor = SharedCursor(
        realm: Bits128(low: 1, high: 2), next: LogSlot(9), hash: SharedEntryHash(3), epoch: 0,
        lastWriter: host, version: Version(5), bytes: 1_000)

    /// The files of a folder, like those of a store, and the parts that it is split into.
    private static func parts(
        _ files: MemoryFileSystem, partBytes: Int = 100
    ) throws -> (described: SharedLogImage, parts: [[UInt8]]) {
        let folder = StoreDirectory(fileSystem: files, path: "made")
        for name in ["made", "made/log", "made/pages"] { try files.createDirectory(name) }
        for (name, size) in [("superblock", 30), ("log/1.log", 0), ("pages/1.pages", 350)] {
            let file = try files.open("made/" + name, .create)
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            // Unsafe: lent for the call.
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        }
        _ = try files.open("made/writer.lock", .create)
        var writer = try SharedImageWriter(
            folder, host: host, cursor: cursor, time: 1, partBytes: partBytes)
        var parts: [[UInt8]] = []
        let described = writer.described(sealedBy: nil)
        while let part = try writer.next() { parts.append(part) }
        return (described, parts)
    }

    private static func header(_ parts: [[UInt8]]) throws -> SharedImageHeader {
        try #require(
            SharedImageHeader(decoding: Array(parts[0].dropFirst(SharedImageWriter.idSize))))
    }

    private static func read(
        _ parts: some Sequence<[UInt8]>, _ header: SharedImageHeader, _ files: MemoryFileSystem
    ) throws {
        let folder = StoreDirectory(fileSystem: files, path: "read")
        var reader = SharedImageReader(try SharedImageFolder(folder), header)
        for var part in parts { try reader.take(&part) }
        try reader.end()
    }

    /// Calculations of a host with such a header ended the process.
    @Test func impossibleHeadersAreRefused() {
        func header(
            time: Double = 1, version: Version = Version(5), bytes: UInt64 = 1_000
        ) -> SharedImageHeader {
            let cursor = SharedCursor(
                realm: Bits128(low: 1, high: 2), next: LogSlot(9), hash: SharedEntryHash(3),
                epoch: 0, lastWriter: Self.host, version: version, bytes: bytes)
            return SharedImageHeader(time: time, length: 9, host: Self.host, cursor: cursor)
        }
        #expect(SharedImageHeader(decoding: header().encoded) != nil)
        for other in [
            header(time: .nan), header(time: .infinity), header(time: -1e12),
            header(version: Version(UInt64.max)), header(bytes: .max),
        ] { #expect(SharedImageHeader(decoding: other.encoded) == nil) }
    }

    @Test(arguments: [1, 7, 100, 1 << 20])
    func aFolderIsAsItWas(_ partBytes: Int) throws {
        let files = MemoryFileSystem()
        let (described, parts) = try Self.parts(files, partBytes: partBytes)
        let header = try Self.header(parts)
        #expect(header.cursor == Self.cursor && header.host == Self.host && header.time == 1)
        #expect(described.parts == parts.count && described.slot == LogSlot(9))
        let overhead = SharedImagePart.overhead(nil)
        #expect(described.bytes == parts.reduce(0) { $0 + $1.count + overhead })
        try Self.read(parts.dropFirst(), header, files)
        for name in ["superblock", "log/1.log", "pages/1.pages"] {
            #expect(try contents("read/" + name, files) == contents("made/" + name, files))
        }
        #expect(try files.list("read") == ["log", "pages", "superblock"])
    }

    private func contents(_ path: String, _ files: MemoryFileSystem) throws -> [UInt8] {
        let file = try files.open(path, .readOnly)
        var bytes = [UInt8](repeating: 0, count: try file.size().length)
        // Unsafe: lent for the call.
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    @Test func incompleteImagesAreRefused() throws {
        let files = MemoryFileSystem()
        let (_, parts) = try Self.parts(files)
        let header = try Self.header(parts)
        for count in 1..<parts.count {
            #expect(throws: StorageError.self) {
                try Self.read(parts[1..<count], header, files)
            }
        }
    }

    @Test func aPartOfAnotherImageIsRefused() throws {
        let files = MemoryFileSystem()
        let (_, one) = try Self.parts(files)
        let (_, other) = try Self.parts(files)
        var mixed = one
        mixed[2] = other[2]
        #expect(throws: StorageError.self) {
            try Self.read(mixed.dropFirst(), try Self.header(one), files)
        }
    }

    @Test(arguments: ["../x", "log/../../x", "/x", "log/", "shared", "pages/a/b", "log/.."])
    func noFileIsOutsideTheFolder(_ name: String) throws {
        let name = Array(name.utf8)
        let files = [UInt8(name.count), 0, 1, 0, 0, 0, 0, 0, 0, 0] + name + [1]
        let header = SharedImageHeader(
            time: 0, length: files.count, host: Self.host, cursor: Self.cursor)
        #expect(throws: StorageError.self) {
            try Self.read([header.id.bytes + files], header, MemoryFileSystem())
        }
    }
}
