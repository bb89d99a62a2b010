/// What the folder of a realm on a shared log remembers of that: which realm it is a copy of, which
/// host this is, and from where on the log was not read, at the latest. Little-endian.
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMHST" 0A
///          8     16  identifier of the realm
///         24     16  identifier of the host: of this folder
///         40      8  the next slot
///         48      8  hash of the entry before
///         56      8  epoch
///         64     16  host that has the right to write
///         80      8  the last version
///         88      8  checksum: XXH64 of the 88 bytes before
///
/// It is replaced by renaming, and refers to nothing that is not durable in the log of the folder.
struct SharedRealmFile: Sendable, Hashable {
    static let name = "shared"
    static let newName = "shared.new"

    private static let magic: UInt64 = 0x0A54_5348_4D4C_5289
    private static let size = 96

    let host: Bits128
    let cursor: SharedCursor

    /// That of a folder; nil where there is none.
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
        // Unsafe: read into before it is looked at, and used in here alone.
        return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) {
            bytes throws(StorageError) in
            let count = try file.read(into: bytes, at: 0)
            let found = UnsafeRawBufferPointer(bytes)
            guard count == size, found.integer(at: 0) == magic,
                found.integer(at: 88) == XXH64.hash(found.slice(0..<88))
            else {
                throw .corrupted(segment: path, offset: 0, reason: "it says nothing of hosts")
            }
            return SharedRealmFile(found)
        }
    }

    init(host: Bits128, cursor: SharedCursor) {
        self.host = host
        self.cursor = cursor
    }

    // Unsafe: the caller has checked that all fields are there.
    private init(_ bytes: UnsafeRawBufferPointer) {
        host = Bits128(bytes, at: 24)
        cursor = SharedCursor(
            realm: Bits128(bytes, at: 8), next: LogSlot(bytes.integer(at: 40)),
            hash: SharedEntryHash(bytes.integer(at: 48)), epoch: bytes.integer(at: 56),
            holder: Bits128(bytes, at: 64), version: Version(bytes.integer(at: 80)))
    }

    /// Puts it into the folder, durably.
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

    private func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.store(Self.magic, at: 0)
        (cursor.realm ?? .zero).store(in: bytes, at: 8)
        host.store(in: bytes, at: 24)
        bytes.store(cursor.next.rawValue, at: 40)
        bytes.store(cursor.hash.rawValue, at: 48)
        bytes.store(cursor.epoch, at: 56)
        cursor.holder.store(in: bytes, at: 64)
        bytes.store(cursor.version.rawValue, at: 80)
        bytes.store(XXH64.hash(UnsafeRawBufferPointer(bytes).slice(0..<88)), at: 88)
    }
}
