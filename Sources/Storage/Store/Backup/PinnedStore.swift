import Synchronization

/// The pinned files of one state of a store: they stay readable despite checkpoints, compactions
/// and other processes. The history, which no state needs, is only listed.
///
/// There are many page files. If this process is the writer, they are opened one at a time: only it
/// removes them, and keeps removed ones open. If another process may write, all of them are kept
/// open.
///
/// The pinned contents never change: the log up to a durable position, and the bytes of the page
/// files that a checkpoint, or a page commit's group, accounts for.
struct PinnedStore {
    /// A file whose first `length` bytes are pinned.
    struct Pinned<Index> {
        let index: Index
        let file: any File
        let path: String
        let length: Int
    }

    /// A page file whose first `length` bytes are pinned.
    struct PageFile {
        let index: PageIndex
        let length: Int
    }

    /// A segment of the history whose first `length` bytes are listed.
    struct Past {
        let header: SegmentHeader
        let length: Int
    }

    let superblock: Superblock
    /// The end of the log.
    let end: LogEnd
    /// The version at the end of the log.
    let version: Version
    /// The contiguous segments from the one in which replay begins, ascending.
    let log: [Pinned<SegmentIndex>]
    /// The contiguous segments before that, from the oldest, ascending. There may be more than a
    /// process can open, so they are opened one at a time, and some may be removed by then.
    private(set) var history: [Past]
    /// Ascending.
    let pages: [PageFile]
    /// The key file; nil in a plain store.
    let key: [UInt8]?
    private let store: StoreDirectory
    /// Opens the page files.
    private let files: PageStore
    /// Nil if all page files are open.
    private let hold: PageHold?

    /// The total bytes.
    var byteCount: Int {
        history.reduce(0) { $0 + $1.length } + log.reduce(0) { $0 + $1.length }
            + pages.reduce(0) { $0 + $1.length } + (key?.count ?? 0)
    }

    /// How often it restarts after the writer has removed a file that was to be opened.
    private static let attemptsMax = 16

    /// Pins the newest state that is durable. Reads and verifies the log after the latest
    /// checkpoint. Blocks on the disk.
    ///
    /// `checkpointer`: that of this process, if it may write.
    static func pin(
        _ log: Log, _ checkpointer: Checkpointer?
    ) throws(StorageError) -> PinnedStore {
        if log.isWriting { try log.sync() }
        if let checkpointer {
            // Excludes removals until everything is pinned.
            let held = try checkpointer.exclusively { () throws(StorageError) -> PinnedStore? in
                guard checkpointer.pages.canReopen else { return nil }
                return try PinnedStore(log, heldBy: checkpointer.pages)
            }
            if let held { return held }
        }
        var attempts = 0
        while true {
            attempts += 1
            let before = try? log.store.readTrace()
            do throws(StorageError) {
                return try PinnedStore(log, heldBy: nil)
            } catch {
                switch error {
                case .corrupted, .fileNotFound: break
                default: throw error
                }
                let hasChanged = before != (try? log.store.readTrace())
                guard hasChanged, attempts < Self.attemptsMax else { throw error }
                Platform.pause(for: .milliseconds(attempts))
            }
        }
    }

    /// `holder`: the page files of this process, if no other process may remove them.
    private init(_ open: Log, heldBy holder: PageStore?) throws(StorageError) {
        store = open.store
        let superblock = try Self.newestSuperblock(of: open)
        self.superblock = superblock
        let durable = try Self.durableEnd(of: open, superblock)
        var reader = StateReader(store, superblock, keepsOpen: holder == nil)
        (end, version) = try reader.read(upTo: durable)
        (history, log) = try Self.segments(of: store, superblock, upTo: end)
        let found = try reader.pages()
        pages = found
        files = holder ?? reader.files
        hold = holder.map { PageHold($0, found.map(\.index)) }
        key = superblock.algorithm == .none ? nil : try store.readKeyFile()
    }

    /// The newest superblock. The writer knows it, even if the disk cannot read it any more.
    private static func newestSuperblock(of open: Log) throws(StorageError) -> Superblock {
        let known = open.state.withLock { $0.superblock }
        if open.isWriting {
            try open.requirePlace()
            return known
        }
        let found = try open.store.readSuperblock() ?? known
        guard found.database == open.database else { throw .replaced(path: open.store.path) }
        try open.store.requireAuthentic(found)
        return found
    }

    /// The durable position.
    private static func durableEnd(
        of open: Log, _ superblock: Superblock
    ) throws(StorageError) -> LogPosition {
        let checkpoint = superblock.checkpoint?.end(superblock.algorithm) ?? .zero
        // The horizon may be late: if this process is the writer, it knows better.
        if let synced = open.state.withLock({ $0.writer?.synced }) {
            return max(synced, checkpoint)
        }
        let horizon = try open.store.readHorizon(database: open.database)?.synced ?? .zero
        let known = max(horizon, checkpoint)
        // While there is a writer, the log may be longer, but a crash could lose the rest.
        if try open.store.isWritten(open.options) { return known }
        return max(known, open.end?.position ?? .zero)
    }

