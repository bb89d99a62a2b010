/// What the folder of a backup records of what was copied to it, so that the next backup to there
/// takes only what is new. Little-endian:
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMBAK" 0A
///          8      4  format version: 1
///         12      4  segment of the log's end
///         16     16  UUID of the database
///         32      8  position of the log's end
///         40      8  hash of the frame that ends there
///         48      4  number of log segments
///         52      4  number of page segments
///         56      -  of each segment, those of the log first: 4 bytes number, 4 bytes zero,
///                    8 bytes of the file that count
///          -      8  checksum: XXH64 of all bytes before
///
/// Who writes to the store removes it first: what is there from then on is no backup any more.
struct BackupManifest: Hashable, Sendable {
    static let name = "backup"

    private static let magic: UInt64 = 0x0A4B_4142_4D4C_5289
    private static let format: UInt32 = 1
    private static let headerSize = 56
    private static let entrySize = 16
    /// No store has as many files; more would be memory for what a damaged file claims.
    private static let sizeMax = 1 << 28

    let database: Bits128
    /// Where the log ends.
    let position: LogPosition
    let hash: FrameHash
    let segment: SegmentIndex
    /// Bytes that count of each log segment.
    let log: [SegmentIndex: Int]
    /// Bytes that count of each page segment.
    let pages: [PageIndex: Int]

    init(
        database: Bits128, end: LogEnd, log: [SegmentIndex: Int], pages: [PageIndex: Int]
    ) {
        self.database = database
        position = end.position
        hash = end.hash
        segment = end.segment
        self.log = log
        self.pages = pages
    }

    /// That of a folder; nil where there is none that verifies.
    static func read(from store: StoreDirectory) throws(StorageError) -> BackupManifest? {
        let file: any File
        do throws(StorageError) {
            file = try store.fileSystem.open(store.path + "/" + name, .readOnly)
        } catch .fileNotFound {
            return nil
        }
        let size = try file.size().length
        guard (headerSize + 8...sizeMax).contains(size) else { return nil }
        let buffer = AlignedBuffer(capacity: size)
        guard try file.read(into: buffer.bytes.slice(0..<size), at: 0) == size else { return nil }
        return BackupManifest(decoding: UnsafeRawBufferPointer(buffer.bytes).slice(0..<size))
    }

    /// Removes that of a folder, durably, if there is one. Where removing takes space, as on disks
    /// that write nothing in place, it may throw `.outOfSpace`: then it is there as before.
    static func remove(from store: StoreDirectory) throws(StorageError) {
        do throws(StorageError) {
            try store.fileSystem.remove(store.path + "/" + name)
        } catch .fileNotFound {
            return
        } catch .io(_, _, let number) where Platform.isNotEmpty(number) {
            // A folder of others.
            return
        } catch {
            throw error.claimingSpace
        }
        // Nobody has written to the folder before: the backup that made it may have ended in a
        // crash before the name of the folder was durable.
        try? store.fileSystem.syncDirectory(store.parent)
        try store.syncChangedNames()
    }

    /// Puts it into a folder that has none; the caller syncs that.
    func write(to store: StoreDirectory) throws(StorageError) {
        let file = try store.fileSystem.open(store.path + "/" + Self.name, .create)
        let buffer = AlignedBuffer(capacity: byteCount)
        let bytes = buffer.bytes.slice(0..<byteCount)
        encode(into: bytes)
        try file.write(UnsafeRawBufferPointer(bytes), at: 0)
        try file.sync()
    }

    private var byteCount: Int {
        Self.headerSize + (log.count + pages.count) * Self.entrySize + 8
    }

    // Unsafe: the bytes have room for all of it.
    private func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.fillWithZeros()
        bytes.store(Self.magic, at: 0)
        bytes.store(Self.format, at: 8)
        bytes.store(segment.rawValue, at: 12)
        database.store(in: bytes, at: 16)
        bytes.store(position.rawValue, at: 32)
        bytes.store(hash.rawValue, at: 40)
        bytes.store(UInt32(log.count), at: 48)
        bytes.store(UInt32(pages.count), at: 52)
        let entries =
            log.sorted { $0.key < $1.key }.map { ($0.key.rawValue, $0.value) }
            + pages.sorted { $0.key < $1.key }.map { ($0.key.rawValue, $0.value) }
        for (number, entry) in entries.enumerated() {
            let offset = Self.headerSize + number * Self.entrySize
            bytes.store(entry.0, at: offset)
            bytes.store(UInt64(entry.1), at: offset + 8)
        }
        let end = byteCount - 8
        bytes.store(XXH64.hash(UnsafeRawBufferPointer(bytes).slice(0..<end)), at: end)
    }

    // Unsafe: the count is that of what the header says before the entries are read.
    private init?(decoding bytes: UnsafeRawBufferPointer) {
        let end = bytes.count - 8
        guard bytes.integer(at: 0) == Self.magic, bytes.integer(at: 8) == Self.format,
            bytes.integer(at: end) == XXH64.hash(bytes.slice(0..<end))
        else { return nil }
        let logCount = Int(bytes.integer(at: 48, as: UInt32.self))
        let pageCount = Int(bytes.integer(at: 52, as: UInt32.self))
        guard end == Self.headerSize + (logCount + pageCount) * Self.entrySize else { return nil }
        segment = SegmentIndex(bytes.integer(at: 12))
        database = Bits128(bytes, at: 16)
        position = LogPosition(bytes.integer(at: 32))
        hash = FrameHash(bytes.integer(at: 40))
        var log: [SegmentIndex: Int] = [:]
        var pages: [PageIndex: Int] = [:]
        for number in 0..<logCount + pageCount {
            let offset = Self.headerSize + number * Self.entrySize
            let index: UInt32 = bytes.integer(at: offset)
            let length = Int(clamping: bytes.integer(at: offset + 8, as: UInt64.self))
            if number < logCount {
                log[SegmentIndex(index)] = length
            } else {
                pages[PageIndex(index)] = length
            }
        }
        self.log = log
        self.pages = pages
    }
}
