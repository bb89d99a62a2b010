// Safety: the bytes are lent by the caller; a frame is read only where its header, and then its
// payload, lie within them.

/// A frame that was found in the bytes of a segment and verifies by itself.
struct LogFrame {
    let header: FrameHeader
    let hash: FrameHash
    /// The key that it verifies under, which is that of the frames behind it too.
    let key: FrameKey
    /// Where its payload stands in the bytes.
    let payloadRange: Range<Int>

    /// The frame at `offset` of `bytes`, nil when none of `keys` makes one verify there.
    ///
    /// An epoch brings its own key.
    init?(
        in bytes: UnsafeRawBufferPointer, at offset: Int, keys: [FrameKey], database: Bits128,
        cipher: StoreCipher? = nil
    ) {
        guard offset >= 0, offset <= bytes.count - FrameHeader.size else { return nil }
        let headerBytes = bytes.slice(offset..<offset + FrameHeader.size)
        guard let header = FrameHeader(headerBytes), header.payloadLength % 8 == 0,
            header.frameSize <= bytes.count - offset
        else { return nil }
        let start = offset + FrameHeader.size
        payloadRange = start..<start + Int(header.payloadLength)
        let payload = bytes.slice(payloadRange)
        var keys = keys
        if header.kind == .epoch {
            guard payload.count == EpochPayload.size else { return nil }
            let salt = EpochPayload(payload).salt
            keys = [FrameKey(salt: salt, database: database, cipher: cipher)]
        }
        for key in keys {
            guard let hash = key.verifiedHash(headerBytes),
                key.payloadChecksum(payload) == header.payloadChecksum
            else { continue }
            self.header = header
            self.hash = hash
            self.key = key
            return
        }
        return nil
    }

    /// Its payload, opened when the store is encrypted; nil when it was not sealed here.
    func payload(
        in bytes: UnsafeRawBufferPointer, of segment: SegmentHeader
    ) -> FramePayload? {
        key.open(bytes.slice(payloadRange), header, in: segment)
    }
}

/// The whole contents of a segment file.
struct SegmentContents {
    private let buffer: AlignedBuffer
    let path: String
    let length: Int

    /// Reads the file. Throws `.corrupted` when it is larger than any segment.
    init(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) {
        let file = try fileSystem.open(path, .readOnly)
        let length = try file.size().length
        guard length <= LogScanner.segmentSizeMax else {
            throw .corrupted(segment: path, offset: length, reason: "the file is over 16 MiB")
        }
        buffer = AlignedBuffer(capacity: length.roundedUpTo8)
        self.length = try file.read(into: buffer.bytes.slice(0..<length), at: 0)
        self.path = path
    }

    /// Calls `body` with the bytes, which are valid during the call.
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(buffer.bytes).slice(0..<length))
    }
}
