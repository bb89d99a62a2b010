import StorageHarness
import Synchronization

@testable import Storage

/// A file system whose process has few descriptors left, on request.
final class ScarceFiles: WrappedFiles, SharedFileSystem {
    let base: any FileSystem
    private let left = Mutex<Int?>(nil)
    private let refused = Atomic<Int>(0)

    init(_ base: any FileSystem) { self.base = base }

    /// How many more times something can be opened; nil for no limit.
    func allow(_ count: Int?) { left.withLock { $0 = count } }

    /// How many calls failed for lack of a descriptor.
    var refusals: Int { refused.load(ordering: .relaxed) }

    private func takeDescriptor(
        _ operation: IOOperation, _ path: String
    ) throws(StorageError) {
        let isThere = left.withLock { left in
            guard let count = left else { return true }
            left = max(count - 1, 0)
            return count > 0
        }
        if isThere { return }
        refused.wrappingAdd(1, ordering: .relaxed)
        throw .io(operation: operation, path: path, errno: 24)
    }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try takeDescriptor(.open, path)
        return try base.open(path, mode)
    }

    func list(_ path: String) throws(StorageError) -> [String] {
        try takeDescriptor(.list, path)
        return try base.list(path)
    }

    func syncDirectory(_ path: String) throws(StorageError) {
        try takeDescriptor(.syncDirectory, path)
        try base.syncDirectory(path)
    }

    var shared: (any SharedFileSystem)? { base.shared == nil ? nil : self }

    func isLocked(_ path: String, orShared: Bool) throws(StorageError) -> Bool {
        try base.shared?.isLocked(path, orShared: orShared) ?? false
    }

    func notifyWatchers(of path: String) throws(StorageError) {
        try base.shared?.notifyWatchers(of: path)
    }

    func lockHolder(_ path: String) -> Int32? { base.shared?.lockHolder(path) }
}
