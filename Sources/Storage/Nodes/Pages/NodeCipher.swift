import Synchronization

// Safety: all buffers are lent for a call, or of this call's own, and as long as the offsets need.

/// Opens the nodes of a store's page files, and creates their sealers. Each node is sealed
/// separately, so that it can be read separately.
///
/// A node is followed by a salt and the tag. Each writer draws a random salt, and writes no address
/// twice, so a node's nonce is its address. The next writer draws another salt, also if it
/// overwrites a rolled back transaction.
final class NodeCipher: Sendable {
    private let store: StoreCipher
    /// The keys of recently read nodes, by salt.
    private let keys = Mutex<[Bits128: SecretKey]>([:])

    private static let keysMax = 1024
    private static let saltSize = 16
    /// Bytes after a node's image.
    static let overhead = saltSize + SecretKey.tagSize

    init(_ store: StoreCipher) { self.store = store }

    /// The sealer of one writer.
    func makeSealer() -> NodeSealer {
        let salt = Bits128.random()
        return NodeSealer(key: store.nodeKey(salt: salt), salt: salt, database: store.database)
    }

    /// Opens the bytes at `place` into `image`; false if they are not authentic.
    func open(
        _ bytes: UnsafeRawBufferPointer, at place: NodePlace, in segment: Bits128,
        into image: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard NodeSealer.hash(bytes) == place.hash else { return false }
        let salt = Bits128(bytes, at: image.count)
        let sealer = NodeSealer(key: key(salt), salt: salt, database: store.database)
        return sealer.open(bytes, at: place, in: segment, into: image)
    }

    private func key(_ salt: Bits128) -> SecretKey {
        if let key = keys.withLock({ $0[salt] }) { return key }
        let key = store.nodeKey(salt: salt)
        keys.withLock { keys in
            if keys.count >= Self.keysMax { keys = [:] }
            keys[salt] = key
        }
        return key
    }
}

/// Seals the nodes of one writer.
struct NodeSealer: Sendable {
    let key: SecretKey
    let salt: Bits128
    let database: Bits128

    /// Bytes that are authenticated with a node: UUID, salt of the segment, address, length, kind.
    private static let contextSize = 56

    /// Seals an image in place: all of `bytes` but the room for salt and tag; returns the hash for
    /// slots that refer to the node.
    func seal(
        _ bytes: UnsafeMutableRawBufferPointer, at address: PageAddress, kind: NodeKind,
        in segment: Bits128
    ) -> UInt64 {
        let length = bytes.count
        let image = length - NodeCipher.overhead
        withContext(address, length, kind, segment) { context in
            // The tag is written after the image, then moved to make room for the salt.
            key.seal(
                bytes.slice(0..<image + SecretKey.tagSize), nonce: nonce(address),
                authenticating: context)
        }
        let tag = Bits128(UnsafeRawBufferPointer(bytes), at: image)
        salt.store(in: bytes, at: image)
        tag.store(in: bytes, at: length - SecretKey.tagSize)
        return tag.low
    }

    fileprivate func open(
        _ bytes: UnsafeRawBufferPointer, at place: NodePlace, in segment: Bits128,
        into image: UnsafeMutableRawBufferPointer
    ) -> Bool {
        withContext(place.address, bytes.count, place.kind, segment) { context in
            key.open(
                bytes.slice(0..<image.count),
                tag: bytes.slice(bytes.count - SecretKey.tagSize..<bytes.count),
                nonce: nonce(place.address), authenticating: context, into: image)
        }
    }

    /// The first half of the tag.
    fileprivate static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        bytes.integer(at: bytes.count - SecretKey.tagSize)
    }

    private func nonce(_ address: PageAddress) -> SealNonce {
        SealNonce(stream: .nodes, counter: address.rawValue)
    }

    private func withContext<R>(
        _ address: PageAddress, _ length: Int, _ kind: NodeKind, _ segment: Bits128,
        _ body: (UnsafeRawBufferPointer) -> R
    ) -> R {
        withUnsafeTemporaryAllocation(byteCount: Self.contextSize, alignment: 8) { context in
            database.store(in: context, at: 0)
            segment.store(in: context, at: 16)
            context.store(address.rawValue, at: 32)
            context.store(UInt64(length), at: 40)
            context.store(UInt64(kind.rawValue), at: 48)
            return body(UnsafeRawBufferPointer(context))
        }
    }
}
