/// The record, in the folder of a realm on a shared log, of the realm, the host, and the cursor
/// from which the log is read again after opening. Little-endian.
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMHST" 0A
///          8     16  identifier of the realm; zero before anything was read
///         24     16  identifier of the host: of this folder
///         40      8  the next slot
///         48      8  hash of the entry before
///         56      8  epoch
///         64     16  last writer: host of the entry before
///         80      8  the last version
///         88      8  bytes of all entries before the next slot
///         96      8  checksum: XXH64 of the 96 bytes before
///
/// It is replaced by renaming, and covers only entries that are durable in the local log.
struct SharedRealmFile: Sendable, Hashable {
    static let name = "shared"
    static let newName = "shared.new"

    private static let magic: UInt64 = 0x0A54_5348_4D4C_5289
    static let size = 104

    let host: Bits128
    let cursor: SharedCursor

    /// The file of a folder; nil if there is none.
    ///
    /// - Throws: ``StorageError/corrupted(segment:offset:reason:)`` for one that is no such file.
    static func read(in store: StoreDirectory) throws(StorageError) -> SharedRealmFile? {
        let path = store.path + "/" + name
        let file: any File
        do throws(StorageError) {
            file = try store.fileSystem.open(path, .readOnly)
        } catch .fileNotFound {
            return nil
        }
        // Unsafe: filled before it is read, and used only here.
        return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) {
            bytes throws(StorageError) in
            let count = try file.read(into: bytes, at: 0)
            let found = UnsafeRawBufferPointer(bytes)
            guard count == size, let known = SharedRealmFile(decoding: found) else {
                throw .corrupted(segment: path, offset: 0, reason: "it says nothing of hosts")
            }
            return known
        }
    }

    init(host: Bits128, cursor: SharedCursor) {
        self.host = host
        self.cursor = cursor
    }

    // Unsafe: their count is checked before they are read.
    /// Decodes the first ``size`` bytes; nil if they are no such file.
    init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.size, bytes.integer(at: 0) == Self.magic,
            bytes.integer(at: 96) == XXH64.hash(bytes.slice(0..<96))
        else { return nil }
        host = Bits128(bytes, at: 24)
        let realm = Bits128(bytes, at: 8)
        cursor = SharedCursor(
            realm: realm == .zero ? nil : realm, next: LogSlot(bytes.integer(at: 40)),
            hash: SharedEntryHash(bytes.integer(at: 48)), epoch: bytes.integer(at: 56),
            lastWriter: Bits128(bytes, at: 64), version: Version(bytes.integer(at: 80)),
            bytes: bytes.integer(at: 88))
        guard cursor.next <= .last, cursor.version <= .max, cursor.bytes <= SharedCursor.bytesMax
        else { return nil }
    }

    /// Durably writes it to the folder.
    func write(to store: StoreDirectory) throws(StorageError) {
        let newPath = store.path + "/" + Self.newName
        let file = try store.fileSystem.open(newPath, .create)
        // Unsafe: all of it is written before it is read.
        try withUnsafeTemporaryAllocation(byteCount: Self.size, alignment: 8) {
            bytes throws(StorageError) in
            encode(into: bytes)
            try file.write(UnsafeRawBufferPointer(bytes), at: 0)
        }
        try file.sync()
        try store.fileSystem.rename(newPath, to: store.path + "/" + Self.name)
        try store.fileSystem.syncDirectory(store.path)
    }

    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.store(Self.magic, at: 0)
        (cursor.realm ?? .zero).store(in: bytes, at: 8)
        host.store(in: bytes, at: 24)
        bytes.store(cursor.next.rawValue, at: 40)
        bytes.store(cursor.hash.rawValue, at: 48)
        bytes.store(cursor.epoch, at: 56)
        cursor.lastWriter.store(in: bytes, at: 64)
        bytes.store(cursor.version.rawValue, at: 80)
        bytes.store(cursor.bytes, at: 88)
        bytes.store(XXH64.hash(UnsafeRawBufferPointer(bytes).slice(0..<96)), at: 96)
    }
}
