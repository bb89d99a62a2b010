import Storage
import Synchronization

/// Which commits a subscription delivers.
enum HistorySpan: Sendable {
    /// Those in the log and all later ones.
    case following
    /// Those in the log.
    case past
}

/// The subscription of an iterator of ``RealmChanges``: its position in the log, and the watch that
/// wakes it.
final class HistorySubscription: ChangeSubscription {
    private enum Place {
        /// Before the oldest commit of the log.
        case beginning
        /// After the commit of a token, which is still to be found in the log.
        case behind(Storage.Version, life: UInt64?)
        case at(HistoryCursor)
        /// The stream throws this, and ends.
        case failed(RealmError)
        case finished

        /// The threads that continue from here: finding a position takes longer than reading a
        /// batch.
        var threads: ReadingThreads { if case .at = self { .short } else { .long } }
    }

    private struct State {
        var place: Place
        /// Commits that were read and not requested yet, in reverse order.
        var commits: [LoggedCommit] = []
        /// Whether this host has read what others have committed, for a token that is ahead of it.
        var hasCaughtUp = false
        /// The last commit to deliver; nil if later ones are delivered too.
        var last: Storage.Version?
    }

    private let store: RealmStore
    private let watch = VersionWatch()
    private let state: Mutex<State>
    private let span: HistorySpan

    /// How many commits are read ahead, unless a group has more; fewer where they are large.
    private static let batchMax = 256

    init(_ store: RealmStore, since token: ChangeToken?, _ span: HistorySpan) {
        self.store = store
        self.span = span
        state = Mutex(State(place: .finished))
        // Subscribes before it takes the position, so that no commit is missed.
        store.hub.watchVersions(watch)
        store.engine.keepHistory(for: ObjectIdentifier(self), from: nil)
        let place = span == .past && token == nil ? .beginning : Self.place(store, token)
        let last = span == .past ? store.engine.latest.version : nil
        state.withLock { $0 = State(place: place, last: last) }
        keep(place)
    }

    deinit { finish() }

    private static func place(_ store: RealmStore, _ token: ChangeToken?) -> Place {
        guard let token else {
            do throws(HistoryError) {
                return .at(try HistoryCursor(latestOf: store.engine))
            } catch {
                return .failed(RealmError(error))
            }
        }
        if token.storeID == store.models.history.id {
            return .behind(Storage.Version(token.version.rawValue), life: token.life)
        }
        return .failed(
            .invalidChangeToken(
                "The change token is of another store (\(token.storeID)). Use a token of this "
                    + "store."))
    }

    /// Retains the log from a position on.
    private func keep(_ place: Place) {
        switch place {
        case .beginning, .behind:
            store.engine.keepHistory(for: ObjectIdentifier(self), from: nil)
        case .at(let cursor): store.engine.keepHistory(for: ObjectIdentifier(self), from: cursor)
        case .failed, .finished: store.engine.endHistory(for: ObjectIdentifier(self))
        }
    }

    /// Ends the subscription at once.
    func finish() {
        state.withLock { $0 = State(place: .finished) }
        store.hub.unwatchVersions(watch)
        store.engine.endHistory(for: ObjectIdentifier(self))
    }

    /// The next commit; nil at the end.
    @concurrent
    func next() async throws(RealmError) -> RealmCommit? {
        var hasEnded = false
        while true {
            if Task.isCancelled {
                finish()
                return nil
            }
            if let commit = state.withLock({ $0.commits.popLast() }) {
                return RealmCommit(commit, store.models)
            }
            if isOver {
                finish()
                return nil
            }
            do throws(RealmError) {
                if try await read() { continue }
            } catch {
                finish()
                if Task.isCancelled { return nil }
                throw error
            }
            if hasEnded || span == .past {
                finish()
                if hasEnded, let failure = watch.failure { throw failure }
                return nil
            }
            var versions = watch.versions.makeAsyncIterator()
            // Commits that became durable before the end are still delivered.
            if await versions.next() == nil { hasEnded = true }
        }
    }

    /// Whether nothing more is read: after the last commit to deliver, and after an error.
    private var isOver: Bool {
        state.withLock { if case .finished = $0.place { true } else { false } }
    }

