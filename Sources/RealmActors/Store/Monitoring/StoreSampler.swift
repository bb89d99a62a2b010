import Storage

/// Samples a store periodically for what no event reports: versions that stay held, streams that
/// are not consumed, hits and misses of the cache.
struct StoreSampler {
    /// A stream when it was first seen with an element due, from which nothing was taken since.
    private struct Backlog {
        let taken: Int
        let since: Instant
        var isReported = false
    }

    private var hits = 0
    private var misses = 0
    private var heldVersions: Set<Realm.Version> = []
    private var backlogs: [ObjectIdentifier: Backlog] = [:]

    /// Samples the store, and notifies its monitor of what exceeds the limits.
    mutating func sample(_ store: RealmStore) {
        guard let monitoring = store.monitoring else { return }
        sampleCache(store.account, monitoring)
        sampleVersions(store, monitoring)
        sampleStreams(store, monitoring)
    }

    private mutating func sampleCache(_ account: NodeAccount, _ monitoring: StoreMonitoring) {
        let (hits, misses) = (account.cacheHits, account.nodeReads)
        let event = CacheEvent(
            hits: hits - self.hits, misses: misses - self.misses,
            residentBytes: account.byteCount)
        (self.hits, self.misses) = (hits, misses)
        if event.hits + event.misses > 0 {
            monitoring.notify { $0.cacheWasUsed(event, in: $1) }
        }
    }

    private mutating func sampleVersions(_ store: RealmStore, _ monitoring: StoreMonitoring) {
        let held = store.versions.active(latest: store.engine.latest.name).filter {
            $0.holders > 0 && $0.age > monitoring.limits.heldVersion
        }
        for version in held where !heldVersions.contains(version.version) {
            monitoring.notify { $0.versionIsHeld(version, in: $1) }
        }
        heldVersions = Set(held.map(\.version))
    }

    private mutating func sampleStreams(_ store: RealmStore, _ monitoring: StoreMonitoring) {
        let now = Instant.now
        var found: [ObjectIdentifier: Backlog] = [:]
        for (identity, interest, backlog) in store.hub.backlogs where backlog.due > 0 {
            var known = Backlog(taken: backlog.taken, since: now)
            if let before = backlogs[identity], before.taken == backlog.taken { known = before }
            let lag = known.since.duration(to: now)
            if !known.isReported, lag > monitoring.limits.streamLag {
                known.isReported = true
                let event = StreamLagEvent(
                    classNames: names(of: interest, store), elements: backlog.due, lag: lag)
                monitoring.notify { $0.streamLags(event, in: $1) }
            }
            found[identity] = known
        }
        backlogs = found
    }

    private func names(of interest: CommitInterest, _ store: RealmStore) -> [String] {
        // The newest schema: a stream may watch classes that others have added since the opening.
        let classes = store.engine.latest.schema.classes
        switch interest {
        case .everything: return classes.map(\.name).sorted()
        case .classes(let watched): return watched.map { classes[$0.rawValue].name }.sorted()
        case .row(_, let id): return [classes[id.rawValue].name]
        }
    }
}
