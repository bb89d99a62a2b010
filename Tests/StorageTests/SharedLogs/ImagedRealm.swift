import StorageHarness
import Testing

@testable import Storage

/// A realm on a shared log that one host writes, which creates images of it.
struct ImagedRealm {
    let engine: MemorySharedLog.Engine
    let options: ImageHost.Options
    let writer: ImageHost
    /// The rows of each version.
    private(set) var versions: [Version: ImageHost.Rows] = [:]
    private var workload = Workload(seed: 1, rowLimit: 12)
    private var model = StoreModel(width: 1)
    /// The rows with long texts.
    private var filled: [RowKey] = []

    /// The beginning of each long text.
    static let marker = "a text that is easily found"

    init(
        _ options: ImageHost.Options = ImageHost.Options(),
        on engine: MemorySharedLog.Engine = MemorySharedLog.Engine(),
        through log: (any SharedLog)? = nil
    ) throws {
        self.engine = engine
        self.options = options
        writer = try ImageHost(log ?? MemorySharedLog(engine), MemoryFileSystem(), options)
        note()
    }

    private mutating func note() { versions[writer.version] = writer.rows }

    // MARK: Writing

    /// Commits random changes.
    mutating func write(edits: Int = 1) async throws {
        var (random, edited) = (workload, model)
        try await writer.commit { tree in
            for _ in 0..<edits { random.edit(tree, &edited) }
        }
        (workload, model) = (random, edited)
        note()
    }

    /// Commits rows with long texts, once.
    mutating func fill(_ count: Int) async throws {
        var keys: [RowKey] = []
        try await writer.commit { tree in
            for number in 1...Int64(count) {
                let key = tree.createRow(HarnessSchema.item)
                tree.set(.int(-number), HarnessSchema.item, key, ColumnID(0))
                keys.append(key)
            }
            Self.setTexts(keys, of: tree, "first")
        }
        filled = keys
        note()
    }

    /// Commits rows, and their deletion: their keys are not used again.
    mutating func makePassingRows() async throws {
        var keys: [RowKey] = []
        try await writer.commit { tree in
            for number in Int64(1)...3 {
                let key = tree.createRow(HarnessSchema.item)
                tree.set(.int(-10_000 - number), HarnessSchema.item, key, ColumnID(0))
                keys.append(key)
            }
        }
        try await writer.commit { tree in tree.delete(HarnessSchema.item, keys) }
        note()
    }

    private static func setTexts(_ keys: [RowKey], of tree: WorkingTree, _ word: String) {
        for (number, key) in keys.enumerated() {
            let text = "\(marker) \(number) " + String(repeating: "\(word) ", count: 50)
            tree.set(.string(text), HarnessSchema.item, key, ColumnID(2))
        }
    }

    // MARK: Images

    /// The images in the log, the newest first.
    var images: [SharedLogImage] {
        get throws { try MemorySharedLog(engine).images() }
    }

    var isImageDue: Bool {
        SharedImageMaker(
            engine: writer.store.engine, journal: writer.journal, monitor: ReadingMonitor()
        ).isDue
    }

    /// Writes until the log has the given number of images, and nothing after the newest one.
    mutating func makeImages(_ count: Int = 1, edits: Int = 4) async throws {
        while try images.count < count {
            try await write(edits: edits)
            let keys = filled
            if !keys.isEmpty {
                let word = "version \(writer.version)"
                try await writer.commit { tree in Self.setTexts(keys, of: tree, word) }
                note()
            }
            try writer.store.makeImageIfDue()
        }
    }

    /// Writes until the log has two images and a commit after them, with the given number of long
    /// texts in them; removes everything before the older image.
    mutating func makeTwoImages(
        filling count: Int = 0
    ) async throws -> (newest: SharedLogImage, older: SharedLogImage) {
        if count > 0 { try await fill(count) }
        try await makeImages(2)
        try await write()
        let images = try self.images
        try MemorySharedLog(engine).trim(below: images[1].slot, imagesBelow: images[1].slot)
        return (images[0], images[1])
    }

    /// Removes everything before the newest image from the log: new hosts need that image.
    func trim() throws {
        let newest = try #require(try images.first)
        try MemorySharedLog(engine).trim(below: newest.slot, imagesBelow: newest.slot)
    }

    /// The version of an image.
    func version(of image: SharedLogImage) throws -> Version {
        try writer.journal.header(of: image).cursor.version
    }

    // MARK: Hosts

    func open(
        _ files: any FileSystem, through log: (any SharedLog)? = nil
    ) throws -> ImageHost {
        try ImageHost(log ?? MemorySharedLog(engine), files, options)
    }

    /// Expects that a host shows the same contents as the writer, and that its folder is valid.
    func check(_ host: ImageHost, _ place: String = "") throws {
        #expect(host.version == writer.version, "\(place)")
        let isSame = host.rows == writer.rows
        #expect(isSame, "\(place)")
        #expect(try host.store.engine.verify(ReadingMonitor()).problems == [], "\(place)")
    }

    /// The same for a host that continues: it writes, and is reopened. Closes all hosts.
    func checkGoingOn(_ host: ImageHost, _ files: any FileSystem) async throws {
        try check(host)
        let count = host.rows.count
        try await host.commit { tree in
            let key = tree.createRow(HarnessSchema.item)
            tree.set(.int(-20_000), HarnessSchema.item, key, ColumnID(0))
        }
        try host.store.engine.checkpoint()
        try await writer.store.refreshFromHosts()
        #expect(writer.rows.count == count + 1)
        try check(host)
        try await host.store.close()
        let again = try open(files)
        try check(again)
        for host in [again, writer] { try await host.store.close() }
    }
}
