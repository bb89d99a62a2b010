package import Storage
import Synchronization

/// A file system that runs something else in the middle of a checkpoint: before a write to a page
/// file, on the same thread, so that every run of a seed is the same.
package final class InterleavingFiles: WrappedFiles {
    private struct Interruption: Sendable {
        /// Writes that come before it.
        var delay: Int
        let run: @Sendable () -> Void
    }

    package let base: any FileSystem
    private let interruption = Mutex<Interruption?>(nil)

    package init(_ base: any FileSystem) { self.base = base }

    /// Runs `body` once, before the write to a page file that comes after `delay` others.
    package func arm(after delay: Int, _ body: @escaping @Sendable () -> Void) {
        interruption.withLock { $0 = Interruption(delay: delay, run: body) }
    }

    package func disarm() { interruption.withLock { $0 = nil } }

    fileprivate func aboutToWrite() {
        let due = interruption.withLock { waiting -> Interruption? in
            guard let next = waiting else { return nil }
            guard next.delay == 0 else {
                waiting?.delay -= 1
                return nil
            }
            waiting = nil
            return next
        }
        due?.run()
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(".pages") && mode != .readOnly ? InterleavingFile(file, self) : file
    }
}

private final class InterleavingFile: WrappedFile {
    let base: any File
    private let files: InterleavingFiles

    init(_ base: any File, _ files: InterleavingFiles) {
        self.base = base
        self.files = files
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        files.aboutToWrite()
        try base.write(bytes, at: offset)
    }
}
