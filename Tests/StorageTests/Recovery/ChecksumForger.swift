import StorageHarness

@testable import Storage

// Safety: bytes that were just read into the caller's buffer, which is lent for the call.

/// A file system that corrects the payload checksum of every frame when it is read: a store on it
/// behaves as if it never compared checksums.
struct ChecksumForger: FileSystem {
    let base: SimulatedDisk

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(".log") ? ForgedFile(file) : file
    }

    func createDirectory(_ path: String) throws(StorageError) { try base.createDirectory(path) }

    func list(_ path: String) throws(StorageError) -> [String] { try base.list(path) }

    func rename(_ path: String, to newPath: String) throws(StorageError) {
        try base.rename(path, to: newPath)
    }

    func link(_ path: String, to newPath: String) throws(StorageError) {
        try base.link(path, to: newPath)
    }

    func remove(_ path: String) throws(StorageError) { try base.remove(path) }

    func syncDirectory(_ path: String) throws(StorageError) { try base.syncDirectory(path) }

    func lock(_ path: String) throws(StorageError) -> (any FileLock)? { try base.lock(path) }
}

private final class ForgedFile: File {
    private let base: any File

    init(_ base: any File) { self.base = base }

    func size() throws(StorageError) -> FileSize { try base.size() }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        // The whole file: a frame may begin before the requested range, and end after it.
        let whole = AlignedBuffer(capacity: try base.size().length.roundedUpTo8)
        let length = try base.read(into: whole.bytes, at: 0)
        if length > SegmentHeader.size { forge(whole.bytes.slice(0..<length)) }
        let range = min(offset, length)..<min(offset + buffer.count, length)
        let part = UnsafeRawBufferPointer(whole.bytes.slice(range))
        buffer.slice(0..<part.count).copyMemory(from: part)
        return part.count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        try base.write(bytes, at: offset)
    }

    func allocate(_ length: Int) throws(StorageError) { try base.allocate(length) }

    func truncate(to length: Int) throws(StorageError) { try base.truncate(to: length) }

    func sync() throws(StorageError) { try base.sync() }

    /// Follows the frames like the scanner, and corrects the checksums of frames of which only the
    /// payload does not verify.
    private func forge(_ bytes: UnsafeMutableRawBufferPointer) {
        guard
            case .valid(let segment) = SegmentHeaderReading(
                UnsafeRawBufferPointer(bytes).slice(0..<SegmentHeader.size))
        else { return }
        var key =
            segment.epochSalt == .zero
            ? nil : FrameKey(salt: segment.epochSalt, database: segment.database)
        var offset = SegmentHeader.size
        while offset + FrameHeader.size <= bytes.count {
            let headerBytes = bytes.slice(offset..<offset + FrameHeader.size)
            guard var header = FrameHeader(UnsafeRawBufferPointer(headerBytes)),
                offset + header.frameSize <= bytes.count
            else { return }
            let start = offset + FrameHeader.size
            let payload = UnsafeRawBufferPointer(
                bytes.slice(start..<start + Int(header.payloadLength)))
            if header.kind == .epoch, payload.count == EpochPayload.size {
                key = FrameKey(salt: EpochPayload(payload).salt, database: segment.database)
            }
            guard let key, key.verifiedHash(UnsafeRawBufferPointer(headerBytes)) != nil else {
                return
            }
            let checksum = key.payloadChecksum(payload)
            if checksum != header.payloadChecksum {
                header.payloadChecksum = checksum
                _ = header.encode(into: headerBytes, key: key)
            }
            offset += header.frameSize
        }
    }
}
