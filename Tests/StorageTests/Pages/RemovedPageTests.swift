import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// A file system that calls a closure before it opens a file, once.
private final class InterruptedFiles: WrappedFiles {
    let base: any FileSystem
    private let interruption = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ base: any FileSystem) { self.base = base }

    func beforeNextOpening(_ body: @escaping @Sendable () -> Void) {
        interruption.withLock { $0 = body }
    }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let body = interruption.withLock { $0.take() }
        body?()
        return try base.open(path, mode)
    }
}

/// Page files that are removed while another thread is about to open them.
@Suite struct RemovedPageTests {
    /// It was reported as damage, to readers of old versions and to backups during a checkpoint.
    @Test func aFileThatWasKeptOpenAndRemovedMeanwhileIsFound() throws {
        let files = InterruptedFiles(MemoryFileSystem())
        try files.createDirectory("pages")
        let pages = PageStore(fileSystem: files, directory: "pages", database: .zero)
        let (index, made) = try pages.create()
        pages.close([index])
        files.beforeNextOpening {
            // As a checkpoint does for a file that is still needed.
            do {
                _ = try pages.file(index, isKept: true)
                try pages.remove(index)
            } catch {
                Issue.record(error)
            }
        }
        #expect(try pages.file(index).salt == made.salt)
        #expect(try files.list("pages") == [])
        // The file is not open any more.
        pages.close([index])
        #expect(throws: StorageError.self) { try pages.file(index) }
    }
}