    /// Reads further commits; false when there are none yet.
    private func read() async throws(RealmError) -> Bool {
        let (place, last) = state.withLock { ($0.place, $0.last) }
        if case .finished = place { return false }
        if case .failed(let error) = place { throw error }
        let result = try await readWhenPossible(at: place)
        do throws(HistoryError) {
            let (cursor, commits) = try result.get()
            return note(commits, at: cursor, upTo: last)
        } catch {
            if case .future = error, try await catchUpWithHostsOnce() { return try await read() }
            throw RealmError(error)
        }
    }

    /// The delay before a read is retried that found no free file descriptor.
    private static let retryInterval = Duration.milliseconds(100)

    /// Reads further commits from a position. Retries while the process has no free file
    /// descriptor; the log is retained meanwhile.
    private func readWhenPossible(
        at place: Place
    ) async throws(RealmError) -> Result<(HistoryCursor, [LoggedCommit]), HistoryError> {
        while true {
            let engine = store.engine
            let result: Result<(HistoryCursor, [LoggedCommit]), HistoryError>
            do {
                result = try await BlockingWork.run(on: place.threads) {
                    Self.read(place, engine)
                }
            } catch {
                throw .closed
            }
            guard case .failure(.storage(let cause)) = result, cause.lacksDescriptors,
                !store.isClosed, !Task.isCancelled
            else { return result }
            // If the sleep is cancelled, the next read is the last.
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    /// Notes the commits read up to a position in the log; false when none of them is delivered.
    private func note(
        _ commits: [LoggedCommit], at cursor: HistoryCursor, upTo last: Storage.Version?
    ) -> Bool {
        let hasLast = last.map { cursor.version >= $0 } ?? false
        let place = hasLast ? Place.finished : .at(cursor)
        let due = commits.filter { commit in last.map { commit.version <= $0 } ?? true }
        keep(place)
        state.withLock { state in
            state.place = place
            state.commits = due.reversed()
        }
        return !due.isEmpty
    }

    /// Reads the commits of other hosts, because the token may come from one of them; false when
    /// that was done before, or there are no other hosts.
    private func catchUpWithHostsOnce() async throws(RealmError) -> Bool {
        let isFirst = state.withLock { state in
            defer { state.hasCaughtUp = true }
            return !state.hasCaughtUp
        }
        guard isFirst, store.open.isOnSharedLog else { return false }
        do {
            try await store.catchUpWithHosts()
            if span == .past { state.withLock { $0.last = store.engine.latest.version } }
            return true
        } catch let error as RealmError {
            throw error
        } catch {
            // The task was cancelled.
            return false
        }
    }

    private static func read(
        _ place: Place, _ engine: TransactionEngine
    ) -> Result<(HistoryCursor, [LoggedCommit]), HistoryError> {
        Result { () throws(HistoryError) in
            var cursor: HistoryCursor
            switch place {
            case .at(let known): cursor = known
            case .beginning: cursor = try HistoryCursor(oldestOf: engine)
            case .behind(let version, let life):
                cursor = try HistoryCursor(behind: version, life: life, of: engine)
            case .failed, .finished: throw .noLog
            }
            let commits = try cursor.next(of: engine, atLeast: batchMax) ?? []
            // Waiting streams keep no file open: thousands of them would exceed the limit of the
            // process. A reader keeps its file, because the writing process does not retain it for
            // others.
            if engine.isWriting { cursor.closeFile() }
            return (cursor, commits)
        }
    }
}

extension RealmError {
    /// The public error for a history that cannot be read.
    init(_ error: HistoryError) {
        switch error {
        case .trimmed(let oldest):
            let isKnown = oldest > .zero && oldest < .max
            self = .historyTrimmed(oldest: isKnown ? Realm.Version(oldest) : nil)
        case .future(let newest):
            self = .invalidChangeToken(
                "The change token is of a version after the newest version, \(newest): the store "
                    + "was replaced by an older one. Read everything again from a snapshot, and "
                    + "continue with its changeToken.")
        case .replaced(let version):
            self = .invalidChangeToken(
                "The change token is of commit \(version), which was lost in a crash, and another "
                    + "commit has its number. Read everything again from a snapshot, and continue "
                    + "with its changeToken.")
        case .irreversible(let oldest):
            self = .versionUnavailable(
                reason: "the log has no old values of these commits", oldest: Realm.Version(oldest))
        case .noLog:
            self = .invalidValue(
                "A realm in memory keeps no history of commits by default. Open it with a history "
                    + "of .keep(for:) or .keep(bytes:), or observe its collections."
            )
        case .storage(let error): self.init(error)
        }
    }
}
