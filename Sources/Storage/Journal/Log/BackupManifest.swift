/// The record, in the folder of a backup, of what was copied to it, so that the next backup copies
/// only what is new. Little-endian:
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
///         56      -  for each segment, those of the log first: 4 bytes number, 4 bytes zero,
///                    8 bytes of the file that count
///          -      8  checksum: XXH64 of all bytes before
///
/// A process that opens the copy and writes to it removes the manifest first: the folder is no
/// backup from then on.
struct BackupManifest: Hashable, Sendable {
    static let name = "backup"

    private static let magic: UInt64 = 0x0A4B_4142_4D4C_5289
    private static let format: UInt32 = 1
    private static let headerSize = 56
    private static let entrySize = 16
    /// An upper limit of the number of files of a store, which bounds the memory for a damaged
    /// manifest.
    private static let sizeMax = 1 << 28

    let database: Bits128
    /// The end of the log.
    let position: LogPosition
    let hash: FrameHash
    let segment: SegmentIndex
    /// The valid bytes of each log segment.
    let log: [SegmentIndex: Int]
    /// The valid bytes of each page segment.
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

    /// The manifest in a folder; nil if there is none that verifies.
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

    /// Durably removes the manifest from a folder, if there is one. On a copy-on-write file system
    /// it may throw `.outOfSpace`: then the manifest is still there.
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
        // The folder was not written to before: the backup that made it may have ended in a crash
        // before the name of the folder was durable.
        try? store.fileSystem.syncDirectory(store.parent)
        try store.syncChangedNames()
    }

    /// Writes it to a folder that has none; the caller syncs the folder.
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

    // Unsafe: the count is checked against the header before the entries are read.
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
