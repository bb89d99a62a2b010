import Storage

/// Who is notified by a ``CommitHub`` that there is a newer version, and nothing else of it: no
/// marks are worked out for that.
protocol VersionSubscriber: AnyObject, Sendable {
    /// A newer version is visible. Called as ``CommitSubscriber/committed(_:)`` is.
    func advanced(to version: Version) -> CommitWaking?
    /// Nothing will come any more.
    func ended()
    /// Whether the end of the store's subscriptions is none for this one, which goes on when the
    /// store is opened again. Constant.
    var outlivesEnd: Bool { get }
}

/// The versions that become visible, the newest at a time: what nobody took is replaced.
final class VersionWatch: VersionSubscriber {
    let versions: AsyncStream<Version>
    private let continuation: AsyncStream<Version>.Continuation
    let outlivesEnd: Bool

    init(outlivesEnd: Bool = false) {
        self.outlivesEnd = outlivesEnd
        (versions, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func advanced(to version: Version) -> CommitWaking? {
        { [continuation] in continuation.yield(version) }
    }

    func ended() { continuation.finish() }
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
