import Synchronization

/// Keeps page segments readable while it lives, independently of snapshots: removed files stay
/// open.
///
/// It is created while no checkpoint can remove any of them.
final class PageHold: Sendable {
    private let pages: PageStore
    private let indexes: [PageIndex]

    init(_ pages: PageStore, _ indexes: [PageIndex]) {
        self.pages = pages
        self.indexes = indexes
        pages.retired.withLock { $0.hold(indexes) }
    }

    deinit { pages.retired.withLock { $0.release(indexes) } }
}
