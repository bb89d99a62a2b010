import Foundation

/// Makes an image of a realm on a shared log when one is due, beside reads and writes, and trims
/// what no host needs any more.
struct SharedImageMaker {
    /// How often it looks for a moment in which nothing is on its way.
    private static let attemptsMax = 200

    let engine: TransactionEngine
    let journal: SharedJournal
    let monitor: ReadingMonitor

    /// Whether so much was appended since the newest image that this host knows of.
    var isDue: Bool {
        let account = engine.tree.account
        let tree = max(account.budget.storedBytes, account.byteCount)
        return journal.bytesBehindImage > max(journal.realm.imageBytesMin, tree / 2)
    }

    /// Makes an image if one is due. Blocks: not for the cooperative pool.
    func makeIfDue() throws {
        guard isDue, try noteNewest(), let moment = moment() else { return }
        try make(moment)
        journal.noteImage(of: moment.cursor.bytes)
        try trim()
    }

    /// Takes note of what other hosts have made; true when an image is due all the same.
    private func noteNewest() throws(StorageError) -> Bool {
        guard let newest = try journal.images().first else { return true }
        do throws(StorageError) {
            let header = try journal.header(of: newest)
            try journal.requireKept(header.cursor)
            journal.noteImage(of: header.cursor.bytes)
        } catch {
            // One that is damaged, or of what the log has lost, is of no use to anyone.
            guard case .sharedLogDiverged = error else { throw error }
            return newest.slot < journal.cursor.next
        }
        return isDue
    }

    /// A place in the log, the tree that belongs there, and a time in seconds since 1970 by which
    /// its commits were made.
    private struct Moment {
        let cursor: SharedCursor
        let root: SnapshotRoot
        let time: Double
    }

    /// The present moment; nil when there are always commits on their way in between.
    private func moment() -> Moment? {
        for _ in 0..<Self.attemptsMax {
            let cursor = journal.cursor
            let root = engine.latest
            if cursor.isBetweenGroups, cursor.version == root.version, root.version > .zero {
                return Moment(
                    cursor: cursor, root: root, time: Date().timeIntervalSince1970)
            }
            Platform.pause(for: .milliseconds(1))
        }
        return nil
    }

    private func make(_ moment: Moment) throws {
        let cursor = moment.cursor
        let store = journal.local.store
        let folder = StoreDirectory(
            fileSystem: store.fileSystem, path: store.path + "/" + StoreDirectory.newImageName)
        try folder.removeStore()
        defer { try? folder.removeStore() }
        var copy = StoreCopy(
            of: moment.root, to: store.fileSystem, directory: folder.path, key: journal.realm.key,
            monitor: monitor)
        copy.preparesInBackground = journal.local.options.preparesInBackground
        try copy.fill()
        // Another host may have made one while this one copied.
        guard try noteNewest(), let name = cursor.realm else { return }
        let cipher = try journal.realm.cipher(name)
        var writer = try SharedImageWriter(
            folder, host: journal.host, cursor: cursor, time: moment.time,
            partBytes: journal.realm.imagePartBytes)
        var number: UInt64 = 0
        do {
            try journal.requireKept(cursor)
            try journal.realm.log.addImage(writer.described(sealedBy: cipher)) {
                try monitor.check()
                guard let contents = try writer.next() else {
                    // It is about to count, and the engine may be another one by now.
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
    }

    /// Removes what lies before the second newest image, and before what the history's policy
    /// keeps, back to an image: one from which every version can be made that is kept. Images that
    /// several hosts have made at the same time count as one.
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

    /// What an image says of itself; nil for one that is damaged, or of what the log has lost. It
    /// keeps nothing, and goes with what is older than another one.
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
        // No clock of one host decides what is removed for all.
        case .seconds: false
        }
    }
}
