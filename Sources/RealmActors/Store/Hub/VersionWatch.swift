import Storage
import Synchronization

/// A subscriber that a ``CommitHub`` notifies of newer versions only: no marks are computed for it.
protocol VersionSubscriber: AnyObject, Sendable {
    /// A newer version is visible. Called as ``CommitSubscriber/committed(_:)`` is.
    func advanced(to version: Version) -> CommitWaking?
    /// There will be no more versions: the realm was closed (nil) or has failed.
    func ended(_ error: RealmError?)
    /// The realm was closed or has failed. Called instead of ``ended(_:)`` if the subscriber
    /// outlives that.
    func storeEnded()
    /// Whether the subscriber outlives the end of the store's subscriptions, and continues when the
    /// store is reopened. Constant.
    var outlivesEnd: Bool { get }
}

/// The versions that become visible. Only the newest is buffered: it replaces one that was not
/// consumed.
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

    /// The error that ended the watch. It stays after the realm was reopened.
    var failure: RealmError? { end.withLock { $0 } }

    func ended(_ error: RealmError?) {
        end.withLock { $0 = error }
        continuation.finish()
    }

    func storeEnded() {}
}

extension CommitHub {
    /// Waits for new versions until `isReached` returns true. Returns early when the task is
    /// cancelled or the store was closed or has failed.
    func wait(until isReached: () -> Bool) async {
        let watch = VersionWatch()
        watchVersions(watch)
        defer { unwatchVersions(watch) }
        var versions = watch.versions.makeAsyncIterator()
        // Checked after subscribing, so that no version is missed.
        while !isReached(), await versions.next() != nil {}
    }
}
