/// The segments of a log that can be read one after another, up to the one that ends it.
struct HistorySegments {
    /// Ascending, without a gap.
    private(set) var headers: [SegmentHeader] = []

    /// Reads the headers of the segments up to `end`; those alone that ``start(behind:)`` looks at
    /// for `version`, if one is given: each is another file.
    init(
        _ store: StoreDirectory, database: Bits128, end: SegmentIndex,
        behind version: Version? = nil
    ) throws(StorageError) {
        let indexes = try store.fileSystem.list(store.logPath)
            .compactMap { SegmentIndex(fileName: $0) }.filter { $0 <= end }.sorted()
        var reversed: [SegmentHeader] = []
        for index in indexes.reversed() {
            guard reversed.last.map({ $0.index == index.next }) ?? true,
                let header = try Self.header(index, store), header.database == database
            else { break }
            reversed.append(header)
            if let version, header.lastVersion < version { break }
        }
        headers = reversed.reversed()
    }

    /// The header of a segment; nil when it is gone, or has none yet.
    static func header(
        _ index: SegmentIndex, _ store: StoreDirectory
    ) throws(StorageError) -> SegmentHeader? {
        do throws(StorageError) {
            return try LogSegment(index, of: store)?.header
        } catch .fileNotFound {
            return nil
        }
    }

    /// The segment to begin with for what came behind `version`; nil when that is gone.
    ///
    /// One that begins behind an older commit, because the transaction behind `version` may have
    /// begun in it; else the first of all.
    func start(behind version: Version) -> SegmentHeader? {
        if let header = headers.last(where: { $0.lastVersion < version }) { return header }
        guard let first = headers.first, first.lastVersion == version else { return nil }
        return first
    }
}
