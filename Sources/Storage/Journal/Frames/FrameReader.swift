// Safety: the bytes are lent by the caller; a frame is read only where its header, and then its
// payload, lie within them.

/// Reads single frames: the only place where their lengths and checksums are verified. The caller
/// decides what a missing frame means.
struct FrameReader: Sendable {
    let database: Bits128
    /// The cipher that frames are sealed with; nil in a plain store.
    let cipher: StoreCipher?
    /// The key of the current epoch; nil if an epoch frame must come next.
    private(set) var key: FrameKey?
    /// Further keys to try, where the epoch of the frames is unknown.
    private let otherKeys: [FrameKey]

    init(_ database: Bits128, cipher: StoreCipher? = nil, otherSalts: [Bits128] = []) {
        self.database = database
        self.cipher = cipher
        otherKeys = otherSalts.map { FrameKey(salt: $0, database: database, cipher: cipher) }
    }

    /// Continues in the epoch with this salt, zero for none.
    mutating func resume(in salt: Bits128) {
        if key?.salt == salt { return }
        key = salt == .zero ? nil : makeKey(salt)
    }

    /// Continues with the key of a frame: the frames after it have the same one.
    mutating func resume(with frameKey: FrameKey) {
        if key?.salt != frameKey.salt { key = frameKey }
    }

    private func makeKey(_ salt: Bits128) -> FrameKey {
        FrameKey(salt: salt, database: database, cipher: cipher)
    }

    /// The frame at `offset` of `bytes`. Its position in the log is not checked.
    func frame(
        in bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(FrameAbsence) -> SealedFrame {
        var budget = Int.max
        return try frame(in: bytes, at: offset, budget: &budget)
    }

    /// The limit for payload bytes that are hashed when frames are searched for at every offset: a
    /// small multiple of the bytes. A writer's frames do not overlap, so hashing each byte once
    /// suffices for them, complete or torn.
    static func hashingBudget(of bytes: UnsafeRawBufferPointer) -> Int { bytes.count * 8 }

    /// The same for a search at many offsets, where damaged headers may refer to the same bytes
    /// repeatedly. Hashed payload bytes are subtracted from `budget`; below zero, nothing more is
    /// hashed.
    func frame(
        in bytes: UnsafeRawBufferPointer, at offset: Int, budget: inout Int
    ) throws(FrameAbsence) -> SealedFrame {
        guard offset >= 0, offset <= bytes.count - FrameHeader.size else {
            let rest = bytes.slice(max(0, min(offset, bytes.count))..<bytes.count)
            throw rest.isZero(from: 0) ? .end : .unrelated
        }
        let start = offset + FrameHeader.size
        let headerBytes = bytes.slice(offset..<start)
        guard let header = FrameHeader(headerBytes), header.payloadLength % 8 == 0 else {
            throw headerBytes.isZero(from: 0) ? .blank : .unrelated
        }
        guard header.frameSize <= bytes.count - offset else { throw .unverified }
        let payload = bytes.slice(start..<start + Int(header.payloadLength))
        func verified(_ key: FrameKey) -> SealedFrame? {
            guard let hash = key.verifiedHash(headerBytes) else { return nil }
            budget -= payload.count
            guard budget >= 0, key.payloadChecksum(payload) == header.payloadChecksum else {
                return nil
            }
            return SealedFrame(header, payload, hash: hash, key: key)
        }
        if header.kind == .epoch {
            // An epoch frame contains its own key.
            guard payload.count == EpochPayload.size,
                let frame = verified(makeKey(EpochPayload(payload).salt))
            else { throw .unverified }
            return frame
        }
        if let key, let frame = verified(key) { return frame }
        for key in otherKeys {
            if let frame = verified(key) { return frame }
        }
        throw .unverified
    }
}
