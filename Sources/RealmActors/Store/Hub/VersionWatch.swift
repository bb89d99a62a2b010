import Storage
import Synchronization

/// A subscriber that a ``CommitHub`` notifies of newer versions only: no marks are computed for it.
protocol VersionSubscriber: AnyObject, Sendable {
    /// A newer version is visible. Called as ``CommitSubscriber/committed(_:)`` is.
    func advanced(to version: Version) -> CommitWaking?
    /// There will be no more versions: the realm was closed (nil) or has failed.
    func ended(_ error: RealmError?)
    /// Whether the subscriber outlives the end of the store's subscriptions, and continues when the
    /// store is reopened. Constant.
    var outlivesEnd: Bool { get }
}

/// The versions that become visible, the newest at a time: one that was not consumed is replaced.
final class VersionWatch: VersionSubscriber {
    let versions: AsyncStream<Version>
    private let continuation: AsyncStream<Version>.Continuation
    private let end = Mutex<RealmError?>(nil)
    let outlivesEnd: Bool

    init(outlivesEnd: Bool = false) {
        self.outlivesEnd = outlivesEnd
        (versions, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func advanced(to version: Version) -> CommitWaking? {
        { [continuation] in continuation.yield(version) }
    }

    /// What the realm had failed with when this ended, also once it was opened again.
    var failure: RealmError? { end.withLock { $0 } }

    func ended(_ error: RealmError?) {
        end.withLock { $0 = error }
        continuation.finish()
    }
}

extension CommitHub {
    /// Waits until a version that is at least `version` is visible, as `isReached` says. Returns
    /// early when the task is cancelled or the store was closed or has failed.
    func wait(until isReached: () -> Bool) async {
        let watch = VersionWatch()
        watchVersions(watch)
        defer { unwatchVersions(watch) }
        var versions = watch.versions.makeAsyncIterator()
        // Asked after subscribing: what comes from here on is delivered.
        while !isReached(), await versions.next() != nil {}
    }
}
