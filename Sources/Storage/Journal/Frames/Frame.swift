/// A decoded frame of the log.
struct Frame {
    let header: FrameHeader
    let hash: FrameHash
    /// The key that verifies this frame and the following ones of its epoch.
    let key: FrameKey
    let payload: FramePayload

    /// The end of the frame, in a segment.
    func end(in segment: SegmentIndex) -> LogEnd {
        LogEnd(
            position: header.endPosition, hash: hash, salt: key.salt, segment: segment)
    }
}

/// A frame whose lengths and checksums are valid, as it is on disk.
struct SealedFrame {
    let header: FrameHeader
    let hash: FrameHash
    let key: FrameKey
    // Unsafe: part of the bytes that it was found in, and valid as long as those.
    private let payload: UnsafeRawBufferPointer

    init(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer, hash: FrameHash, key: FrameKey) {
        self.header = header
        self.payload = payload
        self.hash = hash
        self.key = key
    }

    /// The frame; nil if it was not sealed in this segment with the store's key. A plain store's
    /// frame needs no segment; it retains `owner`, which has the bytes.
    func open(in segment: SegmentHeader?, owner: AnyObject? = nil) -> Frame? {
        var opened = FramePayload(payload, owner: owner)
        if let cipher = key.cipher {
            guard let segment, let plain = cipher.open(payload, header, in: segment) else {
                return nil
            }
            opened = plain
        }
        return Frame(header: header, hash: hash, key: key, payload: opened)
    }
}

/// Why there is no frame.
enum FrameAbsence: Error, CaseIterable {
    /// The bytes end here.
    case end
    /// Nothing was written here.
    case blank
    /// There is no frame header here, or one of another position.
    case unrelated
    /// The frame is torn, or was not written by the epoch's writer.
    case unverified
    /// It verifies, but was not sealed here with the store's key.
    case foreign
}
