import Dispatch
package import Storage
import Synchronization

/// The operating system's files, of which opening one waits until the test lets it go on.
package struct GatedFiles: WrappedFiles, SharedFileSystem {
    private final class Gate: Sendable {
        let suffix = Mutex<(text: String, mode: OpenMode)?>(nil)
        let reached = DispatchSemaphore(value: 0)
        let opening = DispatchSemaphore(value: 0)
    }

    private let files = POSIXFileSystem()
    private let gate = Gate()

    package init() {}

    package var base: any FileSystem { files }
    package var shared: (any SharedFileSystem)? { self }

    /// The next opening of a file whose path ends so waits.
    package func close(_ suffix: String, _ mode: OpenMode) {
        gate.suffix.withLock { $0 = (suffix, mode) }
    }

    /// Waits until a file is waiting. Blocks its thread.
    package func waitUntilReached() { gate.reached.wait() }

    /// Lets it go on.
    package func open() { gate.opening.signal() }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let waits = gate.suffix.withLock { wanted in
            guard let (suffix, expected) = wanted, mode == expected, path.hasSuffix(suffix)
            else { return false }
            wanted = nil
            return true
        }
        if waits {
            gate.reached.signal()
            gate.opening.wait()
        }
        return try base.open(path, mode)
    }

    package func isLocked(_ path: String, orShared: Bool) throws(StorageError) -> Bool {
        try files.isLocked(path, orShared: orShared)
    }

    package func notifyWatchers(of path: String) throws(StorageError) {
        try files.notifyWatchers(of: path)
    }

    package func lockHolder(_ path: String) -> Int32? { files.lockHolder(path) }
}
