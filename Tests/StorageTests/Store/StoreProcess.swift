import Dispatch
import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// One of several processes that have a store open, without the threads that let real processes
/// communicate: a test makes these calls itself.
struct StoreProcess {
    static let item = ClassID(0)
    static let number = ColumnID(0)
    static let text = ColumnID(1)
    static let tags = ColumnID(2)
    static let schema = StoreSchema(classes: [
        ClassSchema(
            name: "Item",
            columns: [
                ColumnSchema(name: "number", kind: .int, isIndexed: true),
                ColumnSchema(name: "text", kind: .string),
                ColumnSchema(name: "tags", kind: .int, container: .list),
            ],
            primaryKey: number)
    ])

    let opened: StoreOpening.Opened
    let engine: TransactionEngine
    let follower: LogFollower
    private let files: any FileSystem
    private let directory: String
    private let published: PublishedVersions

    /// The published versions, in order.
    private final class PublishedVersions: Sendable {
        let numbers = Mutex<[Version]>([])
    }

    init(
        _ files: any FileSystem, directory: String = "store.realm", isShared: Bool = true,
        account: NodeAccount = NodeAccount(),
        replayedMax: Int = LogFollower.replayedMaxByDefault,
        _ tune: (inout LogOptions) -> Void = { _ in }
    ) throws {
        var opening = StoreOpening(fileSystem: files, directory: directory)
        opening.options = .small
        opening.options.isShared = isShared
        tune(&opening.options)
        let opened = try opening.open(account: account) { _ in Self.schema }
        let published = PublishedVersions()
        self.files = files
        self.directory = directory
        self.published = published
        self.opened = opened
        engine = TransactionEngine(
            opened,
            publish: { changes, makeLatest in
                published.numbers.withLock { $0 += changes.map(\.version) }
                makeLatest()
            })
        follower = LogFollower(
            engine, opened.log, opened.checkpointer, replayedMax: replayedMax)
    }

    var log: Log { opened.log }
    var checkpointer: Checkpointer { opened.checkpointer }

    // MARK: Writing

    /// One transaction, which must not fail before it is written.
    func write(_ body: (WorkingTree) -> Void) throws {
        try engine.beginBody()
        body(engine.tree)
        engine.endBody(try engine.encodeCommit(author: nil, time: 0), waiter: .nobody)
    }

    func insert(_ number: Int64) throws { try insert(number..<number + 1) }

    func insert(_ numbers: Range<Int64>, textLength: Int = 8) throws {
        try write { add(numbers, to: $0, textLength: textLength) }
    }

    func add(_ numbers: Range<Int64>, to tree: WorkingTree, textLength: Int = 8) {
        for number in numbers {
            let key = tree.createRow(Self.item)
            let row = Row(number, textLength: textLength)
            tree.set(.int(number), Self.item, key, Self.number)
            tree.set(.string(row.text), Self.item, key, Self.text)
        }
    }

    /// Within a transaction.
    func delete(_ numbers: some Sequence<Int64>) {
        let tree = engine.tree
        tree.delete(Self.item, numbers.compactMap { tree.find(Self.item, primaryKey: .int($0)) })
    }

    /// Within a transaction.
    func append(_ tag: Int64, to number: Int64) {
        let tree = engine.tree
        guard let key = tree.find(Self.item, primaryKey: .int(number)) else { return }
        tree.listAppend(contentsOf: [.int(tag)], Self.item, key, Self.tags)
    }

    /// Empties all segments with unused bytes, and removes them; with `isFull` the log is
    /// restarted, too.
    func compact(isFull: Bool = false) throws {
        guard var plan = try engine.planCompaction(isFull: true) else { return }
        while !plan.isDone {
            try engine.beginBody()
            engine.relocate(&plan)
            engine.endBody(nil, waiter: .nobody)
        }
        try engine.finishCompaction(isFull: isFull)
    }

    // MARK: Reading

    var numbers: [Int64] {
        let latest = engine.latest
        return withExtendedLifetime(latest) {
            let view = latest.view.classView(Self.item)
            return (0..<view.count).map { position in
                let row = view.row(at: position)
                return row.cluster.int(0, row.slot)
            }
        }
    }

