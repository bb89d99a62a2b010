import Storage
import Synchronization

/// Which commits a subscription delivers.
enum HistorySpan: Sendable {
    /// Those to come as well.
    case following
    /// Those that the log has.
    case past
}

/// The subscription of an iterator of ``RealmChanges``: its position in the log, and what wakes it.
final class HistorySubscription: ChangeSubscription {
    private enum Place {
        /// In front of the oldest commit, wherever the log begins.
        case beginning
        /// The token's, which is yet to be found in the log.
        case behind(Storage.Version, life: UInt64?)
        case at(HistoryCursor)
        /// The stream throws this, and ends.
        case failed(RealmError)
        case finished

        /// The threads that read on from here: finding a place takes longer than reading a batch.
        var threads: ReadingThreads { if case .at = self { .short } else { .long } }
    }

    private struct State {
        var place: Place
        /// Commits that were read and not requested yet, the next one last.
        var commits: [LoggedCommit] = []
        /// Whether this host has read what others have committed, for a token that is ahead of it.
        var hasCaughtUp = false
        /// The last commit that is delivered; nil where those to come are as well.
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
        // Before the place is taken, so that no commit comes between the two.
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

    /// Keeps the log from a place on.
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
            // What became durable before the end is still delivered.
            if await versions.next() == nil { hasEnded = true }
        }
    }

    /// Whether nothing more is read: after the last commit that is wanted, and after an error.
    private var isOver: Bool {
        state.withLock { if case .finished = $0.place { true } else { false } }
    }

    /// Reads on in the log; false when there is nothing yet.
    private func read() async throws(RealmError) -> Bool {
        let (place, last) = state.withLock { ($0.place, $0.last) }
        if case .finished = place { return false }
        if case .failed(let error) = place { throw error }
        let result = try await readWhenPossible(at: place)
        do throws(HistoryError) {
            let (cursor, commits) = try result.get()
            return note(commits, at: cursor, upTo: last)
        } catch {
            if case .future = error, try await catchUpOnce() { return try await read() }
            throw RealmError(error)
        }
    }

    /// How soon is read again what no descriptor was free for.
    private static let retryInterval = Duration.milliseconds(100)

    /// Reads on at a place. A process that has no descriptor left will have one again: nothing of
    /// the log is lost until then.
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
            // Cancelled or not: the next reading is the last one then.
            try? await Task.sleep(for: Self.retryInterval)
        }
    }

    /// Notes what was read up to a place in the log; false when nothing of it is delivered.
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

    /// Reads what other hosts have committed, which a token of one of them may follow; false when
    /// that was done before, or there are none.
    private func catchUpOnce() async throws(RealmError) -> Bool {
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
            // Thousands of waiting streams would exceed the process's limit of open files. A file
            // that another process writes, and does not retain for this one, may be gone by then.
            if engine.isWriting { cursor.closeFile() }
            return (cursor, commits)
        }
    }
}

extension RealmError {
    /// Why the history cannot be read, as users see it.
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
