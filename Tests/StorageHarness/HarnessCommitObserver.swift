import Storage

/// An observer without subscribers, which calls a test before commits become visible.
final class HarnessCommitObserver: CommitObserver {
    private let onPublish: @Sendable () -> Void

    init(onPublish: @escaping @Sendable () -> Void) { self.onPublish = onPublish }

    func publish(_ commits: [CommitChanges], _ makeLatest: () -> Void) {
        onPublish()
        makeLatest()
    }

    func seesEveryVersion(of classes: () -> [ClassID]) -> Bool { false }
    func finish(_ failure: StorageError?) {}
    func restart(_ makeLatest: () -> Version) { _ = makeLatest() }
}