    /// The values of a row besides its number.
    struct Row: Hashable {
        var text: String
        var tags: [Int64] = []

        init(_ number: Int64, textLength: Int = 8) {
            text = "text \(number) \(String(repeating: "x", count: textLength))"
        }

        fileprivate init(text: String, tags: [Int64]) {
            self.text = text
            self.tags = tags
        }
    }

    /// Every row by its number.
    var contents: [Int64: Row] {
        let latest = engine.latest
        var rows: [Int64: Row] = [:]
        withExtendedLifetime(latest) {
            var clusters = latest.view.classView(Self.item).makeClusterIterator()
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    rows[cluster.int(0, slot)] = Row(
                        text: cluster.string(1, slot), tags: Self.tags(of: cluster, slot))
                }
            }
        }
        return rows
    }

    private static func tags(of cluster: Cluster, _ slot: Int) -> [Int64] {
        let elements = cluster.sequence(2, slot, schema.classes[0].columns[2])
        return (0..<elements.count).map { elements.int($0) }
    }

    func tags(of key: RowKey) -> [Int64] {
        let latest = engine.latest
        return withExtendedLifetime(latest) {
            guard let row = latest.view.classView(Self.item).locate(key) else { return [] }
            return Self.tags(of: row.cluster, row.slot)
        }
    }

    /// The versions that were published since it was opened, in order.
    var publishedVersions: [Version] { published.numbers.withLock { $0 } }

    /// The problems of the tree, the page files, and their accounting.
    func problems() throws -> [String] {
        var problems = try engine.verify(ReadingMonitor()).problems.map(String.init(describing:))
        let contents = checkpointer.contents
        guard let root = contents.root else { return problems }
        var used = DeadNodes(pages: checkpointer.pages, account: engine.tree.account)
        try used.count(below: root, except: [])
        for (index, bytes) in used.bytes where contents.segments[index]?.live != bytes {
            problems.append("segment \(index): \(bytes) bytes in use, not as it is accounted for")
        }
        let names = try files.list(checkpointer.pages.directory)
        for segment in contents.segments.values where segment.live > 0 {
            let name = segment.index.fileName
            if !names.contains(name) { problems.append("\(name) is not there") }
        }
        return problems
    }

    // MARK: The writer lease

    /// Takes the lease, which must be free.
    func takeOver() throws {
        guard let lock = try files.lock(directory + "/writer.lock") else {
            throw StorageError.busy(process: nil)
        }
        try follower.takeOver(lock)
    }

    func close() async {
        await engine.close()
    }

    /// Waits for all pending jobs of the log thread.
    func waitForLogThread() async {
        // The engine resumes the continuation exactly once.
        await withUnsafeContinuation { continuation in
            engine.sync { _ in continuation.resume() }
        }
    }
}

// MARK: Page segments

extension StoreProcess {
    /// Page segments of a few KB, so that small stores have many.
    static func smallPages(_ options: inout LogOptions) {
        options.pages.segmentSizeMin = 4 << 10
        options.pages.segmentSizeGrown = 4 << 10
    }

    /// A process with a store of 200 rows, whose many page segments are half empty.
    static func withSparsePages(_ files: any FileSystem) throws -> StoreProcess {
        let process = try StoreProcess(files, smallPages)
        try process.insert(0..<400, textLength: 60)
        try process.engine.checkpoint()
        try process.write { _ in process.delete((Int64(0)..<400).filter { $0 % 2 == 1 }) }
        try process.engine.checkpoint()
        return process
    }
}

// MARK: Threads

extension StoreProcess {
    /// The threads that let a process communicate with others.
    func makeSharing(
        onFailure: @escaping @Sendable (StorageError) -> Void = { _ in }
    ) throws -> StoreSharing {
        let made = StoreSharing(opened, engine, onRequest: {}, onFailure: onFailure)
        return try #require(made)
    }
}

extension StoreSharing {
    /// Stops, and waits until the threads have ended.
    func stopAndWait() {
        let stopped = DispatchSemaphore(value: 0)
        stop { stopped.signal() }
        stopped.wait()
    }
}
