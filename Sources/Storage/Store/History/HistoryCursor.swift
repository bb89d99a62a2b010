/// Enumerates the commits of a store after a version, in order.
///
/// Used by one consumer at a time. It reads the log on demand and keeps its position; it pins no
/// version of the store.
package struct HistoryCursor: Sendable {
    /// The last commit that was read.
    package private(set) var version: Version
    /// The ``Journal/life`` of the commit after which it began; 0 at the start.
    private(set) var startLife: UInt64
    private var reader: HistoryReader?
    /// The schema of the next record.
    private var schema: StoreSchema

    /// The segment of the next record.
    var segment: SegmentIndex? { reader?.next.segment }

    /// Begins after the published version.
    private init(at published: Publisher.Published, _ log: Log) {
        version = published.root.version
        startLife = published.root.life
        schema = published.root.schema
        // A checkpoint of this version may have restarted the log after it.
        let begin = log.replayStart(of: version)
        reader = published.end.map { end in
            let isBehind = begin.map { $0.position >= end.position } ?? false
            return HistoryReader(
                log.store, database: log.database, from: isBehind ? begin ?? end : end)
        }
    }

    /// Begins after the newest version of the engine.
    package init(latestOf engine: TransactionEngine) throws(HistoryError) {
        self.init(at: engine.publisher.latest, try engine.historyLog)
    }

    /// Begins after `version`, which was made in `life`, if that is known. Blocks on the disk: not
    /// for the cooperative pool.
    package init(
        behind version: Version, life: UInt64? = nil, of engine: TransactionEngine
    ) throws(HistoryError) {
        let log = try engine.historyLog
        let published = engine.publisher.latest
        self.init(at: published, log)
        if version == published.root.version {
            if let life, life != published.root.life { throw .replaced(version) }
            return
        }
        guard version < published.root.version else {
            throw .future(newest: published.root.version)
        }
        guard let end = published.end else { throw .noLog }
        let (start, reader) = try Self.find(version, published, end, log)
        self.version = start.lastVersion
        startLife = version == .zero ? 0 : start.epochSalt.low
        let begin = reader.next
        if begin.position == .zero, start.lastVersion == .zero {
            schema = StoreSchema()
        } else if let widened = try Self.widening(reader, behind: version, end) {
            // Earlier records have a schema that the log no longer has.
            throw .trimmed(oldest: widened)
        }
        self.reader = reader
        if self.version == version {
            if startLife == 0, version != .zero {
                startLife = try checkpoint(of: version, upTo: end)?.replayStart.life ?? 0
            }
            if let life { try requireLife(life, start, end) }
        }
        try skip(to: version, life, published.root.schema, end)
    }

    /// Begins with the oldest commit in the log. Blocks on the disk: not for the cooperative pool.
    package init(oldestOf engine: TransactionEngine) throws(HistoryError) {
        var begin = Version.zero
        while true {
            do throws(HistoryError) {
                self = try HistoryCursor(behind: begin, of: engine)
                return
            } catch {
                guard case .trimmed(let oldest) = error, oldest > begin, oldest < .max else {
                    throw error
                }
                begin = oldest
            }
        }
    }

    /// The segment in which to begin for the commits after `version`, with a reader.
    private static func find(
        _ version: Version, _ published: Publisher.Published, _ end: LogEnd, _ log: Log
    ) throws(HistoryError) -> (start: SegmentHeader, reader: HistoryReader) {
        let segments = try HistoryError.translating { () throws(StorageError) in
            try HistorySegments(
                log.store, database: log.database, end: end.segment, behind: version)
        }
        guard let start = segments.start(behind: version) else {
            throw .trimmed(oldest: segments.headers.first?.lastVersion ?? published.root.version)
        }
        let begin = LogEnd(beginOf: start)
        return (start, HistoryReader(log.store, database: log.database, from: begin))
    }

    /// Throws unless the version before the start of the log, whose commit was removed, was made in
    /// `life`. If that cannot be determined, throws as if the log began later.
    private func requireLife(
        _ life: UInt64, _ start: SegmentHeader, _ end: LogEnd
    ) throws(HistoryError) {
        if version == .zero {
            // The empty version has no writer.
            if life == 0 { return }
            throw .replaced(version)
        }
        if life != 0, start.epochSalt.low == life { return }
        guard let checkpoint = try checkpoint(of: version, upTo: end) else {
            throw .trimmed(oldest: version)
        }
        if checkpoint.replayStart.life != life { throw .replaced(version) }
    }

    /// The checkpoint of a version at the start of a segment.
    private func checkpoint(
        of version: Version, upTo end: LogEnd
    ) throws(HistoryError) -> CheckpointRecord? {
        var ahead = reader
        var window = LogWindow()
        _ = try ahead?.readGroup(upTo: end, in: &window) { _ in }
        return ahead?.checkpoint.flatMap { $0.version == version ? $0 : nil }
    }

    /// The last commit that extended the schema, of those after `version` except the first.
    private static func widening(
        _ reader: HistoryReader, behind version: Version, _ end: LogEnd
    ) throws(HistoryError) -> Version? {
        var reader = reader
        var found: Version?
        var isFirst = true
        var window = LogWindow(size: LogWindow.large)
        while try reader.readGroup(
            upTo: end, in: &window,
            { (record) throws(HistoryError) in
                if record.version <= version { return }
                defer { isFirst = false }
                if isFirst || CommitRecord.schema(of: record.payload) == nil { return }
                found = record.version
            })
        {}
        return found
    }

    /// Skips the commits up to `version`. `present` is the schema of the published version.
    private mutating func skip(
        to version: Version, _ life: UInt64?, _ present: StoreSchema, _ end: LogEnd
    ) throws(HistoryError) {
        var window = LogWindow(size: LogWindow.large)
        while self.version < version {
            var ahead = reader
            var schema = schema
            var last = self.version
            var isFound = false
            let isThere = try ahead?.readGroup(upTo: end, in: &window) {
                (record) throws(HistoryError) in
                last = record.version
                guard record.version <= version else { return }
                isFound = record.version == version
                let brought = CommitRecord.schema(of: record.payload)
                schema = try present.checked(brought, of: record) ?? schema
            }
            guard isThere == true else { throw .trimmed(oldest: self.version) }
            // A crash may have lost it, without another commit with its number.
            let isOther = isFound ? life != ahead?.next.life : last > version
            if life != nil, isOther { throw .replaced(version) }
            self.schema = schema
            self.version = min(last, version)
            if isFound, let ahead { startLife = ahead.next.life }
            // A group that continues after the version is read once more.
            if last <= version { reader = ahead }
        }
    }

    /// Closes the file until the next read: only while the log is retained for it.
    package mutating func closeFile() { reader?.closeFile() }

    /// How many bytes of the log are read at a time, unless one group is larger: a commit may have
    /// megabytes, and takes several times as much memory when it is decoded.
    private static let bytesAheadMax = 1 << 20

    /// The next commits in the log, up to the published version, of whole groups: of one, and of
    /// more while there are fewer than `count` and not too many bytes. Nil if there are none yet.
    /// Blocks on the disk: not for the cooperative pool.
    package mutating func next(
        of engine: TransactionEngine, atLeast count: Int = 1
    ) throws(HistoryError) -> [LoggedCommit]? {
        let published = engine.publisher.latest
        guard let end = published.end else { return nil }
        var window = LogWindow(size: count > 1 ? LogWindow.large : LogWindow.small)
        let start = reader?.next.position
        var commits: [LoggedCommit] = []
        do throws(HistoryError) {
            while commits.count < count, bytesRead(since: start) < Self.bytesAheadMax,
                let more = try nextGroup(published, upTo: end, of: engine, in: &window)
            {
                commits += more
            }
        } catch {
            // Commits that were read before the error are returned first.
            if commits.isEmpty { throw error }
        }
        return commits.isEmpty ? nil : commits
    }

    /// How many bytes of the log were read from a position on.
    private func bytesRead(since start: LogPosition?) -> Int {
        guard let start, let reader else { return 0 }
        return reader.next.position.distance(from: start) ?? 0
    }

    /// The commits of the next group that has any.
    private mutating func nextGroup(
        _ published: Publisher.Published, upTo end: LogEnd, of engine: TransactionEngine,
        in window: inout LogWindow
    ) throws(HistoryError) -> [LoggedCommit]? {
        var hasFoundAgain = false
        while version < published.root.version {
            var group: [LoggedCommit]?
            do throws(HistoryError) {
                group = try readGroup(published.root.schema, upTo: end, in: &window)
            } catch {
                guard case .trimmed = error, !hasFoundAgain else { throw error }
                // The removed segment may have had no more commits.
                reader = try Self.find(version, published, end, engine.historyLog).reader
                hasFoundAgain = true
                continue
            }
            guard var commits = group else { return nil }
            // A commit that only extends the schema changes no values.
            commits.removeAll { $0.schema != nil && $0.classes.isEmpty }
            if !commits.isEmpty { return commits }
        }
        return nil
    }

    /// The commits after ``version`` of the next group in the log; nil if there is none yet.
    /// `present` is the schema of the published version.
    private mutating func readGroup(
        _ present: StoreSchema, upTo end: LogEnd, in window: inout LogWindow
    ) throws(HistoryError) -> [LoggedCommit]? {
        var commits: [LoggedCommit] = []
        var (version, schema) = (version, schema)
        let isThere = try reader?.readGroup(upTo: end, in: &window) {
            (record) throws(HistoryError) in
            guard record.version > version else { return }
            let commit: LoggedCommit
            do throws(RecordError) {
                commit = try CommitRecord.history(
                    record.payload, version: record.version, schema: schema)
            } catch {
                throw .storage(
                    .corrupted(
                        segment: "log", offset: record.offset,
                        reason: "commit \(record.version): \(error.reason)"))
            }
            version = commit.version
            schema = try present.checked(commit.schema, of: record) ?? schema
            commits.append(commit)
        }
        self.version = version
        self.schema = schema
        guard isThere == true else { return nil }
        let life = reader?.next.life ?? 0
        for index in commits.indices { commits[index].life = life }
        return commits
    }
}

extension StoreSchema {
    /// The new schema of a record, if it has one. Before a checkpoint, replay has not checked it: a
    /// column could be of another kind than its values.
    fileprivate func checked(
        _ brought: StoreSchema?, of record: CommitView
    ) throws(HistoryError) -> StoreSchema? {
        guard let brought, !storesValues(of: brought) else { return brought }
        throw .storage(
            .corrupted(
                segment: "log", offset: record.offset,
                reason: "commit \(record.version): its schema is not one of this store"))
    }
}

extension TransactionEngine {
    /// The log of a store that has one.
    fileprivate var historyLog: Log {
        get throws(HistoryError) {
            guard let log = segments else { throw .noLog }
            return log
        }
    }
}
