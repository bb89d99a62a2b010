import Synchronization

/// A store on a shared log: following the other hosts, and passing the writer lease on.
extension OpenStore {
    /// From here on, writes continue the entries of other hosts. These are applied before a write
    /// and on request, and, after ``HostSharing/begin()``, as they arrive.
    @discardableResult
    package func join(_ replayed: ReplayedStore) -> HostSharing? {
        guard let journal = replayed.sharedJournal else { return nil }
        let hosts = HostSharing(journal, after: hosts) { [weak self] ended in
            guard let self else { return ended(.abandoned) }
            if followAtOnce() { return ended(.applied) }
            Task.detached(executorPreference: UpkeepThread.executor) {
                switch await self.followHosts() {
                case .done: ended(.applied)
                case .later(let interval):
                    try? await Task.sleep(for: interval)
                    ended(.failed)
                case .never: ended(.abandoned)
                }
            }
        } onWatch: { [weak self] in
            guard let self, !isClosed else { return }
            imageJob.beginIfDue(engine, journal)
        } onHandover: { [weak self] next, reason in
            guard let self else { return journal.gate.keep() }
            switch reason {
            case .idle: passIfIdle(to: next)
            case .sliceEnded:
                Task.detached(executorPreference: UpkeepThread.executor) {
                    await self.pass(to: next)
                }
            }
        }
        state.withLock { $0.hosts = hosts }
        imageJob.allow(journal)
        return hosts
    }

    /// The outcome of following.
    private enum Following {
        case done
        /// It failed because of the engine or the disk, and is retried after this time.
        case later(Duration)
        /// The log cannot be applied.
        case never
    }

    /// The names of this host as holder of the turn while it applies commits of other hosts.
    private static let following = "another host"
    private static let refreshing = "refreshed(_:)"

    /// How soon a failed application is retried.
    private static let retryInterval = Duration.milliseconds(200)
    /// The same without space: each attempt to allocate it takes, for a moment, space that other
    /// programs may need.
    private static let spaceInterval = Duration.seconds(2)
    /// The same after a refusal of the engine or a failure of the disk, which may be permanent:
    /// each attempt makes several calls.
    private static let refusalInterval = Duration.seconds(1)
    /// How long a reopening waits for an engine that does not answer, in order to determine the
    /// outcome of an append. After that, the next write determines it.
    private static let outcomeTimeout = Duration.seconds(5)

    /// Applies the entries of other hosts, if there is no writer; false if it was not done. On the
    /// thread that has read them, since waking another one would take longer.
    private func followAtOnce() -> Bool {
        guard turns.tryTake(Self.following, isFollowing: true) else { return false }
        defer { releaseTurn() }
        guard !isEnding, let hosts else { return false }
        let engine = engine
        guard engine.isDrained else { return false }
        return (try? engine.catchUp(with: hosts.journal, to: .near)) != nil
    }

    /// Applies the entries of other hosts, in turn with the writes of this one.
    private func followHosts() async -> Following {
        guard (try? await turns.take(Self.following, isFollowing: true, timeout: nil)) != nil else {
            return .later(Self.retryInterval)
        }
        defer { releaseTurn() }
        guard let hosts, !isEnding else { return .never }
        do {
            try await catchUp(with: hosts, to: .near)
            return .done
        } catch {
            if isEnding { return .never }
            hosts.noteFailure(error)
            return followingHostsFailed(error)
        }
    }

    /// Determines the outcome of the last append from before the store was reopened, if it is
    /// unknown: whoever has made that write finds out by reopening. The caller has the turn.
    func determineFormerOutcome() async {
        guard let hosts, hosts.journal.isBehind else { return }
        // After a failure, the next write determines it.
        try? await catchUp(with: hosts, to: .near, until: .now + Self.outcomeTimeout)
    }

    /// Passes the lease to another host, after all writes that this one has begun.
    private func pass(to next: Bits128) async {
        guard let hosts else { return }
        guard (try? await turns.take(Self.following, isFollowing: true, timeout: nil)) != nil else {
            return hosts.journal.gate.keep()
        }
        defer { releaseTurn() }
        await drain()
        hosts.pass(to: next, .sliceEnded)
    }

    /// Passes the lease to another host, unless there is a writer.
    private func passIfIdle(to next: Bits128) {
        guard let hosts, turns.tryTake(Self.following, isFollowing: true) else { return }
        defer { releaseTurn() }
        if engine.isDrained { hosts.pass(to: next, .idle) }
    }

