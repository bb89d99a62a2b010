package import Storage
import Synchronization

/// A file system that refuses to open some files while it is asked to.
package final class RefusingFiles: WrappedFiles {
    package let base: any FileSystem
    private let refusal: @Sendable (String, OpenMode) -> StorageError?
    private let refuses = Atomic<Bool>(false)

    /// `refusal`: what is wrong with opening a file; nil for one that is opened in any case.
    package init(
        _ base: any FileSystem, _ refusal: @escaping @Sendable (String, OpenMode) -> StorageError?
    ) {
        self.base = base
        self.refusal = refusal
    }

    package var isRefusing: Bool {
        get { refuses.load(ordering: .relaxed) }
        set { refuses.store(newValue, ordering: .relaxed) }
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        if isRefusing, let error = refusal(path, mode) { throw error }
        return try base.open(path, mode)
    }
}
