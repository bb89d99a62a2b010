import Storage
import Synchronization

/// Advances a live realm to the versions of other writers, on the actor of the realm.
///
/// It holds neither the realm nor the actor: both may be released while it waits.
final class LiveFollower {
    private let hub: CommitHub<Snapshot>
    private let target: Target
    // The realm continues when its store is reopened.
    private let watch = VersionWatch(outlivesEnd: true)
    private let listeners = LiveListeners()
    private var task: Task<Void, Never>?

    /// The realm that is advanced.
    private final class Target: Sendable {
        private struct Home {
            weak var actor: (any Actor)?
        }

        private let home: Mutex<Home>
        // Safety: set before the task begins that reads it, and never again; loading a weak
        // reference is atomic, and the realm is used on its actor only.
        nonisolated(unsafe) weak var live: LiveRealm?

        init(_ actor: any Actor) { home = Mutex(Home(actor: actor)) }

        var actor: (any Actor)? { home.withLock { $0.actor } }

        /// Advances the realm; false when it was released.
        func catchUp(isolation: isolated any Actor) -> Bool {
            guard let live else { return false }
            live.catchUp()
            return true
        }

        func run(_ body: @Sendable () -> Void, isolation: isolated any Actor) { body() }
    }

    /// Subscribes before the realm takes its first version, so that none is missed.
    init(_ hub: CommitHub<Snapshot>, _ actor: any Actor) {
        self.hub = hub
        target = Target(actor)
        hub.watchVersions(watch)
    }

    /// Begins to advance `live`, which is confined to the actor.
    func follow(_ live: LiveRealm) {
        target.live = live
        let (target, versions) = (target, watch.versions)
        // Detached: it lives as long as the realm, without the task-local values of the task that
        // opened it.
        task = Task.detached(priority: Task.currentPriority) {
            for await _ in versions {
                guard let actor = target.actor, await target.catchUp(isolation: actor) else {
                    return
                }
            }
        }
    }

    /// Stops permanently.
    func stop() {
        hub.unwatchVersions(watch)
        watch.ended(nil)
        task?.cancel()
        listeners.end()
    }

    /// Runs `body` on the realm's actor, or here if the actor was released: then there are no
    /// readers.
    func onActor(_ body: @escaping @Sendable () -> Void) {
        guard let actor = target.actor else { return body() }
        let target = target
        Task { await target.run(body, isolation: actor) }
    }

    /// Notifies the iterators of ``LiveRealm/changes()`` that the realm has advanced.
    func moved(to version: Realm.Version) { listeners.notify(version) }

    /// The versions that the realm advances to from now on.
    func changes() -> LiveChanges { LiveChanges(listeners.add()) }
}

/// The subscribers to the versions that a live realm advances to.
private final class LiveListeners: Sendable {
    private typealias Continuation = AsyncStream<Realm.Version>.Continuation
    private let table = Mutex<(next: Int, all: [Int: Continuation])>((0, [:]))

    func add() -> AsyncStream<Realm.Version> {
        let (stream, continuation) = AsyncStream<Realm.Version>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        let number = table.withLock { table in
            table.next += 1
            table.all[table.next] = continuation
            return table.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.table.withLock { _ = $0.all.removeValue(forKey: number) }
        }
        return stream
    }

    func notify(_ version: Realm.Version) {
        let all = table.withLock { Array($0.all.values) }
        for continuation in all { continuation.yield(version) }
    }

    func end() {
        let all = table.withLock { Array($0.all.values) }
        for continuation in all { continuation.finish() }
    }
}

/// The versions that a live realm advances to. Only the newest is buffered: see
/// ``LiveRealm/changes()``.
///
/// For one consumer. Sendable: it may be iterated on any isolation, while the realm stays on its
/// actor.
public struct LiveChanges: AsyncSequence, Sendable {
    private let stream: AsyncStream<Realm.Version>

    init(_ stream: AsyncStream<Realm.Version>) { self.stream = stream }

    /// Iterates over the versions.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: stream.makeAsyncIterator())
    }

    /// Iterates over versions.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Realm.Version>.AsyncIterator

        /// The next version; nil when the realm was released, or the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Realm.Version? { await base.next(isolation: actor) }
    }
}
