// Safety: all buffers are lent for a call, or owned by it; every slice is within the bounds that
// the comments of parameters promise, which the slices check.

/// Seals the frames of one epoch.
///
/// A frame's nonce is its position: an epoch's salt is drawn by the writer that begins it, who
/// writes each position once. After a failed write nothing more is written in the epoch, so that
/// the replacement of a torn frame is sealed with another key.
///
/// Authenticated with each frame are its header up to the payload's checksum, and the header of its
/// segment. The checksums are of the bytes on disk, so that the end of a log can be found, and its
/// damage, without the key.
struct FrameCipher: Sendable {
    let key: SecretKey

    /// Bytes of a frame's header that are authenticated with it.
    private static let headerSize = 40

    /// Seals the payload of a frame in place. `frame` begins with the header, whose fields before
    /// the checksums are written already, and has room for the tag at its end.
    func seal(
        _ frame: UnsafeMutableRawBufferPointer, _ header: FrameHeader, in segment: SegmentHeader
    ) {
        let nonce = SealNonce(stream: .frames, counter: header.position.rawValue)
        let payload = frame.slice(FrameHeader.size..<frame.count)
        // An epoch's salt must be read before its key is known: its payload is authenticated only.
        let clear = header.kind == .epoch ? EpochPayload.tagOffset : 0
        let bytes = UnsafeRawBufferPointer(frame)
        Self.withContext(
            bytes.slice(0..<FrameHeader.size), segment, UnsafeRawBufferPointer(payload), clear
        ) { context in
            key.seal(payload.slice(clear..<payload.count), nonce: nonce, authenticating: context)
        }
    }

    /// Opens the payload of a frame; nil if it is not authentic.
    func open(
        _ payload: UnsafeRawBufferPointer, _ header: FrameHeader, in segment: SegmentHeader
    ) -> FramePayload? {
        let clear = header.kind == .epoch ? EpochPayload.tagOffset : 0
        let size = payload.count - clear - SecretKey.tagSize
        guard size >= 0 else { return nil }
        let plain = AlignedBuffer(capacity: size)
        let isRight = withUnsafeTemporaryAllocation(byteCount: FrameHeader.size, alignment: 8) {
            fields in
            header.encodeFields(into: fields)
            return Self.withContext(UnsafeRawBufferPointer(fields), segment, payload, clear) {
                key.open(
                    payload.slice(clear..<clear + size),
                    tag: payload.slice(clear + size..<payload.count),
                    nonce: SealNonce(stream: .frames, counter: header.position.rawValue),
                    authenticating: $0, into: plain.bytes.slice(0..<size))
            }
        }
        guard isRight else { return nil }
        return header.kind == .epoch ? FramePayload(payload) : FramePayload(plain, size)
    }

    private static func withContext<R>(
        _ header: UnsafeRawBufferPointer, _ segment: SegmentHeader,
        _ payload: UnsafeRawBufferPointer, _ clear: Int, _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        let count = SegmentHeader.size + headerSize + clear
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { context in
            segment.encode(into: context.slice(0..<SegmentHeader.size))
            let fields = SegmentHeader.size..<SegmentHeader.size + headerSize
            context.slice(fields).copyMemory(from: header.slice(0..<headerSize))
            context.slice(fields.upperBound..<count).copyMemory(from: payload.slice(0..<clear))
            return body(UnsafeRawBufferPointer(context))
        }
    }
}

/// The payload of a frame, or of a group, before it was sealed.
struct FramePayload {
    // Unsafe: part of the owner, or lent by the caller that has the frame's bytes; users of the
    // bytes keep this value alive.
    let bytes: UnsafeRawBufferPointer
    private let owner: AnyObject?

    /// A payload that is not sealed.
    init(_ bytes: UnsafeRawBufferPointer, owner: AnyObject? = nil) {
        self.bytes = bytes
        self.owner = owner
    }

    /// The first `count` bytes of a buffer.
    init(_ buffer: AlignedBuffer, _ count: Int) {
        bytes = UnsafeRawBufferPointer(buffer.bytes).slice(0..<count)
        owner = buffer
    }

    /// The payload of a group in parts, which is complete.
    init(_ parts: CommitGroupBuffer) {
        bytes = UnsafeRawBufferPointer(parts.payload)
        owner = parts
    }
}

extension StoreCipher {
    /// Seals the frames of the epoch with this salt.
    func frames(salt: Bits128) -> FrameCipher {
        FrameCipher(
            key: dataKey.derived(salt: salt, purpose: "RealmActors frames", database: database))
    }
}
