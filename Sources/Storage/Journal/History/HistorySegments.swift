/// The contiguous segments at the end of a log.
struct HistorySegments {
    /// Ascending, without a gap.
    private(set) var headers: [SegmentHeader] = []

    /// Reads the headers of the segments up to `end`. With `version`, reads only those that
    /// ``start(behind:)`` needs, since each is in a file of its own.
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

    /// The header of a segment; nil if it was removed, or not written to yet.
    static func header(
        _ index: SegmentIndex, _ store: StoreDirectory
    ) throws(StorageError) -> SegmentHeader? {
        do throws(StorageError) {
            return try LogSegment(index, of: store)?.header
        } catch .fileNotFound {
            return nil
        }
    }

    /// The segment in which reading the commits after `version` begins; nil if they were removed.
    ///
    /// It begins after an older commit, since the transaction after `version` may have begun in it;
    /// otherwise it is the first segment of all.
    func start(behind version: Version) -> SegmentHeader? {
        if let header = headers.last(where: { $0.lastVersion < version }) { return header }
        guard let first = headers.first, first.lastVersion == version else { return nil }
        return first
    }
}
