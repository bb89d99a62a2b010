import Foundation

/// Makes an image of a realm on a shared log when one is due, concurrently with reads and writes,
/// and trims what no host needs any more.
struct SharedImageMaker {
    /// How often it tries to find a moment without commits in progress.
    private static let attemptsMax = 200

    let engine: TransactionEngine
    let journal: SharedJournal
    let monitor: ReadingMonitor

    /// Whether enough was appended since the newest known image.
    var isDue: Bool {
        let account = engine.tree.account
        let tree = max(account.budget.storedBytes, account.byteCount)
        return journal.bytesBehindImage > max(journal.realm.imageBytesMin, tree / 2)
    }

    /// Makes an image if one is due. Blocks: not for the cooperative pool.
    func makeIfDue() throws {
        guard isDue, try noteNewest(), let moment = moment() else { return }
        if try make(moment) { journal.noteImage(of: moment.cursor.bytes) }
        try trim()
    }

    /// Updates the newest known image; true if an image is still due.
    private func noteNewest() throws(StorageError) -> Bool {
        guard let newest = try journal.images().first else { return true }
        do throws(StorageError) {
            let header = try journal.header(of: newest)
            try journal.requireKept(header.cursor)
            journal.noteImage(of: header.cursor.bytes)
        } catch {
            // An image that is damaged, or covers entries that the log has lost, is useless.
            guard case .sharedLogDiverged = error else { throw error }
            return newest.slot < journal.cursor.next
        }
        return isDue
    }

    /// A position in the log, and its tree.
    private struct Moment {
        let cursor: SharedCursor
        /// The times of the commits before it.
        let times: CommitTimes
        let root: SnapshotRoot
    }

    /// The current moment; nil if there are always commits in progress.
    private func moment() -> Moment? {
        for _ in 0..<Self.attemptsMax {
            let (cursor, times) = journal.position
            let root = engine.latest
            if cursor.isBetweenGroups, cursor.version == root.version, root.version > .zero {
                return Moment(cursor: cursor, times: times, root: root)
            }
            Platform.pause(for: .milliseconds(1))
        }
        return nil
    }

    /// Adds an image; false if another host has added one meanwhile, so that none is due.
    private func make(_ moment: Moment) throws -> Bool {
        let cursor = moment.cursor
        try journal.local.requirePlace()
        let store = journal.local.store
        let folder = StoreDirectory(
            fileSystem: store.fileSystem, path: store.path + "/" + StoreDirectory.newImageName)
        try folder.removeStore()
        // Until it failed, the copy would occupy the space that commits need.
        let size = engine.liveBytes + engine.liveBytes / 8
        guard try hasSpace(for: size) else { throw StorageError.outOfSpace(path: folder.path) }
        defer { try? folder.removeStore() }
        var copy = StoreCopy(
            of: moment.root, to: store.fileSystem, directory: folder.path, key: journal.realm.key,
            monitor: monitor)
        copy.preparesInBackground = journal.local.options.preparesInBackground
        try copy.fill()
        guard try noteNewest(), let name = cursor.realm else { return false }
        let cipher = try journal.realm.cipher(name)
        var writer = try SharedImageWriter(
            folder, host: journal.host, cursor: cursor,
            time: SharedImageHeader.limited(try latestTime(before: moment)),
            partBytes: journal.realm.imagePartBytes)
        var number: UInt64 = 0
        do {
            try journal.requireKept(cursor)
            try journal.realm.log.addImage(writer.described(sealedBy: cipher)) {
                try monitor.check()
                guard let contents = try writer.next() else {
                    // Before the image becomes visible: the engine may have failed over meanwhile.
                    try journal.requireKept(cursor)
                    return nil
                }
                defer { number += 1 }
                let part = SharedImagePart(
                    realm: name, slot: cursor.next, number: number, contents: contents)
                return part.encoded(cipher)
            }
        } catch let error as SharedLogError {
            throw StorageError(error)
        }
        return true
    }

    /// The latest time of the commits before a moment: of those in the newest image before it, or
    /// since. It need not be the time of the last commit, as clocks of hosts differ.
    ///
    /// The journal knows the times of the entries that it has applied. Only those between the image
    /// and the first of them are read again: of an opening that was not followed by an image yet.
    private func latestTime(before moment: Moment) throws -> Double {
        let known = moment.times
        var time = known.latest ?? 0
        if known.first == .first { return time }
        var reached = SharedCursor()
        for image in try journal.images(monitor: monitor) where image.slot <= moment.cursor.next {
            guard let header = try soundHeader(of: image) else { continue }
            reached = header.cursor
            time = max(time, header.time)
            break
        }
        while reached.next < known.first {
            try monitor.check()
            let slot = reached.next
            let entries: [SharedLogEntry]
            do throws(StorageError) {
                entries = try journal.retrying(monitor: monitor) { () throws(SharedLogError) in
                    try journal.realm.log.entries(
                        from: slot, bytesMax: SharedJournal.pieceBytesMax)
                }
            } catch {
                // A pattern behind `catch` crashes the compiler here.
                guard case .sharedLogTrimmed = error else { throw error }
                // All images are unusable, and the commits in them have unknown times.
                return max(time, Date().timeIntervalSince1970)
            }
            guard !entries.isEmpty else {
                throw StorageError.sharedLogUnavailable(reason: "it does not show slot \(slot)")
            }
            for entry in entries where entry.slot < known.first {
                let group = try reached.take(entry, journal.realm.cipher)
                time = max(time, try group?.latestTime() ?? time)
            }
        }
        return time
    }

    /// Whether there is space for a copy of this size. Waits for a running checkpoint, since
    /// probing would take the space that it needs, or has freed by spending the reserve.
    private func hasSpace(for size: Int) throws(StorageError) -> Bool {
        let probe = { () throws(StorageError) -> Bool in
            try journal.local.reserve.hasSpaceBeside(size)
        }
        guard let checkpoints = engine.checkpoints else { return try probe() }
        return try checkpoints.checkpointer.exclusively(probe)
    }

    /// Removes entries and images that neither the second newest image nor the history policy
    /// needs: up to an image from which every retained version can be restored. Images that several
    /// hosts have made at the same time count as one.
    private func trim() throws(StorageError) {
        let images = try journal.images()
        guard let newest = images.first, let newestBytes = try soundHeader(of: newest)?.cursor.bytes
        else { return }
        let distance = UInt64(journal.realm.imageBytesMin / 2)
        for image in images.dropFirst() {
            guard let header = try soundHeader(of: image),
                header.cursor.bytes + distance <= newestBytes, isBeyondHistory(header)
            else { continue }
            return try journal.retrying { () throws(SharedLogError) in
                try journal.realm.log.trim(below: image.slot, imagesBelow: image.slot)
            }
        }
    }

    /// The header of an image; nil if it is damaged, or covers entries that the log has lost. Such
    /// an image retains nothing, and is removed together with older ones.
    private func soundHeader(
        of image: SharedLogImage
    ) throws(StorageError) -> SharedImageHeader? {
        do throws(StorageError) {
            return try journal.keptHeader(of: image)
        } catch .sharedLogDiverged, .sharedLogTrimmed {
            return nil
        }
    }

    private func isBeyondHistory(_ image: SharedImageHeader) -> Bool {
        switch journal.local.options.history {
        case .untilCheckpoint: true
        case .bytes(let bytes): image.cursor.bytes + UInt64(bytes) <= journal.cursor.bytes
        // The clock of one host must not decide what is removed for all.
        case .seconds: false
        }
    }
}