    /// Makes an image of the realm in the shared log, if one is due. Blocks: not for the
    /// cooperative pool.
    package func makeImageIfDue() throws {
        guard let hosts else { return }
        try SharedImageMaker(
            engine: engine, journal: hosts.journal, monitor: ReadingMonitor()
        ).makeIfDue()
    }

    /// Applies everything that was appended to the shared log before this call.
    ///
    /// - Throws: ``StorageError``: the log cannot be reached, or differs from this host's copy; the
    ///   store is closed.
    package func refreshFromHosts() async throws {
        let deadline = options.writeTimeout.map { Instant.now + $0 }
        while true {
            try await takeTurnToRefresh()
            let known = engine
            do {
                try await refreshInTurn(until: deadline)
                return releaseTurn()
            } catch StorageError.closed(let path) where !isClosed {
                // A reopening, which waits for the turn, has ended the reading.
                releaseTurn()
                guard try await isReopened(), engine !== known else {
                    throw StorageError.closed(path: path)
                }
            } catch {
                releaseTurn()
                throw error
            }
        }
    }

    private func refreshInTurn(until deadline: Instant?) async throws {
        if isClosed { throw StorageError.closed(path: "The store") }
        guard let hosts else { return }
        // Only a barrier detects a server that was replaced without knowing it.
        hosts.journal.demandBarrier()
        try await catchUp(with: hosts, to: .end, until: deadline)
    }

    /// Waits for the turn: also beyond the timeout while this host already applies the commits of
    /// others, which is not limited either.
    private func takeTurnToRefresh() async throws {
        while true {
            do {
                return try await turns.take(
                    Self.refreshing, isFollowing: true, timeout: options.writeTimeout)
            } catch {
                let isConnected = hosts?.status.isConnected ?? false
                guard isConnected, isApplyingCommits(error),
                    options.writeTimeout ?? .zero > .zero
                else { throw refusal(error) }
            }
        }
    }

    /// Whether a wait for the turn has ended while this host applied the commits of others.
    func isApplyingCommits(_ error: any Error) -> Bool {
        guard case StorageError.turnTaken(_, let isFollowing) = error else { return false }
        return isFollowing && hosts != nil
    }

    /// Applies the entries that this host lacks. The caller has the turn.
    ///
    /// - Parameter deadline: until when the engine is waited for; nil for the journal's timeout.
    /// - Throws: ``StorageError``; `CancellationError`, even if the engine does not answer.
    func catchUp(
        with hosts: HostSharing, to reach: SharedJournal.Reach,
        until deadline: Instant? = nil
    ) async throws {
        let engine = engine
        let monitor = ReadingMonitor(until: deadline)
        if !engine.isDrained { try await drainUnlessCancelled() }
        do {
            try await withCancellationHandler {
                try await BlockingWork.run {
                    try engine.catchUp(with: hosts.journal, to: reach, monitor: monitor)
                }
            } onCancel: {
                monitor.cancel()
            }
        } catch {
            // The error may be caused by the cancellation.
            try monitor.check()
            throw error
        }
        try monitor.check()
    }

    /// Waits for the commits in progress, which may be waiting for an engine that does not answer.
    ///
    /// - Throws: `CancellationError`; the commits continue then.
    private func drainUnlessCancelled() async throws {
        let isOver = EndSignal()
        // Not on the cooperative pool: other tasks, which may wait for the turn, can occupy it.
        Task.detached(executorPreference: UpkeepThread.executor) {
            await self.drain()
            isOver.finish()
        }
        try await isOver.waitUnlessCancelled()
    }

    /// Transient errors are retried: an engine that does not answer; one that has just taken over
    /// and does not know its standbys yet; one that refuses, which may be a proxy in front of a
    /// restarting server; a full disk; a process without descriptors; and a failure of the disk
    /// that has not stopped the store, so that nothing was changed. Any other ends following.
    private func followingHostsFailed(_ error: any Error) -> Following {
        guard let error = error as? StorageError else { return .later(Self.retryInterval) }
        switch error {
        case .outOfSpace: return .later(Self.spaceInterval)
        case .sharedLogRefused: return .later(Self.refusalInterval)
        case .sharedLogUnavailable, .sharedLogUnsafe, .sharedLogTrimmed, .closed, .turnTaken:
            return .later(Self.retryInterval)
        // After a failed read of a node, the tree may be incomplete.
        case _ where error.lacksDescriptors && engine.tree.account.failure == nil:
            return .later(Self.retryInterval)
        case .io where engine.failure == nil: return .later(Self.refusalInterval)
        default:
            followingFailed(error)
            return .never
        }
    }
}
