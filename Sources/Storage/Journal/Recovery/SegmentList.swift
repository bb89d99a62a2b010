import Foundation

/// The segment files of a log, in order.
struct SegmentList: Sendable {
    /// A segment whose header is valid.
    struct Segment: Sendable {
        let header: SegmentHeader
        let path: String
    }

    /// The log, from its first segment to the newest one with a usable header.
    var segments: [Segment] = []
    /// After them: spares, and segments whose creation was interrupted.
    var unusablePaths: [String] = []
    /// Whether one of these has the header of another database.
    private var hasForeign = false
    /// Why the sequence of the segments is broken, and after how many of `segments`.
    var breakReason: String?
    /// The first of the segments with valid headers that follow each other up to the newest one.
    private(set) var lastRun: SegmentIndex?
    /// The newest segment with a valid header.
    private var newest: SegmentIndex?

    /// Reads the headers. `database` is nil if the superblock is lost; the first segment then
    /// determines the database. Segments of another database are never part of the log.
    ///
    /// `first` is the segment that the log must begin with; those before it are leftovers. Nil:
    /// with the first that exists. `last` is the one that it ends with; nil if that is to be
    /// determined.
    static func read(
        from fileSystem: any FileSystem, directory: String, database: Bits128?,
        first: SegmentIndex?, last: SegmentIndex? = nil
    ) throws(StorageError) -> SegmentList {
        let names: [String]
        do {
            names = try fileSystem.list(directory)
        } catch .fileNotFound {
            return SegmentList()
        }
        var list = SegmentList()
        let indexes = names.compactMap { SegmentIndex(fileName: $0) }
            .filter { index in index >= first ?? .first && last.map { index <= $0 } ?? true }
            .sorted()
        for index in indexes {
            let path = directory + "/" + index.fileName
            switch try SegmentHeaderReading(fileSystem.open(path, .readOnly)) {
            case .unsupported(let format):
                throw .unsupportedFormat(found: format, supported: StoreFormat.version)
            case .valid(let header) where header.index != index:
                // A file that was never written, in blocks that an older segment had.
                list.unusablePaths.append(path)
            case .unusable:
                list.unusablePaths.append(path)
            case .valid(let header)
            where header.database != database ?? list.database ?? header.database:
                list.appendForeign(path)
            case .valid(let header):
                list.append(header, path, index, first: first ?? index)
            }
        }
        return list
    }

    /// The UUID in the first header.
    var database: Bits128? { segments.first?.header.database }

    /// Removes the segments up to `index`; false if no other is left.
    mutating func removeSegments(through index: SegmentIndex) -> Bool {
        segments.removeAll { $0.header.index <= index }
        return !segments.isEmpty
    }

    /// Also a file that was never written, in blocks that another database had. Each segment is
    /// synced before the next one is created, so a crash leaves one of them: several were put there
    /// on purpose.
    private mutating func appendForeign(_ path: String) {
        if hasForeign, breakReason == nil { breakReason = "'\(path)' belongs to another realm" }
        hasForeign = true
        unusablePaths.append(path)
    }

    private mutating func append(
        _ header: SegmentHeader, _ path: String, _ index: SegmentIndex, first: SegmentIndex
    ) {
        if newest?.next != index { lastRun = index }
        newest = index
        guard breakReason == nil else { return }
        let expected = segments.last?.header.index.next ?? first
        if !unusablePaths.isEmpty {
            breakReason =
                "'\(unusablePaths[0])' has an invalid header, and the later '\(path)' a valid one"
        } else if index != expected || header.index != index {
            breakReason = "segment \(expected) is missing"
        } else {
            segments.append(Segment(header: header, path: path))
        }
    }
}
