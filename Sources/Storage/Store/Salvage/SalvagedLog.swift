/// The log of a damaged store: the locations of the frames that verify on their own, and what they
/// and the superblock record about the store. The frames are read again when their contents are
/// needed.
struct SalvagedLog {
    /// The index entry of a frame.
    struct Entry {
        /// The number of its file in ``SalvagedLog/paths``.
        let segment: Int
        let offset: Int
        let position: LogPosition
        let frameSize: Int
        /// The salt of its key.
        let salt: Bits128
        let hash: FrameHash
        let previousHash: FrameHash

        init(_ segment: Int, _ found: SalvagedSegment.Found) {
            let header = found.frame.header
            self.segment = segment
            offset = found.offset
            position = header.position
            frameSize = header.frameSize
            salt = found.frame.key.salt
            hash = found.frame.hash
            previousHash = header.previousHash
        }
    }

    /// A tree in the page files, and the position in the log of its reference.
    private struct Tree {
        let record: CheckpointRecord
        let position: LogPosition
    }

    /// The store's folder, with the cipher of its files.
    let store: StoreDirectory
    /// A reader with all keys that the frames may have.
    let reader: FrameReader
    /// The segments' files, in order.
    let paths: [String]
    /// The frames, in the order of positions.
    private(set) var entries: [Entry] = []
    /// What could not be read.
    private(set) var lostRanges: [SalvageOutcome.LostRange] = []
    /// The position up to which everything is known to have been durable.
    let durableEnd: LogPosition
    private var trees: [Tree] = []

    /// Searches the log of a store, which is opened with the user's key. Reads it twice: for the
    /// keys that its frames may have, and for the frames.
    ///
    /// Throws `.fileNotFound` if there is no folder, `.notARealm` if the store cannot be
    /// identified, errors of the key, a lack of descriptors, and `CancellationError`.
    init(of directory: StoreDirectory, _ user: UserKey?, _ monitor: ReadingMonitor) throws {
        var store = directory
        let superblock = try Self.superblock(of: store)
        let paths = try Self.paths(in: store)
        let (database, algorithm) = try Self.identify(store, superblock, paths ?? [])
        try store.unlockDamaged(database, algorithm, user)
        self.store = store
        self.paths = paths ?? []
        if paths == nil { lostRanges = [SalvageOutcome.LostRange(whole: store.logPath)] }
        var checkpoint = superblock?.checkpoint
        if superblock?.isAuthentic(store.cipher) == false { checkpoint = nil }
        let horizon: Horizon? =
            try StoreSalvage.attempt { () throws(StorageError) in
                try store.readHorizon(database: database)
            } ?? nil
        durableEnd = max(horizon?.synced ?? .zero, checkpoint?.end(algorithm) ?? .zero)
        var salts: Set<Bits128> = []
        for path in self.paths {
            guard let segment = try Self.segment(at: path, store), !segment.isStale(in: database)
            else { continue }
            try segment.addSalts(to: &salts, monitor)
        }
        reader = FrameReader(database, cipher: store.cipher, otherSalts: Array(salts))
        try findFrames(monitor)
        if let checkpoint {
            trees.append(Tree(record: checkpoint.record, position: checkpoint.position))
        }
    }

    /// The trees in the page files, the newest first. Of several with the same version, the last
    /// one written is used: a compaction before it may have removed nodes that the others need.
    var checkpoints: [CheckpointRecord] {
        var known: Set<CheckpointRecord> = []
        return trees.sorted { ($0.record.version, $0.position) > ($1.record.version, $1.position) }
            .map(\.record).filter { known.insert($0).inserted }
    }

    /// The file of a segment; nil if it cannot be opened.
    func segment(_ number: Int) throws(StorageError) -> SalvagedSegment? {
        try Self.segment(at: paths[number], store)
    }

    private static func segment(
        at path: String, _ store: StoreDirectory
    ) throws(StorageError) -> SalvagedSegment? {
        try StoreSalvage.attempt { () throws(StorageError) in
            try SalvagedSegment(path, store.fileSystem)
        }
    }

    private mutating func findFrames(_ monitor: ReadingMonitor) throws {
        var begin = LogPosition.zero
        for (number, path) in paths.enumerated() {
            monitor.report(Double(number) / Double(paths.count))
            guard let segment = try segment(number) else {
                lostRanges.append(SalvageOutcome.LostRange(whole: path))
                continue
            }
            if segment.isStale(in: reader.database) { continue }
            let (found, lost) = try segment.frames(reader, monitor)
            if let first = segment.header?.firstPosition ?? found.first?.frame.header.position {
                // Positions never decrease, so these frames belong to an older segment: blocks that
                // were not overwritten yet.
                if first < begin { continue }
                begin = first
                // A truncation has left these frames in older segments: they were never
                // acknowledged.
                entries.removeAll { $0.position >= first }
                trees.removeAll { $0.position >= first }
            } else if segment.unreadable.isEmpty {
                // A file without a header and frames was never used, or has no information.
                continue
            }
            lostRanges += (lost + segment.unreadable).map {
                SalvageOutcome.LostRange(file: path, bytes: $0)
            }
            for frame in found {
                entries.append(Entry(number, frame))
                guard let record = segment.checkpoint(frame) else { continue }
                trees.append(Tree(record: record, position: frame.frame.header.position))
            }
        }
    }

    /// The segments' files, in order; nil if they cannot be listed.
    private static func paths(in store: StoreDirectory) throws(StorageError) -> [String]? {
        do throws(StorageError) {
            return try store.fileSystem.list(store.logPath)
                .compactMap { SegmentIndex(fileName: $0) }.sorted().map { store.path(of: $0) }
        } catch {
            if error.lacksDescriptors { throw error }
            // Page files may be left without a log. Throws if the folder is missing, too.
            _ = try store.fileSystem.list(store.path)
            return nil
        }
    }

    /// Determines the database and the encryption of its files, from the superblock or a segment.
    private static func identify(
        _ store: StoreDirectory, _ superblock: Superblock?, _ paths: [String]
    ) throws(StorageError) -> (database: Bits128, algorithm: EncryptionAlgorithm) {
        if let superblock { return (superblock.database, superblock.algorithm) }
        for path in paths {
            if let segment = try Self.segment(at: path, store), let header = segment.header,
                !segment.isStale(in: header.database)
            {
                return (header.database, header.algorithm)
            }
        }
        throw .notARealm(
            path: store.path, reason: "neither a superblock nor a segment's header is left")
    }

    /// The contents of the superblock; nil if it is lost.
    private static func superblock(of store: StoreDirectory) throws(StorageError) -> Superblock? {
        do throws(StorageError) {
            return try store.readSuperblock()
        } catch {
            switch error {
            case _ where error.lacksDescriptors: throw error
            case .io, .notARealm: return nil
            default: throw error
            }
        }
    }
}
