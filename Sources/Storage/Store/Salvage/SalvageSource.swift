/// Something of a damaged store that objects can be read from. Sources are read one after another,
/// older contents first.
protocol SalvageSource {
    /// Brings all that can be read to `replay`, and what cannot to its outcome. Throws when there
    /// is nothing to begin with, and `CancellationError`.
    func read(into replay: SalvageReplay, _ monitor: ReadingMonitor) throws
}

/// The log of a damaged store: every frame that verifies on its own, in the order of positions.
struct LogSalvage: SalvageSource {
    let store: StoreDirectory

    /// What a frame leaves behind until it is read again.
    private struct Entry {
        let segment: Int
        let offset: Int
        let position: LogPosition
        let frameSize: Int
        let hash: FrameHash
        let previousHash: FrameHash

        init(_ segment: Int, _ found: SalvagedSegment.Found) {
            let header = found.frame.header
            self.segment = segment
            offset = found.offset
            position = header.position
            frameSize = header.frameSize
            hash = found.frame.hash
            previousHash = header.previousHash
        }
    }

    /// The segments' files, in order.
    private func paths() throws -> [String] {
        try store.fileSystem.list(store.logPath).compactMap { SegmentIndex(fileName: $0) }.sorted()
            .map(store.path)
    }

    /// Which database this is.
    func database() throws -> Bits128 { try makeReader(paths()).database }

    /// The checkpoints that the superblock or a frame of the log tells of, the newest first.
    func checkpoints() throws -> [CheckpointRecord] {
        var records: Set<CheckpointRecord> = []
        if let superblock = try superblock(), superblock.isAuthentic(store.cipher),
            let record = superblock.checkpoint?.record
        {
            records.insert(record)
        }
        let paths = try paths()
        let reader = try makeReader(paths)
        for path in paths {
            let segment = try SalvagedSegment(path, store.fileSystem)
            for found in segment.frames(reader).found {
                if let record = segment.checkpoint(found) { records.insert(record) }
            }
        }
        return records.sorted { $0.version > $1.version }
    }

    func read(into replay: SalvageReplay, _ monitor: ReadingMonitor) throws {
        let paths = try paths()
        let reader = try makeReader(paths)
        // What a checkpoint has in it is neither needed nor missing.
        let start = replay.base?.replayStart
        var entries: [Entry] = []
        for (number, path) in paths.enumerated() {
            if monitor.isCancelled { throw CancellationError() }
            let segment = try SalvagedSegment(path, store.fileSystem)
            let (found, lost) = segment.frames(reader)
            if let first = segment.header?.firstPosition ?? found.first?.frame.header.position {
                // What a cut left behind in older segments: it never was acknowledged.
                entries.removeAll { $0.position >= first }
            }
            // A file without header and frames was never begun, or says nothing.
            if !found.isEmpty || segment.header != nil {
                replay.outcome.lostRanges += (lost + segment.unreadable)
                    .map { SalvageOutcome.LostRange(file: path, bytes: $0) }
            }
            entries += found.map { Entry(number, $0) }
            monitor.report(Double(number + 1) / Double(2 * paths.count))
        }
        if let start { entries.removeAll { $0.position < start.position } }
        entries.sort { $0.position < $1.position }
        try replayFrames(entries, paths, reader, replay, monitor)
    }

    /// What the store's files are sealed with, given what the user has given. Throws when that
    /// does not fit the store, or the file with the store's key is lost, without which nothing can
    /// be read.
    func cipher(_ user: UserKey?) throws -> StoreCipher? {
        if let superblock = try superblock() {
            return try store.cipher(of: superblock.database, superblock.algorithm, user)
        }
        for path in try paths() {
            if let header = try SalvagedSegment(path, store.fileSystem).header {
                return try store.cipher(of: header.database, header.algorithm, user)
            }
        }
        return nil
    }

    /// What the superblock says, nil when it is lost: a segment says it too.
    private func superblock() throws(StorageError) -> Superblock? {
        do throws(StorageError) {
            return try store.readSuperblock()
        } catch {
            switch error {
            case .io, .notARealm: return nil
            default: throw error
            }
        }
    }

    /// A reader that knows all keys that the frames may have.
    private func makeReader(_ paths: [String]) throws -> FrameReader {
        var database = try superblock()?.database
        var salts: [Bits128] = []
        for path in paths {
            let segment = try SalvagedSegment(path, store.fileSystem)
            if database == nil { database = segment.header?.database }
            for salt in segment.salts() where !salts.contains(salt) { salts.append(salt) }
        }
        guard let database else {
            throw StorageError.notARealm(
                path: store.path, reason: "neither a superblock nor a segment's header is left")
        }
        return FrameReader(database, cipher: store.cipher, otherSalts: salts)
    }

    private func replayFrames(
        _ entries: [Entry], _ paths: [String], _ reader: FrameReader, _ replay: SalvageReplay,
        _ monitor: ReadingMonitor
    ) throws {
        let start = replay.base?.replayStart
        var next: (position: LogPosition, hash: FrameHash)? = (
            start?.position ?? .zero, start?.hash ?? .none
        )
        var groups = GroupAssembler(from: start ?? .begin)
        var current: (number: Int, segment: SalvagedSegment, header: SegmentHeader?)?
        for (index, entry) in entries.enumerated() {
            if monitor.isCancelled { throw CancellationError() }
            if current?.number != entry.segment {
                let segment = try SalvagedSegment(paths[entry.segment], store.fileSystem)
                current = (entry.segment, segment, segment.sealingHeader(reader))
            }
            guard let (_, segment, header) = current,
                let sealed = try? reader.frame(in: segment.bytes, at: entry.offset),
                let frame = sealed.open(in: header, owner: segment.buffer)
            else { continue }
            defer { withExtendedLifetime(frame) {} }
            if let next, next != (entry.position, entry.previousHash) {
                replay.outcome.gaps += 1
                // The end of the transaction did not come.
                if groups.abandon() { replay.outcome.incompleteCommits += 1 }
            }
            next = (entry.position.advanced(by: entry.frameSize), entry.hash)
            do {
                let group = try groups.take(frame, at: segment.place(entry.offset))
                defer { withExtendedLifetime(group) {} }
                if let group { replay.apply(group: group.commits) }
            } catch {
                replay.outcome.incompleteCommits += 1
            }
            monitor.report(0.5 + Double(index + 1) / Double(2 * entries.count))
        }
        if groups.abandon() { replay.outcome.incompleteCommits += 1 }
    }
}
