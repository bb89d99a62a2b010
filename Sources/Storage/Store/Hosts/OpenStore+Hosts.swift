import Synchronization

/// How a store on a shared log gets along with the other hosts that have it open.
extension OpenStore {
    /// From here on, writes come on top of what other hosts have appended. That is applied when
    /// it is in their way, or asked for, and with ``HostSharing/begin()`` at once.
    @discardableResult
    package func join(_ replayed: ReplayedStore) -> HostSharing? {
        guard let journal = replayed.sharedJournal else { return nil }
        let hosts = HostSharing(journal, after: hosts) { [weak self] done in
            guard let self else { return done() }
            if followAtOnce() { return done() }
            Task.detached(executorPreference: UpkeepThread.executor) {
                switch await self.followHosts() {
                case .done: done()
                case .later(let interval):
                    try? await Task.sleep(for: interval)
                    done()
                case .never: break
                }
            }
        } onPass: { [weak self] in
            guard let self, !isClosed else { return }
            imageJob.beginIfDue(engine, journal)
        } onTurn: { [weak self] next, turn in
            guard let self else { return journal.gate.keep() }
            switch turn {
            case .idle: passIfIdle(to: next)
            case .over:
                Task.detached(executorPreference: UpkeepThread.executor) {
                    await self.pass(to: next)
                }
            }
        }
        state.withLock { $0.hosts = hosts }
        return hosts
    }

    /// What came of following.
    private enum Following {
        case done
        /// The engine or the disk did not permit it; how soon it is tried again.
        case later(Duration)
        /// What the log has cannot be applied.
        case never
    }

    /// How soon it is tried again to apply what could not be applied.
    private static let retryInterval = Duration.milliseconds(200)
    /// The same where there was no space: to claim it in vain takes, for a moment, what other
    /// programs may need.
    private static let spaceInterval = Duration.seconds(2)
    /// The same where the engine has refused, which may be for good: each attempt asks it several
    /// times.
    private static let refusalInterval = Duration.seconds(1)

    /// Applies what other hosts have appended, where nobody writes; false when it was not done. By
    /// the thread that has read it, since each other one would take a moment to begin.
    private func followAtOnce() -> Bool {
        guard turns.tryTake("another host", author: nil) else { return false }
        defer { releaseTurn() }
        guard !isClosed, let hosts else { return false }
        let engine = engine
        guard engine.isDrained else { return false }
        return (try? engine.catchUp(with: hosts.journal, to: .near)) != nil
    }

    /// Applies what other hosts have appended, in turn with the writes of this one.
    private func followHosts() async -> Following {
        guard (try? await turns.take("another host", timeout: nil)) != nil else {
            return .later(Self.retryInterval)
        }
        defer { releaseTurn() }
        guard let hosts, !isClosed else { return .never }
        do {
            try await catchUp(with: hosts, to: .near)
            return .done
        } catch {
            return followingHostsFailed(error)
        }
    }

    /// Lets another host write, behind all that this one has begun.
    private func pass(to next: Bits128) async {
        guard let hosts else { return }
        guard (try? await turns.take("another host", timeout: nil)) != nil else {
            return hosts.journal.gate.keep()
        }
        defer { releaseTurn() }
        await drain()
        hosts.pass(to: next, .over)
    }

    /// Lets another host write, unless this one does.
    private func passIfIdle(to next: Bits128) {
        guard let hosts, turns.tryTake("another host", author: nil) else { return }
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
    /// - Throws: ``StorageError``: the log cannot be reached, or is not what this host has a copy
    ///   of; the store is closed.
    package func refreshFromHosts() async throws {
        try await turns.take("refreshed(_:)", timeout: options.writeTimeout)
        defer { releaseTurn() }
        if isClosed { throw StorageError.closed(path: "The store") }
        guard let hosts else { return }
        // A server that was replaced, and does not know of it, cannot pass a barrier.
        hosts.journal.demandBarrier()
        try await catchUp(with: hosts, to: .end)
    }

    /// Applies what this host lacks. The caller has the turn.
    ///
    /// - Throws: ``StorageError``; `CancellationError`, also where the engine does not answer.
    func catchUp(with hosts: HostSharing, to reach: SharedJournal.Reach) async throws {
        let engine = engine
        let monitor = ReadingMonitor()
        if !engine.isDrained { try await drainUnlessCancelled() }
        do {
            try await withTaskCancellationHandler {
                try await BlockingWork.run {
                    try engine.catchUp(with: hosts.journal, to: reach) { !monitor.isCancelled }
                }
            } onCancel: {
                monitor.cancel()
            }
        } catch {
            // The cancellation may be the cause.
            try monitor.check()
            throw error
        }
        try monitor.check()
    }

    /// Waits for what is on its way, which may be for an engine that does not answer.
    ///
    /// - Throws: `CancellationError`; what is on its way goes on then.
    private func drainUnlessCancelled() async throws {
        let isOver = EndSignal()
        // Not on the cooperative pool: other tasks, which may wait for the turn, can occupy it.
        Task.detached(executorPreference: UpkeepThread.executor) {
            await self.drain()
            isOver.finish()
        }
        await withTaskCancellationHandler {
            await isOver.wait()
        } onCancel: {
            isOver.finish()
        }
        try Task.checkCancellation()
    }

    /// A log that cannot be read any more ends what is shown of it; one that does not answer will
    /// again, one that has just taken over will know of its standbys, one that refuses may be
    /// restarting behind something that answers for it, a disk that is full will have space, and a
    /// process without descriptors will have some.
    private func followingHostsFailed(_ error: any Error) -> Following {
        guard let error = error as? StorageError else { return .later(Self.retryInterval) }
        switch error {
        case .outOfSpace: return .later(Self.spaceInterval)
        case .sharedLogRefused: return .later(Self.refusalInterval)
        case .sharedLogUnavailable, .sharedLogUnsafe, .sharedLogTrimmed, .closed, .turnTaken:
            return .later(Self.retryInterval)
        // Of a node that could not be read, the tree may lack something.
        case _ where error.lacksDescriptors && engine.tree.account.failure == nil:
            return .later(Self.retryInterval)
        default:
            followingFailed(error)
            return .never
        }
    }
}
