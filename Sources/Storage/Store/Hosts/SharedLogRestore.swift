import Foundation

/// Restores a realm on a shared log as of a point in time, from the newest image that is not later
/// and the entries after it, to an ordinary store, without a shared log.
package struct SharedLogRestore {
    /// The moment.
    package enum Target: Sendable, Hashable {
        case newest
        case version(Version)
        /// In seconds since 1970, by the clocks of the hosts that committed.
        case time(Double)
    }

    /// The restored state: a temporary store, which is copied and removed at the end.
    private struct State {
        var store: StoreOpening.State
        let log: Log
        /// Whether everything up to the target was applied.
        var isComplete = false
    }

    /// The images to begin with.
    private struct Images {
        /// Images of this slot and newer ones are excluded.
        var end: LogSlot?
        /// The damage of the image at `end`.
        var failure: StorageError?
        /// The slot of the image that it has begun with.
        var begun: LogSlot?
    }

    private let realm: SharedRealm
    private let target: Target
    private let fileSystem: any FileSystem
    private let destination: String
    /// Creates the account that bounds the nodes in memory, by default like that of an open realm.
    var makeAccount: () -> NodeAccount = {
        let account = NodeAccount()
        account.memoryBudget = Platform.physicalMemory / 4
        return account
    }

    package init(
        of realm: SharedRealm, asOf target: Target, to destination: String,
        _ fileSystem: any FileSystem
    ) {
        self.realm = realm
        self.target = target
        self.fileSystem = fileSystem
        // With a trailing slash, files created beside the folder would be inside it.
        self.destination = destination.withoutTrailingSlashes
    }

    /// Restores the store, and returns its version. Blocks: not for the cooperative pool.
    ///
    /// Closes the log. When it fails, nothing is at the destination.
    ///
    /// - Throws: ``StorageError/invalid(_:)`` if the destination exists, or the log does not reach
    ///   the target; errors of the log and the disk; `CancellationError`.
    package func run(_ monitor: ReadingMonitor = ReadingMonitor()) throws -> Version {
        defer { realm.log.close() }
        try StoreDirectory(fileSystem: fileSystem, path: destination).requirePath()
        try StoreCopy.requireNothing(at: destination, in: fileSystem)
        // Its lock marks it as in use: otherwise a copy to the same path would remove it.
        let scratch = StoreDirectory(
            fileSystem: fileSystem, path: StoreCopy.makeDraftPath(of: destination))
        defer { try? scratch.removeStore() }
        var options = LogOptions()
        options.encryptionKey = realm.key
        let log = try Log.open(fileSystem, directory: scratch.path, options: options) { _ in }
        defer { try? log.close() }
        var images = Images()
        while true {
            let journal = SharedJournal(log, realm, host: .random(), cursor: SharedCursor())
            images.begun = nil
            do {
                return try restore(journal, &images, monitor)
            } catch {
                if monitor.isCancelled { throw CancellationError() }
                // A node of the image is damaged, which was found when it was read. An older image
                // serves as well.
                guard let failure = error as? StorageError,
                    case .corrupted(let segment, _, _) = failure,
                    segment.hasPrefix(folder(of: journal).path + "/"), let begun = images.begun
                else { throw error }
                (images.end, images.failure) = (begun, failure)
            }
        }
    }

    private func restore(
        _ journal: SharedJournal, _ images: inout Images, _ monitor: ReadingMonitor
    ) throws -> Version {
        let state = try read(journal, &images, monitor)
        defer { try? state.log.close() }
        let version = state.store.version
        try StoreCopy(
            of: state.store.tree.capture(version: version), to: fileSystem,
            directory: destination, key: realm.key, monitor: monitor
        ).write()
        return version
    }

    private func read(
        _ journal: SharedJournal, _ images: inout Images, _ monitor: ReadingMonitor
    ) throws(StorageError) -> State {
        var state = try begin(journal, &images, monitor)
        do throws(StorageError) {
            // Entries after the target are not read.
            let reading = monitor.child()
            try journal.catchUp(monitor: reading) { (group) throws(StorageError) in
                if monitor.isCancelled { throw .closed(path: destination) }
                if state.isComplete { return }
                let isWhole = try state.store.apply(group, in: state.log) { target.includes($0) }
                if !isWhole {
                    state.isComplete = true
                    reading.cancel()
                }
            } orJump: { () throws(StorageError) in
                try? state.log.close()
                guard let image = try beginWithImage(journal, &images, monitor) else {
                    if let failure = images.failure { throw failure }
                    throw try missing(in: journal, monitor)
                }
                state = image
            }
            try requireTarget(state)
        } catch {
            try? state.log.close()
            throw error
        }
        return state
    }

    /// Throws unless the log reaches the target.
    private func requireTarget(_ state: State) throws(StorageError) {
        let reached = state.store.version
        if case .version(let wanted) = target, reached < wanted {
            throw .invalid(
                "The shared log ends with version \(reached), and version \(wanted) was to be"
                    + " restored.")
        }
        guard reached == .zero else { return }
        throw .invalid(
            state.isComplete
                ? "The first commit of the shared log is later than \(target)."
                : "The shared log has no commit that could be restored.")
    }

    // MARK: The store

    /// The state that entries are applied to: an image if there is one, otherwise an empty store.
    private func begin(
        _ journal: SharedJournal, _ images: inout Images, _ monitor: ReadingMonitor
    ) throws(StorageError) -> State {
        if let state = try beginWithImage(journal, &images, monitor) { return state }
        let folder = folder(of: journal)
        // An unusable image may have left files.
        try folder.removeStore()
        return try open(folder, at: .zero)
    }

    /// The folder of the store that commits are applied to.
    private func folder(of journal: SharedJournal) -> StoreDirectory {
        StoreDirectory(
            fileSystem: fileSystem, path: journal.local.store.path + "/" + StoreDirectory.imageName)
    }

    /// Opens the store in a folder, which has an image at a version, or is empty. It need not be
    /// durable.
    private func open(
        _ folder: StoreDirectory, at version: Version
    ) throws(StorageError) -> State {
        var opening = StoreOpening(fileSystem: fileSystem, directory: folder.path)
        opening.options.isCopyOfSharedLog()
        opening.options.encryptionKey = realm.key
        opening.options.preparesInBackground = false
        let opened: StoreOpening.Opened
        do {
            opened = try opening.open(account: makeAccount()) { $0 }
        } catch {
            throw error as? StorageError ?? .invalid("An image cannot be opened: \(error)")
        }
        let checkpointer = opened.checkpointer
        let store = StoreOpening.State(
            tree: opened.tree, version: version, pages: checkpointer.pages,
            contents: checkpointer.contents)
        return State(store: store, log: opened.log)
    }

    // MARK: The image

    /// Reads the newest image that is not newer than the target; nil if there is none.
    private func beginWithImage(
        _ journal: SharedJournal, _ images: inout Images, _ monitor: ReadingMonitor
    ) throws(StorageError) -> State? {
        let folder = folder(of: journal)
        for image in try journal.images(monitor: monitor) {
            if let end = images.end, image.slot >= end { continue }
            do throws(StorageError) {
                let header = try journal.header(of: image, monitor: monitor)
                guard target.includes(header) else { continue }
                try journal.requireKept(header.cursor, monitor: monitor)
                try folder.removeStore()
                try journal.fetch(image, header, into: folder, monitor: monitor)
                images.begun = image.slot
                let state = try open(folder, at: header.cursor.version)
                journal.resume(from: header)
                return state
            } catch {
                switch error {
                // It is damaged, or was removed meanwhile: an older one can be used as well.
                case .sharedLogDiverged, .sharedLogTrimmed: continue
                default: throw error
                }
            }
        }
        return nil
    }

    /// The error if there is neither an image nor the first entry.
    private func missing(
        in journal: SharedJournal, _ monitor: ReadingMonitor
    ) throws(StorageError) -> StorageError {
        let text = "The shared log was trimmed, and no longer has \(target)."
        for image in try journal.images(monitor: monitor).reversed() {
            do throws(StorageError) {
                let header = try journal.keptHeader(of: image, monitor: monitor)
                // A date is shown in whole seconds, and the version must exist at the shown one.
                let date = Target.date(header.time.rounded(.up))
                return .invalid(
                    text + " The oldest that can be restored is version \(header.cursor.version),"
                        + " as of \(date).")
            } catch {
                switch error {
                // It is damaged, or was removed meanwhile.
                case .sharedLogDiverged, .sharedLogTrimmed: continue
                default: throw error
                }
            }
        }
        return .invalid(text)
    }
}

extension SharedLogRestore.Target {
    fileprivate func includes(_ image: SharedImageHeader) -> Bool {
        switch self {
        case .newest: true
        case .version(let version): image.cursor.version <= version
        case .time(let time): image.time <= time
        }
    }

    /// A commit that only changes the schema has no time, and belongs to the one before it.
    fileprivate func includes(_ commit: CommitView) -> Bool {
        switch self {
        case .newest: true
        case .version(let version): commit.version <= version
        case .time(let time): CommitRecord.time(of: commit.payload).map { $0 <= time } ?? true
        }
    }
}

extension SharedLogRestore.Target: CustomStringConvertible {
    package var description: String {
        switch self {
        case .newest: "the newest version"
        case .version(let version): "version \(version)"
        case .time(let time): "the state of \(Self.date(time))"
        }
    }

    /// A date that can be formatted.
    fileprivate static func date(_ time: Double) -> Date {
        Date(timeIntervalSince1970: SharedImageHeader.limited(time))
    }
}
