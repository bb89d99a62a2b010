package import Storage
import Synchronization

/// A file system that knows which of its files are open and have no name any more, and can do
/// something between a listing and what its caller does with it.
package final class OpenFileCounter: WrappedFiles {
    private struct State {
        var names: [String: Int] = [:]
        /// How often each file is open.
        var open: [Int: Int] = [:]
        var next = 0
        var afterListing: (@Sendable (String) -> Void)?
    }

    package let base: any FileSystem
    private let state = Mutex(State())

    package init(_ base: any FileSystem) { self.base = base }

    /// Files that are open and were removed.
    package var unlinkedOpenFiles: Int {
        state.withLock { state in
            let linked = Set(state.names.values)
            return state.open.keys.count { !linked.contains($0) }
        }
    }

    /// Files of a folder that are open, and still there.
    package func openFiles(in folder: String) -> Int {
        state.withLock { state in
            state.names.count { $0.key.hasPrefix(folder + "/") && state.open[$0.value] != nil }
        }
    }

    /// Calls `body` with the path of each folder that was listed.
    package func afterListing(_ body: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.afterListing = body }
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        let id = state.withLock { state in
            let id = state.names[path] ?? state.next
            state.next = max(state.next, id + 1)
            state.names[path] = id
            state.open[id, default: 0] += 1
            return id
        }
        return CountedFile(base: file) { [weak self] in self?.noteClosed(id) }
    }

    private func noteClosed(_ id: Int) {
        state.withLock { state in
            state.open[id, default: 0] -= 1
            if state.open[id] == 0 { state.open[id] = nil }
        }
    }

    package func list(_ path: String) throws(StorageError) -> [String] {
        let names = try base.list(path)
        let after = state.withLock { $0.afterListing }
        after?(path)
        return names
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try base.rename(path, to: newPath)
        state.withLock { state in
            state.names[newPath] = state.names[path]
            state.names[path] = nil
        }
    }

    package func remove(_ path: String) throws(StorageError) {
        try base.remove(path)
        state.withLock { $0.names[path] = nil }
    }
}

private final class CountedFile: WrappedFile {
    let base: any File
    private let onClose: @Sendable () -> Void

    init(base: any File, onClose: @escaping @Sendable () -> Void) {
        self.base = base
        self.onClose = onClose
    }

    deinit { onClose() }
}
