import Storage

// Safety: arrays of whole files; every offset is of a frame that was found within them.

/// The log of a store in the hands of someone who knows the format and not the key: whatever is
/// changed in it, all checksums and hashes are made right again.
package struct ForgedLog {
    /// A frame, and the salt that its checksums are keyed with.
    package struct Frame {
        package let segment: Int
        package let offset: Int
        package let payload: Range<Int>
        fileprivate let salt: Bits128

        /// The frame's header.
        package var header: Range<Int> { offset..<payload.lowerBound }
    }

    private struct Segment {
        let path: String
        var bytes: [UInt8]
    }

    private var segments: [Segment] = []
    package private(set) var frames: [Frame] = []

    package static let segmentHeaderSize = 128
    private static let frameHeaderSize = 56

    /// Reads the log of a disk.
    package init(_ disk: SimulatedDisk) throws {
        let paths = disk.files.map(\.path).filter { $0.hasSuffix(".log") }.sorted()
        for path in paths {
            let bytes = try disk.contents(of: path)
            guard bytes.count > Self.segmentHeaderSize, bytes.word(at: 0) & 0xFF == 0x89 else {
                continue
            }
            segments.append(Segment(path: path, bytes: bytes))
            findFrames(in: segments.count - 1)
        }
    }

    private mutating func findFrames(in number: Int) {
        let bytes = segments[number].bytes
        let database = bytes.salt(at: 16)
        var salt = bytes.salt(at: 48)
        var offset = Self.segmentHeaderSize
        while offset + Self.frameHeaderSize <= bytes.count, bytes[offset] != 0 {
            let start = offset + Self.frameHeaderSize
            let length = Int(UInt32(truncatingIfNeeded: bytes.word(at: offset) >> 32))
            guard start + length <= bytes.count else { return }
            if bytes[offset] == 1 { salt = bytes.salt(at: start) }
            let hash = bytes.hash(offset..<offset + 48, seed: salt.low ^ database.low)
            guard hash == bytes.word(at: offset + 48) else { return }
            frames.append(
                Frame(segment: number, offset: offset, payload: start..<start + length, salt: salt))
            offset = start + length
        }
    }

    /// The bytes of a frame's file.
    package subscript(frame: Frame) -> [UInt8] {
        get { segments[frame.segment].bytes }
        set { segments[frame.segment].bytes = newValue }
    }

    /// Changes the header of a segment.
    package mutating func edit(segment number: Int, _ edit: (inout [UInt8]) -> Void) {
        edit(&segments[number].bytes)
        sign(segment: number)
    }

    package var segmentCount: Int { segments.count }

    private mutating func sign(segment number: Int) {
        let seed = segments[number].bytes.word(at: 16)
        let hash = segments[number].bytes.hash(0..<120, seed: seed)
        segments[number].bytes.store(hash, at: 120)
    }

    /// Makes the checksums of the frames from `first` on what they have to be, chains them to each
    /// other and the segments to them, and writes all of it, with a horizon that agrees.
    package mutating func write(to disk: SimulatedDisk, from first: Int) throws {
        var previous: UInt64?
        var hashes: [UInt64: UInt64] = [:]
        for (number, frame) in frames.enumerated() where number >= first {
            var bytes = self[frame]
            if let previous {
                if frame.offset == Self.segmentHeaderSize {
                    edit(segment: frame.segment) { $0.store(previous, at: 40) }
                    bytes = self[frame]
                }
                bytes.store(previous, at: frame.offset + 32)
            }
            let database = bytes.salt(at: 16)
            let sum = bytes.hash(frame.payload, seed: frame.salt.high ^ database.high)
            bytes.store(sum, at: frame.offset + 40)
            let fields = frame.offset..<frame.offset + 48
            let hash = bytes.hash(fields, seed: frame.salt.low ^ database.low)
            bytes.store(hash, at: frame.offset + 48)
            self[frame] = bytes
            previous = hash
            let end =
                bytes.word(at: frame.offset + 16)
                &+ UInt64(
                    frame.payload.upperBound - frame.offset)
            hashes[end] = hash
        }
        for segment in segments { try disk.replace(segment.path, with: segment.bytes) }
        try agree(disk, hashes)
    }

    private func agree(_ disk: SimulatedDisk, _ hashes: [UInt64: UInt64]) throws {
        guard let path = disk.files.map(\.path).first(where: { $0.hasSuffix("/horizon") }),
            let database = segments.first?.bytes.word(at: 16)
        else { return }
        var bytes = try disk.contents(of: path)
        guard bytes.count >= 32, let hash = hashes[bytes.word(at: 8)] else { return }
        bytes.store(hash, at: 16)
        bytes.store(bytes.hash(0..<24, seed: database), at: 24)
        try disk.replace(path, with: bytes)
    }
}

extension SimulatedDisk {
    /// The contents of a file.
    package func contents(of path: String) throws -> [UInt8] {
        let file = try open(path, .readOnly)
        var bytes = [UInt8](repeating: 0, count: try file.size().length)
        _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    /// Writes over a file.
    package func replace(_ path: String, with bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try open(path, .create).write($0, at: 0) }
    }
}

extension [UInt8] {
    /// The 8 bytes at `offset`, little-endian.
    package func word(at offset: Int) -> UInt64 {
        withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    package mutating func store(_ word: UInt64, at offset: Int) {
        withUnsafeMutableBytes {
            $0.storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
        }
    }

    package func hash(_ range: Range<Int>, seed: UInt64 = 0) -> UInt64 {
        withUnsafeBytes { XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[range]), seed: seed) }
    }

    fileprivate func salt(at offset: Int) -> Bits128 {
        Bits128(low: word(at: offset), high: word(at: offset + 8))
    }
}
