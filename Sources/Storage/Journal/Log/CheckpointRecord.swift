/// Everything that opening a store needs to begin at a checkpoint instead of at the start of the
/// log. It is stored in the checkpoint's frame and, as a hint, in the superblock. Little-endian:
///
///     offset  bytes  field
///          0      8  version of the tree
///          8      8  position in the log after that version's commit: replay begins here
///         16      8  hash of the frame that ends there
///         24     16  salt of the epoch that continues there, 0 if none does
///         40      4  segment of the log that holds that position
///         44      4  reserved, zero
///         48     24  place of the tree's root: as in a slot, without its first eight bytes
///         72     24  place of the blob with schema and page segments
///
package struct CheckpointRecord: Hashable, Sendable {
    static let size = 96

    package var version: Version
    var replayStart: LogEnd
    var root: NodePlace
    var contents: NodePlace

    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.slice(0..<Self.size).fillWithZeros()
        bytes.store(version.rawValue, at: 0)
        bytes.store(replayStart.position.rawValue, at: 8)
        bytes.store(replayStart.hash.rawValue, at: 16)
        replayStart.salt.store(in: bytes, at: 24)
        bytes.store(replayStart.segment.rawValue, at: 40)
        root.encode(into: bytes, at: 48)
        contents.encode(into: bytes, at: 72)
    }

    /// The record in `bytes`, nil if there is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size,
            let root = NodePlace(bytes, at: 48), root.kind == .storeRoot,
            let contents = NodePlace(bytes, at: 72), contents.kind == .blob
        else { return nil }
        guard Version(bytes.integer(at: 0, as: UInt64.self)) <= .max,
            LogPosition(bytes.integer(at: 8)) <= .max
        else { return nil }
        self.root = root
        self.contents = contents
        version = Version(bytes.integer(at: 0, as: UInt64.self))
        replayStart = LogEnd(
            position: LogPosition(bytes.integer(at: 8)), hash: FrameHash(bytes.integer(at: 16)),
            salt: Bits128(bytes, at: 24), segment: SegmentIndex(bytes.integer(at: 40)))
    }

    /// The tree of a group whose last commit is `version`, and which ends at `end`.
    init(_ tree: GroupTree, version: Version, end: LogEnd) {
        self.init(version: version, replayStart: end, root: tree.root, contents: tree.contents)
    }

    init(version: Version, replayStart: LogEnd, root: NodePlace, contents: NodePlace) {
        self.version = version
        self.replayStart = replayStart
        self.root = root
        self.contents = contents
    }
}

/// A boundary between two frames of the log, with all that is needed to continue reading there.
package struct LogEnd: Hashable, Sendable {
    var position: LogPosition
    var hash: FrameHash
    /// The epoch's salt, zero before the first epoch.
    var salt: Bits128
    var segment: SegmentIndex

    /// The identifier of the epoch's writer, see ``Journal/life``.
    var life: UInt64 { salt.low }
}

extension NodePlace {
    func encode(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes.store(address.rawValue, at: offset)
        bytes.store(length, at: offset + 8)
        bytes.store(tag, at: offset + 12)
        bytes.store(hash, at: offset + 16)
    }

    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        self.init(
            address: bytes.integer(at: offset), length: bytes.integer(at: offset + 8),
            tag: bytes.integer(at: offset + 12), hash: bytes.integer(at: offset + 16))
    }
}
