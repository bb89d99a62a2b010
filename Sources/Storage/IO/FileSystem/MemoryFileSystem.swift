import Synchronization

/// A file system in memory, for tests and temporary stores. Paths are compared literally; a
/// directory exists once it was created.
package final class MemoryFileSystem: FileSystem {
    private struct State {
        var files: [String: MemoryFile] = [:]
        var directories: Set<String> = ["", ".", "/"]

        /// Renames a directory with its contents.
        mutating func move(_ path: String, to newPath: String) {
            func moved(_ name: String) -> String {
                name == path || name.hasPrefix(path + "/")
                    ? newPath + name.dropFirst(path.count) : name
            }
            files = Dictionary(uniqueKeysWithValues: files.map { (moved($0), $1) })
            directories = Set(directories.map(moved))
        }
    }

    private let state = Mutex(State())

    package init() {}

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try state.withLock { state throws(StorageError) in
            if state.directories.contains(path) {
                throw .notARealm(path: path, reason: "it is not a regular file")
            }
            if let file = state.files[path] { return file }
            guard mode == .create else { throw .fileNotFound(path: path) }
            let file = MemoryFile()
            state.files[path] = file
            return file
        }
    }

    package func createDirectory(_ path: String) throws(StorageError) {
        state.withLock { _ = $0.directories.insert(path) }
    }

    package func list(_ path: String) throws(StorageError) -> [String] {
        try state.withLock { state throws(StorageError) in
            if state.files[path] != nil {
                throw .io(operation: .list, path: path, errno: Platform.notADirectory)
            }
            guard state.directories.contains(path) else { throw .fileNotFound(path: path) }
            let paths = Array(state.files.keys) + Array(state.directories)
            return paths.compactMap { $0.name(in: path) }.sorted()
        }
    }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            if state.directories.contains(path) {
                let isFull = (Array(state.files.keys) + Array(state.directories))
                    .contains { $0.name(in: newPath) != nil }
                if isFull || state.files[newPath] != nil {
                    throw .io(operation: .rename, path: path, errno: Platform.fileExists)
                }
                return state.move(path, to: newPath)
            }
            guard let file = state.files.removeValue(forKey: path) else {
                throw .fileNotFound(path: path)
            }
            state.files[newPath] = file
        }
    }

    package func link(_ path: String, to newPath: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            guard let file = state.files[path] else { throw .fileNotFound(path: path) }
            if state.files[newPath] != nil || state.directories.contains(newPath) {
                throw .io(operation: .link, path: newPath, errno: Platform.fileExists)
            }
            state.files[newPath] = file
        }
    }

    package func remove(_ path: String) throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            guard
                state.files.removeValue(forKey: path) != nil
                    || state.directories.remove(path) != nil
            else { throw .fileNotFound(path: path) }
        }
    }

    package func syncDirectory(_ path: String) throws(StorageError) {}

    package func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        guard let file = try open(path, .create) as? MemoryFile else { return nil }
        return file.takeLock()
    }
}

extension String {
    /// The last component, if the rest of the path is `directory`.
    package func name(in directory: String) -> String? {
        if directory == "." { return isEmpty || self == "." || contains("/") ? nil : self }
        let prefix = directory == "/" ? directory : directory + "/"
        guard hasPrefix(prefix) else { return nil }
        let name = dropFirst(prefix.count)
        return name.isEmpty || name.contains("/") ? nil : String(name)
    }
}

/// The contents of a file in memory.
private final class MemoryFile: File {
    private struct State {
        var bytes: [UInt8] = []
        weak var lock: MemoryLock?
    }

    private let state = Mutex(State())

    func size() throws(StorageError) -> FileSize {
        state.withLock { FileSize(length: $0.bytes.count, allocated: $0.bytes.count) }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        let target = SendableBytes(start: buffer.baseAddress, count: buffer.count)
        return state.withLock { $0.bytes.read(into: target, at: offset) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        // Unsafe: never written through; the caller lends the bytes for this call.
        let source = SendableBytes(
            start: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: bytes.count)
        state.withLock { $0.bytes.write(source, at: offset) }
    }

    func allocate(_ length: Int) throws(StorageError) {
        state.withLock { $0.bytes.extend(to: length) }
    }

    func truncate(to length: Int) throws(StorageError) {
        state.withLock { $0.bytes.removeLast(max(0, $0.bytes.count - length)) }
    }

    func sync() throws(StorageError) {}

    func takeLock() -> MemoryLock? {
        state.withLock { state in
            guard state.lock == nil else { return nil }
            let lock = MemoryLock()
            state.lock = lock
            return lock
        }
    }
}

/// A lock that is held until it is deinitialized.
package final class MemoryLock: FileLock {
    package init() {}
}

// Unchecked, and safe, because the pointer is used only within the call that created this value, on
// the same thread: the mutex calls its closure synchronously.
/// Bytes of the caller that are used in the closure of a mutex.
package struct SendableBytes: @unchecked Sendable {
    // Unsafe: lent by the caller for the call.
    package let start: UnsafeMutableRawPointer?
    package let count: Int

    package init(start: UnsafeMutableRawPointer?, count: Int) {
        self.start = start
        self.count = count
    }
}

/// Zeros to copy: debug builds append a repeated element one by one, which would dominate tests on
/// simulated disks.
private let zeros = [UInt8](repeating: 0, count: 64 << 10)

extension [UInt8] {
    /// Appends zeros up to `length`.
    package mutating func extend(to length: Int) {
        while count < length { append(contentsOf: zeros.prefix(length - count)) }
    }

    package func read(into target: SendableBytes, at offset: Int) -> Int {
        let available = Swift.min(target.count, count - offset)
        guard available > 0, let start = target.start else { return 0 }
        // Unsafe: `available` is within both: the minimum of the buffer's size and the remaining
        // bytes.
        withUnsafeBytes { bytes in
            let source = bytes.slice(offset..<offset + available)
            UnsafeMutableRawBufferPointer(start: start, count: available).copyMemory(from: source)
        }
        return available
    }

    package mutating func write(_ source: SendableBytes, at offset: Int) {
        guard let start = source.start, source.count > 0 else { return }
        extend(to: offset + source.count)
        // Unsafe: the array was extended to hold all of the source.
        withUnsafeMutableBytes { bytes in
            bytes.slice(offset..<offset + source.count)
                .copyMemory(from: UnsafeRawBufferPointer(start: start, count: source.count))
        }
    }
}
