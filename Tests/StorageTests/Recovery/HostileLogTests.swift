import Testing

@testable import Storage

// Safety: arrays that the tests own are lent for the length of a call.

/// Logs crafted by an attacker who knows the format.
@Suite struct HostileLogTests {
    private static let path = "log/0000000001.log"

    /// Reads a log of one segment; returns the verdict on its end.
    private static func verdict(_ bytes: [UInt8]) throws -> RecoveryVerdict {
        let files = MemoryFileSystem()
        try files.createDirectory("log")
        let file = try files.open(path, .create)
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        let database = FrameImage.database
        let list = try SegmentList.read(
            from: files, directory: "log", database: database, first: .first)
        var scanner = LogScanner(
            fileSystem: files, list: list, database: database, horizon: nil)
        try scanner.scan { _ in }
        return scanner.verdict
    }

    /// A valid frame header for an invalid payload.
    private static func claim(_ length: Int, behind image: FrameImage) -> [UInt8] {
        var header = FrameHeader(
            kind: .group, payloadLength: length, version: Version(2),
            position: image.end.position, syncedThrough: .zero, previousHash: image.end.hash)
        header.payloadChecksum = 1
        var bytes = [UInt8](repeating: 0, count: FrameHeader.size)
        bytes.withUnsafeMutableBytes { _ = header.encode(into: $0, key: image.key) }
        return bytes
    }

    /// Each header claimed all bytes behind it, and all of these were hashed for each header:
    /// hours, for a segment of 16 MiB.
    @Test func headersThatClaimTheSameBytesAreDamage() throws {
        var image = FrameImage(salt: .zero)
        image.appendEpoch()
        try image.append(commit: 40)
        let count = 200
        var bytes = image.bytes
        for number in 1...count {
            bytes += Self.claim((count - number) * FrameHeader.size, behind: image)
        }
        let error = #expect(throws: StorageError.self) { _ = try Self.verdict(bytes) }
        guard case .corrupted(Self.path, let offset, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // The search ends long before the end of the bytes.
        #expect(offset > image.bytes.count && offset < bytes.count / 2)
    }

    /// The frames of a writer do not overlap: any number of torn ones is what a crash may leave.
    @Test func framesOfAWriterThatAreTornAreNoDamage() throws {
        var image = FrameImage(salt: .zero)
        image.appendEpoch()
        for number in UInt64(1)...200 { try image.append(commit: 40, version: number) }
        var bytes = image.bytes
        #expect(try Self.verdict(bytes) == .cleanEnd)
        for offset in image.offsets.dropFirst(2) { bytes[offset + FrameHeader.size] ^= 1 }
        #expect(try Self.verdict(bytes) == .tornGroup)
    }
}
