import Storage
import Synchronization

/// Moves a live realm to versions that others make, on the actor of the realm.
///
/// It keeps neither the realm nor the actor: both may go while it waits.
final class LiveFollower {
    private let hub: CommitHub<Snapshot>
    private let target: Target
    // The realm goes on when its store is reopened.
    private let watch = VersionWatch(outlivesEnd: true)
    private let listeners = LiveListeners()
    private var task: Task<Void, Never>?

    /// What is moved.
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

        /// Moves the realm; false when it is gone.
        func catchUp(isolation: isolated any Actor) -> Bool {
            guard let live else { return false }
            live.catchUp()
            return true
        }

        func run(_ body: @Sendable () -> Void, isolation: isolated any Actor) { body() }
    }

    /// From here on no version is missed: the first one that the realm shows is to be taken later.
    init(_ hub: CommitHub<Snapshot>, _ actor: any Actor) {
        self.hub = hub
        target = Target(actor)
        hub.watchVersions(watch)
    }

    /// Begins to move `live`, which belongs to the actor.
    func follow(_ live: LiveRealm) {
        target.live = live
        let (target, versions) = (target, watch.versions)
        // Detached: it lives as long as the realm, without the task-local values of whoever opened
        // that.
        task = Task.detached(priority: Task.currentPriority) {
            for await _ in versions {
                guard let actor = target.actor, await target.catchUp(isolation: actor) else {
                    return
                }
            }
        }
    }

    /// Ends for good.
    func stop() {
        hub.unwatchVersions(watch)
        watch.ended(nil)
        task?.cancel()
        listeners.end()
    }

    /// Runs `body` on the realm's actor, or here when that is gone: nobody reads then any more.
    func onActor(_ body: @escaping @Sendable () -> Void) {
        guard let actor = target.actor else { return body() }
        let target = target
        Task { await target.run(body, isolation: actor) }
    }

    /// Notifies those who want to know that the realm has moved.
    func moved(to version: Realm.Version) { listeners.tell(version) }

    /// The versions that the realm moves to from now on.
    func changes() -> LiveChanges { LiveChanges(listeners.add()) }
}

/// The subscribers to the versions that a live realm moves to.
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

    func tell(_ version: Realm.Version) {
        let all = table.withLock { Array($0.all.values) }
        for continuation in all { continuation.yield(version) }
    }

    func end() {
        let all = table.withLock { Array($0.all.values) }
        for continuation in all { continuation.finish() }
    }
}

/// The versions that a live realm moves to, the newest at a time: see ``LiveRealm/changes()``.
///
/// For one consumer. Sendable: it may be iterated anywhere, while the realm stays where it is.
public struct LiveChanges: AsyncSequence, Sendable {
    private let stream: AsyncStream<Realm.Version>

    init(_ stream: AsyncStream<Realm.Version>) { self.stream = stream }

    /// Goes over the versions.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: stream.makeAsyncIterator())
    }

    /// Goes over versions.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<Realm.Version>.AsyncIterator

        /// The next version; nil when the realm is gone, or the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> Realm.Version? { await base.next(isolation: actor) }
    }
}
