import Foundation

/// Makes a store of what a realm on a shared log was at one moment: of the newest image that is not
/// later, and of the entries behind it. The store is an ordinary one, of no host.
package struct SharedLogRestore {
    /// The moment.
    package enum Target: Sendable, Hashable {
        case newest
        case version(Version)
        /// In seconds since 1970, by the clocks of the hosts that committed.
        case time(Double)
    }

    /// What was read so far.
    private struct State {
        var tree: WorkingTree
        var version = Version.zero
        /// The image that the tree reads.
        var image: Log?
        /// Whether everything up to the target was applied.
        var isComplete = false
    }

    private let realm: SharedRealm
    private let target: Target
    private let fileSystem: any FileSystem
    private let destination: String

    package init(
        of realm: SharedRealm, asOf target: Target, to destination: String,
        _ fileSystem: any FileSystem
    ) {
        self.realm = realm
        self.target = target
        self.fileSystem = fileSystem
        self.destination = destination
    }

    /// Makes the store, and returns the version that it shows. Blocks: not for the cooperative
    /// pool.
    ///
    /// Closes the log. When it fails, nothing is at the destination.
    ///
    /// - Throws: ``StorageError/invalid(_:)`` when something is at the destination, or the log does
    ///   not have the target; what the log and the disk report; `CancellationError`.
    package func run(_ monitor: ReadingMonitor = ReadingMonitor()) throws -> Version {
        defer { realm.log.close() }
        try StoreCopy.requireNothing(at: destination, in: fileSystem)
        // Its lock says that it is not abandoned: a copy to the same path would remove it.
        let scratch = StoreDirectory(
            fileSystem: fileSystem, path: StoreCopy.makeDraftPath(of: destination))
        defer { try? scratch.removeStore() }
        var options = LogOptions()
        options.encryptionKey = realm.key
        let log = try Log.open(fileSystem, directory: scratch.path, options: options) { _ in }
        defer { try? log.close() }
        let journal = SharedJournal(log, realm, host: .random(), cursor: SharedCursor())
        do {
            let state = try read(journal, monitor)
            defer { try? state.image?.close() }
            let root = state.tree.capture(version: state.version)
            try StoreCopy(
                of: root, to: fileSystem, directory: destination, key: realm.key, monitor: monitor
            ).write()
            return state.version
        } catch {
            throw monitor.isCancelled ? CancellationError() : error
        }
    }

    private func read(
        _ journal: SharedJournal, _ monitor: ReadingMonitor
    ) throws(StorageError) -> State {
        var state =
            try beginWithImage(journal)
            ?? State(tree: WorkingTree(schema: StoreSchema(), account: makeAccount()))
        try journal.catchUp(while: { !state.isComplete }) { (group) throws(StorageError) in
            if monitor.isCancelled { throw .closed(path: destination) }
            try apply(group, to: &state)
        } orJump: { () throws(StorageError) in
            try? state.image?.close()
            guard let image = try beginWithImage(journal) else { throw try missing(in: journal) }
            state = image
        }
        if case .version(let wanted) = target, state.version < wanted {
            throw .invalid(
                "The shared log ends with version \(state.version), and version \(wanted) was to"
                    + " be restored.")
        }
        if state.version == .zero {
            throw .invalid("The shared log has no commit that could be restored.")
        }
        return state
    }

    private func makeAccount() -> NodeAccount {
        let account = NodeAccount()
        account.memoryBudget = Platform.physicalMemory / 4
        return account
    }

    // MARK: The image

    /// Reads the newest image that is not behind the target; nil when there is none.
    private func beginWithImage(_ journal: SharedJournal) throws(StorageError) -> State? {
        let store = journal.local.store
        let folder = StoreDirectory(
            fileSystem: fileSystem, path: store.path + "/" + StoreDirectory.imageName)
        for image in try journal.images() {
            do throws(StorageError) {
                let header = try journal.header(of: image)
                guard target.includes(header) else { continue }
                try folder.removeStore()
                try journal.fetch(image, into: folder)
                let opened = try journal.open(folder, makeAccount())
                journal.goOn(from: header)
                return State(
                    tree: opened.tree, version: header.cursor.version, image: opened.log)
            } catch {
                switch error {
                // It is damaged, or was removed meanwhile: an older one does as well.
                case .sharedLogDiverged, .sharedLogTrimmed: continue
                default: throw error
                }
            }
        }
        return nil
    }

    /// Why there is nothing to begin with.
    private func missing(in journal: SharedJournal) throws(StorageError) -> StorageError {
        var text = "The shared log was trimmed, and does not have \(target) any more."
        if let oldest = try journal.images().last {
            let header = try journal.header(of: oldest)
            text +=
                " The oldest that can be restored is version \(header.cursor.version), of"
                + " \(Date(timeIntervalSince1970: header.time))."
        }
        return .invalid(text)
    }

    // MARK: The entries

    private func apply(_ group: SharedGroup, to state: inout State) throws(StorageError) {
        try group.forEachCommit { (record) throws(StorageError) in
            if state.isComplete || record.version <= state.version { return }
            guard target.includes(record) else {
                state.isComplete = true
                return
            }
            do throws(RecordError) {
                try CommitRecord.apply(record.payload, to: state.tree)
            } catch {
                throw state.tree.account.failure
                    ?? .sharedLogDiverged(reason: "commit \(record.version): \(error.reason)")
            }
            _ = state.tree.takeDelta()
            state.version = record.version
        }
        if let failure = state.tree.account.failure { throw failure }
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

    /// A commit that only brings a schema says no time, and belongs to what comes behind it.
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
        case .time(let time): "what was there at \(Date(timeIntervalSince1970: time))"
        }
    }
}
