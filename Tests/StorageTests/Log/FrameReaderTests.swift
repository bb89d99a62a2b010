import Foundation
import StorageHarness
import Testing

@testable import Storage

// Safety: arrays that the tests own are lent for the length of a call.

/// Reading single frames, and each reason for a missing one.
@Suite struct FrameReaderTests {
    /// The absence at an offset; nil if there is a frame.
    private static func absence(
        _ bytes: [UInt8], at offset: Int, _ reader: FrameReader
    ) -> FrameAbsence? {
        bytes.withUnsafeBytes { bytes in
            do throws(FrameAbsence) {
                _ = try reader.frame(in: bytes, at: offset)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func readsEachFrameWhereItStands() throws {
        var image = FrameImage(salt: .zero)
        image.appendEpoch()
        try image.append(commit: 40)
        image.append(.seal)
        let frames = try image.frames()
        #expect(frames.map(\.header.kind) == [.epoch, .group, .seal])
        #expect(Array(frames[1].payload.bytes) == (try FrameImage.payload([.init(1, length: 40)])))
        for (frame, next) in zip(frames, frames.dropFirst()) {
            #expect(next.header.continues(frame.header.endPosition, frame.hash))
            #expect(!next.header.continues(frame.header.position, frame.hash))
            #expect(!next.header.continues(frame.header.endPosition, .none))
        }
        #expect(frames.last?.end(in: .first) == image.end)
    }

    @Test func distinguishesTheEndFromUnwrittenBlocks() throws {
        var image = FrameImage()
        try image.append(commit: 40)
        let (bytes, end, reader) = (image.bytes, image.bytes.count, image.reader())
        #expect(Self.absence(bytes, at: end, reader) == .end)
        #expect(Self.absence(bytes, at: end + 800, reader) == .end)
        #expect(Self.absence(bytes, at: .max, reader) == .end)
        #expect(Self.absence(bytes + Self.zeros(48), at: end, reader) == .end)
        #expect(Self.absence(bytes + Self.zeros(56), at: end, reader) == .blank)
        #expect(Self.absence(bytes + Self.zeros(800), at: end, reader) == .blank)
    }

    @Test func rejectsOtherHeaders() throws {
        var image = FrameImage()
        try image.append(commit: 40)
        let (end, reader) = (image.bytes.count, image.reader())
        let garbage = [UInt8](repeating: 0xA5, count: 200)
        #expect(Self.absence(image.bytes + garbage, at: end, reader) == .unrelated)
        #expect(Self.absence(image.bytes + [0, 0, 7, 0], at: end, reader) == .unrelated)
        var odd = image.bytes
        odd[image.offsets[0] + 4] |= 1
        #expect(Self.absence(odd, at: image.offsets[0], reader) == .unrelated)
    }

    /// A frame does not verify if any bit of it was changed.
    @Test func noBitCanChange() throws {
        var image = FrameImage()
        try image.append(commit: 24)
        let offset = image.offsets[0]
        #expect(Self.absence(image.bytes, at: offset, image.reader()) == nil)
        for index in offset..<image.bytes.count {
            for bit in 0..<8 {
                var bytes = image.bytes
                bytes[index] ^= 1 << UInt8(bit)
                let absence = Self.absence(bytes, at: offset, image.reader())
                #expect(absence == .unverified || absence == .unrelated, "byte \(index), \(bit)")
            }
        }
    }

    @Test func aTruncatedFrameDoesNotVerify() throws {
        var image = FrameImage()
        try image.append(commit: 24)
        let start = image.offsets[0]
        for count in start + FrameHeader.size..<image.bytes.count {
            let cut = Array(image.bytes.prefix(count))
            #expect(Self.absence(cut, at: start, image.reader()) == .unverified)
        }
    }

    @Test func aFrameOfAnotherEpochOrDatabaseDoesNotVerify() throws {
        var image = FrameImage()
        try image.append(commit: 24)
        let (bytes, offset) = (image.bytes, image.offsets[0])
        let other = Bits128(low: 5, high: 6)
        #expect(Self.absence(bytes, at: offset, image.reader(other)) == .unverified)
        #expect(Self.absence(bytes, at: offset, image.reader(.zero)) == .unverified)
        var foreign = FrameReader(other)
        foreign.resume(in: FrameImage.salt)
        #expect(Self.absence(bytes, at: offset, foreign) == .unverified)
        // If the epoch is unknown, each salt is tried.
        let search = FrameReader(FrameImage.database, otherSalts: [other, FrameImage.salt])
        #expect(Self.absence(bytes, at: offset, search) == nil)
    }

    @Test func anEpochBringsItsKeyAndHasOneSize() throws {
        var image = FrameImage(salt: .zero)
        image.appendEpoch()
        #expect(Self.absence(image.bytes, at: image.offsets[0], image.reader(.zero)) == nil)
        var long = FrameImage()
        long.append(.epoch, [UInt8](repeating: 1, count: EpochPayload.size + 8))
        #expect(Self.absence(long.bytes, at: long.offsets[0], long.reader()) == .unverified)
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}

/// Reading the frames of files in succession.
@Suite struct LogReaderTests {
    private static func store(_ images: [FrameImage]) throws -> StoreDirectory {
        let files = MemoryFileSystem()
        let store = StoreDirectory(fileSystem: files, path: "store.realm")
        try files.createDirectory(store.path)
        try files.createDirectory(store.logPath)
        for image in images {
            let file = try files.open(store.path(of: image.segment.index), .create)
            try image.bytes.withUnsafeBytes { try file.write($0, at: 0) }
        }
        return store
    }

    private static func reader(
        _ store: StoreDirectory, from start: LogEnd
    ) throws -> LogReader {
        var reader = LogReader(store, database: FrameImage.database, from: start)
        reader.enter(try #require(try reader.open(start.segment)))
        return reader
    }

    private static func absence(
        _ reader: LogReader, _ window: inout LogWindow
    ) throws -> FrameAbsence? {
        guard case .failure(let absence) = try reader.read(into: &window) else { return nil }
        return absence
    }

    /// Small frames, one that ends at the end of a chunk, and larger ones, in any order.
    @Test func readsFramesOfAllSizesThroughOneWindow() throws {
        let chunk = LogWindow.small - FrameHeader.size
        let sizes = [8, chunk, 100_000, 16, chunk + 8, 8, 300_000, chunk - 8, 24]
        var image = FrameImage()
        for (number, size) in sizes.enumerated() {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
            image.append(.part, bytes, version: 1)
        }
        var reader = try Self.reader(Self.store([image]), from: LogEnd(beginOf: image.segment))
        var window = LogWindow()
        for (number, size) in sizes.enumerated() {
            #expect(reader.place.offset == image.offsets[number])
            let frame = try reader.read(into: &window).get()
            #expect(frame.payload.bytes.count == size)
            #expect(
                frame.payload.bytes.enumerated().allSatisfy {
                    $0.element == UInt8(truncatingIfNeeded: $0.offset &* 7 &+ number)
                })
            reader.pass(frame)
        }
        #expect(reader.next == image.end)
        #expect(try Self.absence(reader, &window) == .end)
    }

    @Test func continuesInTheNextSegment() throws {
        var first = FrameImage(salt: .zero)
        first.appendEpoch()
        var second = FrameImage(
            after: LogEnd(
                position: first.end.position, hash: first.end.hash, salt: first.end.salt,
                segment: SegmentIndex(2)))
        try second.append(commit: 40)
        let store = try Self.store([first, second])
        var reader = LogReader(store, database: FrameImage.database, from: .begin)
        var window = LogWindow()
        #expect(try Self.absence(reader, &window) == .end)
        for image in [first, second] {
            reader.enter(try #require(try reader.open(image.segment.index)))
            reader.pass(try reader.read(into: &window).get())
        }
        #expect(reader.next == second.end)
        #expect(throws: StorageError.self) { try reader.open(SegmentIndex(3)) }
        let stranger = LogReader(store, database: .zero, from: .begin)
        #expect(try stranger.open(.first) == nil)
    }

    /// A frame that verifies, but belongs elsewhere, is treated as missing.
    @Test func aFrameThatDoesNotContinueIsUnrelated() throws {
        var image = FrameImage()
        try image.append(commit: 40)
        try image.append(commit: 40, version: 2)
        let store = try Self.store([image])
        var window = LogWindow()
        var start = LogEnd(beginOf: image.segment)
        #expect(try Self.absence(Self.reader(store, from: start), &window) == nil)
        start.hash = FrameHash(1)
        #expect(try Self.absence(Self.reader(store, from: start), &window) == .unrelated)
    }

    @Test(arguments: [40, 100_000])
    func aFrameThatIsBeingWrittenIsNotReadUntilItIsWhole(size: Int) throws {
        var image = FrameImage()
        try image.append(commit: size)
        let store = try Self.store([image])
        let path = store.path(of: .first)
        let file = try store.fileSystem.open(path, .readWrite)
        let start = image.offsets[0]
        var window = LogWindow()
        let reader = try Self.reader(store, from: LogEnd(beginOf: image.segment))
        try Self.write([UInt8](repeating: 0, count: image.bytes.count - start), file, at: start)
        #expect(try Self.absence(reader, &window) == .blank)
        for count in [8, FrameHeader.size, image.bytes.count - start - 8] {
            try Self.write(Array(image.bytes[start..<start + count]), file, at: start)
            let absence = try Self.absence(reader, &window)
            #expect(absence == .unverified || absence == .unrelated)
        }
        try Self.write(Array(image.bytes[start...]), file, at: start)
        #expect(try Self.absence(reader, &window) == nil)
    }

    private static func write(_ bytes: [UInt8], _ file: any File, at offset: Int) throws {
        try bytes.withUnsafeBytes { try file.write($0, at: offset) }
    }

    /// The checksums are valid, but the seal is that of another segment.
    @Test(.enabled(if: SecretKey.isAvailable))
    func aFrameThatWasSealedElsewhereIsForeign() throws {
        let cipher = StoreCipher(dataKey: try .random(), database: FrameImage.database)
        var image = FrameImage(cipher: cipher)
        try image.append(commit: 40)
        var store = try Self.store([image])
        store.cipher = cipher
        var window = LogWindow()
        let start = LogEnd(beginOf: image.segment)
        let frame = try Self.reader(store, from: start).read(into: &window).get()
        #expect(Array(frame.payload.bytes) == (try FrameImage.payload([.init(1, length: 40)])))
        // The same frame behind another header.
        var other = image.segment
        other.lastVersion = Version(7)
        var header = [UInt8](repeating: 0, count: SegmentHeader.size)
        header.withUnsafeMutableBytes { other.encode(into: $0) }
        try Self.write(header, store.fileSystem.open(store.path(of: .first), .readWrite), at: 0)
        #expect(try Self.absence(Self.reader(store, from: start), &window) == .foreign)
        // Another key does not open it either.
        store.cipher = StoreCipher(dataKey: try .random(), database: FrameImage.database)
        #expect(try Self.absence(Self.reader(store, from: start), &window) == .foreign)
    }
}
