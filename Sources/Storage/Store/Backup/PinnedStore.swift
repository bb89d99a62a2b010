import Synchronization

/// The files that make up one state of a store: whatever checkpoints, compactions and other
/// processes do to the store meanwhile, they stay readable. Of the history, which no state needs,
/// this is only a list.
///
/// Page files are many. Where this process may write, they are opened one at a time: it is the one
/// that removes them, and keeps open what it removes meanwhile. Where another one may, all of them
/// are open.
///
/// What is read of them never changes: the log up to a place that was synced, and of the page files
/// what a checkpoint, or the group of a large commit, says is in them.
struct PinnedStore {
    /// A file of which the first `length` bytes count.
    struct Pinned<Index> {
        let index: Index
        let file: any File
        let path: String
        let length: Int
    }

    /// A page file of which the first `length` bytes count.
    struct PageFile {
        let index: PageIndex
        let length: Int
    }

    /// A segment of the history, of which the first `length` bytes count.
    struct Past {
        let header: SegmentHeader
        let length: Int
    }

    let superblock: Superblock
    /// Where the log ends.
    let end: LogEnd
    /// What the log makes.
    let version: Version
    /// Ascending and without a gap, from the one on in which replay begins.
    let log: [Pinned<SegmentIndex>]
    /// Those before, ascending and without a gap, from the oldest that there is. They can be more
    /// than a process may have open, and are opened one at a time: by then some may be gone.
    private(set) var history: [Past]
    /// Ascending.
    let pages: [PageFile]
    /// The file with the key; nil in a plain store.
    let key: [UInt8]?
    private let store: StoreDirectory
    /// What the page files are opened by.
    private let files: PageStore
    /// Nil where they are open.
    private let hold: PageHold?

    /// Bytes of all of them.
    var byteCount: Int {
        history.reduce(0) { $0 + $1.length } + log.reduce(0) { $0 + $1.length }
            + pages.reduce(0) { $0 + $1.length } + (key?.count ?? 0)
    }

    /// How often it begins anew where the writer has removed what it was about to open.
    private static let attemptsMax = 16

    /// The newest state of which everything is durable. Reads and verifies the log behind the
    /// latest checkpoint. Blocks on the disk.
    ///
    /// `checkpointer`: what writes the checkpoints of this process, if it may write any.
    static func pin(
        _ log: Log, _ checkpointer: Checkpointer?
    ) throws(StorageError) -> PinnedStore {
        if log.isWriting { try log.sync() }
        if let checkpointer {
            // Nothing is removed before all of it is held.
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

    /// `holder`: the page files of this process, none of which another one may remove.
    private init(_ open: Log, heldBy holder: PageStore?) throws(StorageError) {
        store = open.store
        let known = open.state.withLock { $0.superblock }
        let superblock = try store.readSuperblock() ?? known
        guard superblock.database == open.database else { throw .replaced(path: store.path) }
        try store.requireAuthentic(superblock)
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

    /// Up to where everything is known to be durable.
    private static func durableEnd(
        of open: Log, _ superblock: Superblock
    ) throws(StorageError) -> LogPosition {
        let horizon = try open.store.readHorizon(database: open.database)?.synced ?? .zero
        let known = max(horizon, superblock.checkpoint?.end(superblock.algorithm) ?? .zero)
        // Beside a writer there may be more, which a crash takes away again.
        if open.isWriting { return known }
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

    /// A segment of log or history; nil when it is not there, or not any more.
    func segment(_ index: SegmentIndex) throws(StorageError) -> Pinned<SegmentIndex>? {
        if let pinned = log.first(where: { $0.index == index }) { return pinned }
        guard let past = history.first(where: { $0.header.index == index }) else { return nil }
        return try open(past)
    }

    /// Opens a page file, or hands it out where it is open.
    func open(_ page: PageFile) throws(StorageError) -> Pinned<PageIndex> {
        Pinned(
            index: page.index, file: try files.file(page.index).file,
            path: files.path(page.index), length: page.length)
    }

    /// Opens a segment of the history; nil when it is gone.
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

    /// Leaves out the history up to a segment that is gone: what was before goes first.
    mutating func dropHistory(through index: SegmentIndex) {
        history.removeAll { $0.header.index <= index }
    }
}

/// Reads the log behind a checkpoint for the page files that opening the store would look into.
private struct StateReader {
    private let store: StoreDirectory
    private let superblock: Superblock
    let files: PageStore
    private let account = NodeAccount()
    private var lengths: [PageIndex: (length: Int, isUsed: Bool)] = [:]

    /// With `keepsOpen`, what is opened stays open for as long as ``files``.
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

    /// Returns the last place up to `durable` that no transaction goes across, and the version
    /// there.
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
                reason: "it ends before what the horizon says is there")
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

    /// The page files that are there, each of which was opened.
    func pages() throws(StorageError) -> [PinnedStore.PageFile] {
        var found: [PinnedStore.PageFile] = []
        for (index, segment) in lengths.sorted(by: { $0.key < $1.key }) {
            do throws(StorageError) {
                _ = try files.file(index)
                found.append(PinnedStore.PageFile(index: index, length: segment.length))
            } catch {
                // One without anything in use may be gone already.
                if segment.isUsed { throw error }
            }
        }
        return found
    }
}
