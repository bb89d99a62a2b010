// Safety: the bytes of a file are lent for the call, in which they are copied or written.

/// Adopts the tree of an image in a store that has none, with its page files unchanged: see
/// ``AdoptedPages``.
///
/// Nothing refers to the files before they are durable. Files of an earlier attempt are replaced.
struct AdoptedImage: SharedImageFiles {
    private static let pagesPrefix = "pages/"
    /// Files are synced in batches of this many bytes. Each file counts as a minimum, which bounds
    /// the number of open files.
    private static let unsyncedMax = 16 << 20
    private static let unsyncedMin = 256 << 10

    private let pages: PageStore
    private let header: SharedImageHeader
    private var superblock: Superblock?
    private var current: Current = .other
    /// The sizes of the created files.
    private var sizes: [PageIndex: Int] = [:]
    /// Files that are complete and not synced yet, and the bytes that they count as.
    private var unsynced: (files: [any File], bytes: Int) = ([], 0)
    /// The database of the image's store, from its page files.
    private var database: Bits128?

    /// The file that is being read.
    private enum Current {
        case superblock([UInt8])
        case pages(AdoptedPages)
        /// A file that is not needed: the log has nothing beyond the superblock.
        case other
    }

    init(_ pages: PageStore, _ header: SharedImageHeader) {
        self.pages = pages
        self.header = header
    }

    // MARK: Files

    mutating func begin(_ name: String, _ size: Int) throws(StorageError) {
        try endFile()
        if name == StoreDirectory.superblockName {
            guard superblock == nil, size == Superblock.fileSize else {
                throw header.damage("its superblock has \(size) bytes")
            }
            current = .superblock([])
        } else if name.hasPrefix(Self.pagesPrefix) {
            let index = PageIndex(fileName: String(name.dropFirst(Self.pagesPrefix.count)))
            guard let index, index < .end, sizes[index] == nil, size <= PageSegment.lengthMax
            else { throw header.damage("it has no page file of the name \(name)") }
            sizes[index] = size
            current = .pages(try AdoptedPages(index, size: size, of: header, in: pages))
        }
    }

    mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError) {
        switch current {
        // Reset first, so that appending does not copy the array.
        case .superblock(var found):
            current = .other
            found += bytes
            current = .superblock(found)
        case .pages(var file):
            current = .other
            try file.take(bytes)
            current = .pages(file)
        case .other: break
        }
    }

    mutating func end() throws(StorageError) {
        try endFile()
        try sync()
        if !sizes.isEmpty { try pages.fileSystem.syncDirectory(pages.directory) }
    }

    private mutating func sync() throws(StorageError) {
        for file in unsynced.files { try file.sync() }
        unsynced = ([], 0)
    }

    private mutating func endFile() throws(StorageError) {
        defer { current = .other }
        switch current {
        case .superblock(let bytes): superblock = try read(bytes)
        case .pages(let file):
            try file.end()
            unsynced.files.append(file.file)
            unsynced.bytes += max(file.size, Self.unsyncedMin)
            if unsynced.bytes >= Self.unsyncedMax { try sync() }
            guard database == nil || database == file.database else {
                throw header.damage("it has page files of several databases")
            }
            database = file.database
        case .other: break
        }
    }

    private func read(_ bytes: [UInt8]) throws(StorageError) -> Superblock {
        switch bytes.withUnsafeBytes({ SuperblockReading($0) }) {
        case .valid(let found) where found.algorithm == .none: return found
        case .valid, .lost, .foreign: throw header.damage("its superblock is damaged")
        case .unsupported(let format):
            throw .unsupportedFormat(found: format, supported: StoreFormat.version)
        }
    }

    /// Removes the adopted files.
    mutating func abandon() {
        current = .other
        unsynced = ([], 0)
        for index in sizes.keys { try? pages.fileSystem.remove(pages.path(index)) }
        // An open file would keep its space.
        pages.close(sizes.keys)
        pages.makeRemovalsDurable()
    }

    // MARK: The tree

    /// The places of the tree's root and its contents record; nil for an image without a tree.
    func places() throws(StorageError) -> GroupTree? {
        guard let found = superblock else { throw header.damage("it has no superblock") }
        guard let record = found.checkpoint?.record else { return nil }
        guard found.database == database else {
            throw header.damage("its superblock is that of another database")
        }
        return GroupTree(root: record.root, contents: record.contents)
    }

    /// Throws unless all segments of a tree exist.
    func require(_ segments: some Sequence<PageSegment>) throws(StorageError) {
        for segment in segments where segment.length > sizes[segment.index] ?? 0 {
            throw header.damage("it lacks a part of \(segment.index.fileName)")
        }
    }
}
