// Safety: all buffers are lent for a call, or of this call's own, and as long as the offsets need.

/// Seals the nodes of one page segment, each by itself, so that each can be read by itself.
///
/// A node's nonce is its address: a segment's salt is drawn when its file is made, and nothing is
/// written twice to the same place of one file (``PageStore/reopenTail(_:)``).
struct NodeCipher: Sendable {
    let key: SecretKey
    let database: Bits128
    let salt: Bits128

    /// Bytes that are authenticated with a node: UUID, salt, address, length, kind.
    private static let contextSize = 56

    /// Seals an image in place, all of `bytes` but the room for the tag; returns what the slots
    /// that refer to the node have as its hash.
    func seal(
        _ bytes: UnsafeMutableRawBufferPointer, at address: PageAddress, kind: NodeKind
    ) -> UInt64 {
        withContext(address, bytes.count, kind) { context in
            key.seal(bytes, nonce: nonce(address), authenticating: context)
        }
        return Self.hash(UnsafeRawBufferPointer(bytes))
    }

    /// Opens what stands at `place` into `image`; false when it is not what was written there.
    func open(
        _ bytes: UnsafeRawBufferPointer, at place: NodePlace,
        into image: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard Self.hash(bytes) == place.hash else { return false }
        return withContext(place.address, bytes.count, place.kind) { context in
            key.open(bytes, nonce: nonce(place.address), authenticating: context, into: image)
        }
    }

    /// The first half of the tag.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.integer(at: bytes.count - SecretKey.tagSize)
    }

    private func nonce(_ address: PageAddress) -> SealNonce {
        SealNonce(stream: .nodes, counter: address.rawValue)
    }

    private func withContext<R>(
        _ address: PageAddress, _ length: Int, _ kind: NodeKind,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        withUnsafeTemporaryAllocation(byteCount: Self.contextSize, alignment: 8) { context in
            database.store(in: context, at: 0)
            salt.store(in: context, at: 16)
            context.store(address.rawValue, at: 32)
            context.store(UInt64(length), at: 40)
            context.store(UInt64(kind.rawValue), at: 48)
            return body(UnsafeRawBufferPointer(context))
        }
    }
}
