import Synchronization

/// How a store on a shared log gets along with the other hosts that have it open.
extension OpenStore {
    /// From here on, writes come on top of what other hosts have appended. That is applied when
    /// it is in their way, or asked for, and with ``HostSharing/begin()`` at once.
    @discardableResult
    package func join(_ replayed: ReplayedStore) -> HostSharing? {
        guard let journal = replayed.sharedJournal else { return nil }
        let hosts = HostSharing(journal) { [weak self] asker, done in
            guard let self else { return done() }
            Task.detached(executorPreference: UpkeepThread.executor) {
                await self.followHosts(yieldingTo: asker)
                done()
            }
        }
        state.withLock { $0.hosts = hosts }
        return hosts
    }

    /// How long the writes of this host wait for another one that has asked for that.
    private static let courtesy = Duration.milliseconds(20)

    /// Applies what other hosts have appended, in turn with the writes of this one. For an asker,
    /// these wait until it has appended something, though not for long.
    private func followHosts(yieldingTo asker: Bits128?) async {
        guard (try? await turns.take("another host", timeout: nil)) != nil else { return }
        defer { releaseTurn() }
        guard let hosts else { return }
        let end = ContinuousClock.now + Self.courtesy
        do {
            repeat {
                if isClosed { return }
                try await catchUp(with: hosts)
                guard let asker, hosts.journal.cursor.holder != asker else { return }
                try await Task.sleep(for: .milliseconds(1))
            } while ContinuousClock.now < end
        } catch {
            followingHostsFailed(error)
        }
    }

    /// Applies everything that was appended to the shared log before this call.
    ///
    /// - Throws: ``StorageError``: the log cannot be reached, or is not what this host has a copy
    ///   of; the store is closed.
    package func refreshFromHosts() async throws {
        try await turns.take("refreshed(_:)", timeout: options.writeTimeout)
        defer { releaseTurn() }
        if isClosed { throw StorageError.closed(path: "The store") }
        if let hosts { try await catchUp(with: hosts) }
    }

    /// Applies what this host lacks. The caller has the turn.
    func catchUp(with hosts: HostSharing) async throws {
        let engine = engine
        await drain()
        try await BlockingWork.run { try engine.catchUp(with: hosts.journal) }
    }

    /// A log that cannot be read any more ends what is shown of it; one that does not answer will
    /// again.
    private func followingHostsFailed(_ error: any Error) {
        guard let error = error as? StorageError else { return }
        switch error {
        case .sharedLogUnavailable, .closed, .turnTaken: return
        default: followingFailed(error)
        }
    }
}
