// Safety: the bytes are lent by the caller; a frame is read only where its header, and then its
// payload, lie within them.

/// Reads single frames: the one place where their lengths and checksums are verified. What it means
/// that there is none is for the caller to say.
struct FrameReader: Sendable {
    let database: Bits128
    /// What frames are sealed with; nil in a plain store.
    let cipher: StoreCipher?
    /// That of the epoch that goes on where it reads; nil where one has to begin.
    private(set) var key: FrameKey?
    /// What frames may be keyed with as well, where it is not known which epoch they are of.
    private let otherKeys: [FrameKey]

    init(_ database: Bits128, cipher: StoreCipher? = nil, otherSalts: [Bits128] = []) {
        self.database = database
        self.cipher = cipher
        otherKeys = otherSalts.map { FrameKey(salt: $0, database: database, cipher: cipher) }
    }

    /// Goes on in an epoch, zero for none.
    mutating func goOn(in salt: Bits128) {
        if key?.salt == salt { return }
        key = salt == .zero ? nil : makeKey(salt)
    }

    /// Goes on with the key of a frame, which is that of the frames behind it.
    mutating func goOn(with frameKey: FrameKey) {
        if key?.salt != frameKey.salt { key = frameKey }
    }

    private func makeKey(_ salt: Bits128) -> FrameKey {
        FrameKey(salt: salt, database: database, cipher: cipher)
    }

    /// The frame at `offset` of `bytes`. Where it belongs is not looked at.
    func frame(
        in bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(FrameAbsence) -> SealedFrame {
        var budget = Int.max
        return try frame(in: bytes, at: offset, budget: &budget)
    }

    /// What to hash at the most of payloads of frames that are looked for all over some bytes: as
    /// many as there are, a few times. The frames of a writer do not overlap: once is enough for
    /// these, whole or torn.
    static func hashingBudget(of bytes: UnsafeRawBufferPointer) -> Int { bytes.count * 8 }

    /// The same for who looks in many places, where headers may claim the same bytes again and
    /// again. What is hashed of payloads is taken from `budget`: below zero, nothing more is.
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
            // It brings its own key.
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
