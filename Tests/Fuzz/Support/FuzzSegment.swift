// Safety: all memory is that of arrays owned here; every access is checked against their counts.

/// A log of one segment whose frames verify, whatever is in them.
struct FuzzSegment {
    static let database = Bits128(low: 0x0102_0304_0506_0708, high: 0x1112_1314_1516_1718)
    static let salt = Bits128(low: 0x2122_2324_2526_2728, high: 0x3132_3334_3536_3738)
    static let key = FrameKey(salt: salt, database: database)

    private(set) var bytes: [UInt8]
    private var position = LogPosition.zero
    private var hash = FrameHash.none

    /// A segment with an epoch and nothing behind it.
    init() {
        bytes = [UInt8](repeating: 0, count: SegmentHeader.size)
        Self.header.encode(into: &bytes)
        var payload = [UInt8](repeating: 0, count: EpochPayload.size)
        payload.withUnsafeMutableBytes {
            EpochPayload(salt: Self.salt, wallClock: 1, processIdentifier: 1).encode(into: $0)
        }
        append(.epoch, payload, version: .zero)
    }

    private static var header: SegmentHeader {
        SegmentHeader(
            index: .first, database: database, firstPosition: .zero, previousHash: .none,
            epochSalt: .zero, lastVersion: .zero)
    }

    mutating func append(
        _ kind: FrameKind, flags: UInt8 = 0, _ payload: [UInt8], version: Version
    ) {
        var header = FrameHeader(
            kind: kind, flags: flags, payloadLength: payload.count, version: version,
            position: position, syncedThrough: position, previousHash: hash)
        header.payloadChecksum = payload.withUnsafeBytes { Self.key.payloadChecksum($0) }
        var frame = [UInt8](repeating: 0, count: FrameHeader.size)
        hash = frame.withUnsafeMutableBytes { header.encode(into: $0, key: Self.key) }
        bytes += frame + payload
        position = header.endPosition
    }

    /// Adds a group with one commit.
    mutating func append(record: [UInt8], version: Version) {
        let group = CommitGroupBuffer(capacity: 1 << 10)
        let isAppended: Void? = try? record.withUnsafeBytes {
            try group.append(version: version, payload: $0)
        }
        if isAppended == nil { return }
        append(.group, [UInt8](UnsafeRawBufferPointer(group.payload)), version: version)
    }

    /// Adds groups of one commit each from records behind two bytes of length.
    mutating func append(records input: ArraySlice<UInt8>, from first: Version) {
        var version = first
        var rest = input
        while rest.count > 2 {
            let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            rest = rest.dropFirst(2)
            append(record: Array(rest.prefix(length)), version: version)
            rest = rest.dropFirst(length)
            version = version.next
        }
    }

    /// Where the next frame goes.
    var end: LogEnd {
        LogEnd(position: position, hash: hash, salt: Self.salt, segment: .first)
    }

    /// Bytes of frames from `image`, with positions, chain and checksums made to fit; what is no
    /// frame ends them.
    init(fixing image: ArraySlice<UInt8>) {
        self.init()
        var rest = image
        while rest.count >= FrameHeader.size {
            let header = Array(rest.prefix(FrameHeader.size))
            guard let kind = FrameKind(rawValue: header[0]) else { break }
            let length = Int(header[4]) | Int(header[5]) << 8
            let version = header.withUnsafeBytes { Version($0.integer(at: 8, as: UInt64.self)) }
            rest = rest.dropFirst(FrameHeader.size)
            var payload = Array(rest.prefix(length & ~7))
            payload += [UInt8](repeating: 0, count: payload.count.roundedUpTo8 - payload.count)
            rest = rest.dropFirst(payload.count)
            if kind == .epoch {
                payload = [UInt8](repeating: 0, count: EpochPayload.size)
                payload.withUnsafeMutableBytes {
                    EpochPayload(salt: Self.salt, wallClock: 1, processIdentifier: 1)
                        .encode(into: $0)
                }
            }
            append(kind, flags: header[1] & 1, payload, version: version)
        }
        bytes += rest
    }

    /// A file system with a store of this segment.
    func makeStore(
        _ path: String, _ superblock: Superblock = Superblock(database: database)
    ) -> MemoryFileSystem? {
        let fileSystem = MemoryFileSystem()
        let store = StoreDirectory(fileSystem: fileSystem, path: path)
        do {
            try fileSystem.createDirectory(path)
            try store.create(superblock)
            let file = try fileSystem.open(
                store.logPath + "/" + SegmentIndex.first.fileName, .create)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            return fileSystem
        } catch {
            return nil
        }
    }
}

extension SegmentHeader {
    fileprivate func encode(into bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { encode(into: $0) }
    }
}