    private static func segments(
        of store: StoreDirectory, _ superblock: Superblock, upTo end: LogEnd
    ) throws(StorageError) -> (history: [Past], log: [Pinned<SegmentIndex>]) {
        let headers = try HistorySegments(store, database: superblock.database, end: end.segment)
            .headers
        let needed = superblock.checkpoint?.record.replayStart.segment ?? .first
        var history: [Past] = []
        var log: [Pinned<SegmentIndex>] = []
        for (number, header) in headers.enumerated() {
            let next = number + 1 < headers.count ? headers[number + 1].firstPosition : nil
            let length = header.offset(of: next ?? end.position) ?? SegmentHeader.size
            if header.index < needed {
                history.append(Past(header: header, length: length))
                continue
            }
            let path = store.path(of: header.index)
            let file = try store.fileSystem.open(path, .readOnly)
            log.append(Pinned(index: header.index, file: file, path: path, length: length))
        }
        let isWhole = log.first.map { $0.index == needed } ?? (end.segment.rawValue == 0)
        guard isWhole, log.last?.index ?? end.segment == end.segment else {
            throw .corrupted(
                segment: store.logPath, offset: 0, reason: "segment \(needed) is missing")
        }
        return (history, log)
    }

    /// A segment of the log or the history; nil if it does not exist.
    func segment(_ index: SegmentIndex) throws(StorageError) -> Pinned<SegmentIndex>? {
        if let pinned = log.first(where: { $0.index == index }) { return pinned }
        guard let past = history.first(where: { $0.header.index == index }) else { return nil }
        return try open(past)
    }

    /// Opens a page file, or returns the open one.
    func open(_ page: PageFile) throws(StorageError) -> Pinned<PageIndex> {
        Pinned(
            index: page.index, file: try files.file(page.index).file,
            path: files.path(page.index), length: page.length)
    }

    /// Opens a segment of the history; nil if it was removed.
    func open(_ past: Past) throws(StorageError) -> Pinned<SegmentIndex>? {
        do throws(StorageError) {
            guard let segment = try LogSegment(past.header.index, of: store),
                segment.header == past.header
            else { return nil }
            return Pinned(
                index: past.header.index, file: segment.file, path: segment.path,
                length: past.length)
        } catch .fileNotFound {
            return nil
        }
    }

    /// Removes the history up to a missing segment from the list: earlier ones are removed first.
    mutating func dropHistory(through index: SegmentIndex) {
        history.removeAll { $0.header.index <= index }
    }
}

/// Reads the log after a checkpoint, to find the page files that opening the store would need.
private struct StateReader {
    private let store: StoreDirectory
    private let superblock: Superblock
    let files: PageStore
    private let account = NodeAccount()
    private var lengths: [PageIndex: (length: Int, isUsed: Bool)] = [:]

    /// With `keepsOpen`, opened files stay open as long as ``files``.
    init(_ store: StoreDirectory, _ superblock: Superblock, keepsOpen: Bool) {
        self.store = store
        self.superblock = superblock
        var options = PageOptions()
        options.openFilesMax = 1
        files = PageStore(
            fileSystem: store.fileSystem, directory: store.pagesPath,
            database: superblock.database, cipher: store.cipher, options: options)
        account.pages = files
        files.mayReopen(!keepsOpen)
    }

    /// Returns the last boundary between two groups up to `durable`, and its version.
    mutating func read(upTo durable: LogPosition) throws(StorageError) -> (LogEnd, Version) {
        let record = superblock.checkpoint?.record
        var version = record?.version ?? .zero
        if let record { try note(record) }
        var trees: [CheckpointRecord] = []
        var tail = LogTail(store, database: superblock.database, from: record?.replayStart)
        try tail.read(upTo: durable) { (group) throws(StorageError) in
            if let tree = try group.tree() {
                trees.append(tree)
                version = tree.version
            } else {
                try group.forEachCommit { version = $0.version }
            }
        }
        guard tail.next.position >= durable else {
            throw .corrupted(
                segment: store.logPath, offset: 0,
                reason: "it ends before the end that the horizon records")
        }
        for tree in trees { try note(tree) }
        return (tail.resumption, version)
    }

    private mutating func note(_ record: CheckpointRecord) throws(StorageError) {
        let (_, described) = try StoreOpening.load(record, from: files, account)
        let contents = Checkpointer.Contents(record, described)
        for segment in contents.segments.values {
            let known = lengths[segment.index]
            lengths[segment.index] = (
                max(segment.length, known?.length ?? 0),
                contents.uses(segment.index) || known?.isUsed == true
            )
        }
    }

    /// The existing page files, which were all opened.
    func pages() throws(StorageError) -> [PinnedStore.PageFile] {
        var found: [PinnedStore.PageFile] = []
        for (index, segment) in lengths.sorted(by: { $0.key < $1.key }) {
            do throws(StorageError) {
                _ = try files.file(index)
                found.append(PinnedStore.PageFile(index: index, length: segment.length))
            } catch {
                // A file without used bytes may have been removed already.
                if segment.isUsed { throw error }
            }
        }
        return found
    }
}
