/// The written and the durable position of the log, in a file of its own: one small write after
/// each sync, itself never synced. It can be late, never wrong. Little-endian.
///
///     offset  bytes  field
///          0      8  visible: readers may see the commits before this position
///          8      8  synced: the bytes before this position are durable
///         16      8  hash of the frame that ends at `synced`
///         24      8  checksum: XXH64 of the 24 bytes before, seeded with the UUID's first half
///
struct Horizon: Hashable, Sendable {
    static let size = 32

    var visible: LogPosition
    var synced: LogPosition
    var syncedHash: FrameHash

    func encode(into bytes: UnsafeMutableRawBufferPointer, database: Bits128) {
        bytes.store(visible.rawValue, at: 0)
        bytes.store(synced.rawValue, at: 8)
        bytes.store(syncedHash.rawValue, at: 16)
        let checked = UnsafeRawBufferPointer(bytes).slice(0..<24)
        bytes.store(XXH64.hash(checked, seed: database.low), at: 24)
    }

    /// The horizon in `bytes`, or nil when it was never written or only in part.
    init?(_ bytes: UnsafeRawBufferPointer, database: Bits128) {
        guard bytes.count >= Self.size,
            XXH64.hash(bytes.slice(0..<24), seed: database.low) == bytes.integer(at: 24)
        else { return nil }
        visible = LogPosition(bytes.integer(at: 0))
        synced = LogPosition(bytes.integer(at: 8))
        syncedHash = FrameHash(bytes.integer(at: 16))
    }

    init(visible: LogPosition, synced: LogPosition, syncedHash: FrameHash) {
        self.visible = visible
        self.synced = synced
        self.syncedHash = syncedHash
    }
}
