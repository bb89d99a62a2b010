/// The operating system's file system.
///
/// Files are opened close-on-exec and without following symbolic links, created with permissions
/// for their owner only by default, and refused if they are not regular files.
package struct POSIXFileSystem: FileSystem {
    private let calls: any SystemCalls
    private let permissions: FilePermissions

    package init(
        _ calls: any SystemCalls = KernelCalls(), permissions: FilePermissions = .owner
    ) {
        self.calls = calls
        self.permissions = permissions
    }

    /// The same file system, which creates files with other permissions.
    package func making(_ permissions: FilePermissions) -> POSIXFileSystem {
        POSIXFileSystem(calls, permissions: permissions)
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let descriptor = Platform.open(path, mode, permissions: permissions)
        guard descriptor >= 0 else { throw Self.openFailure(path) }
        let file = POSIXFile(descriptor: descriptor, path: path, calls: calls)
        try Self.requireRegular(descriptor, path)
        return file
    }

    private static func requireRegular(
        _ descriptor: Int32, _ path: String
    ) throws(StorageError) {
        guard let status = Platform.status(descriptor) else {
            throw .io(operation: .open, path: path, errno: Platform.errorNumber)
        }
        guard status.isRegular else {
            throw .notARealm(path: path, reason: "it is not a regular file")
        }
    }

    package func createDirectory(_ path: String) throws(StorageError) {
        guard Platform.makeDirectory(path, permissions: permissions) == 0 else {
            let number = Platform.errorNumber
            guard number != Platform.fileExists else { return }
            if number == Platform.noSuchFile { throw .folderNotFound(path: path.parentPath) }
            let error = StorageError.io(operation: .createDirectory, path: path, errno: number)
            throw error.claimingSpace
        }
    }

    package func list(_ path: String) throws(StorageError) -> [String] {
        guard let names = Platform.names(in: path) else {
            throw Self.failure(.list, path)
        }
        return names.sorted()
    }

    package func isLink(_ path: String) -> Bool { Platform.isLink(path) }

    package func rename(_ path: String, to newPath: String) throws(StorageError) {
        guard Platform.renameFile(path, newPath) == 0 else { throw Self.failure(.rename, path) }
    }

    package func link(_ path: String, to newPath: String) throws(StorageError) {
        guard Platform.linkFile(path, newPath) == 0 else { throw Self.failure(.link, path) }
    }

    package func remove(_ path: String) throws(StorageError) {
        guard Platform.removeEntry(path) == 0 else { throw Self.failure(.remove, path) }
    }

    package func syncDirectory(_ path: String) throws(StorageError) {
        let descriptor = Platform.openDirectory(path)
        guard descriptor >= 0 else { throw Self.failure(.syncDirectory, path) }
        defer { Platform.closeDescriptor(descriptor) }
        guard Platform.syncDirectory(descriptor) == 0 else {
            throw Self.failure(.syncDirectory, path)
        }
    }

    package func lock(_ path: String) throws(StorageError) -> (any FileLock)? {
        try lock(path) { $0.sign(at: path) }
    }

    /// How often a lock file is created again that another process has removed before it was
    /// locked.
    private static let lockAttemptsMax = 1_000

    /// `sign`: as ``POSIXLock/sign(at:)``.
    func lock(
        _ path: String, signedBy sign: (POSIXLock) -> Bool
    ) throws(StorageError) -> POSIXLock? {
        for _ in 0..<Self.lockAttemptsMax {
            let lock = try makeLock(path)
            guard Platform.tryLock(lock.descriptor) == 0 else {
                let number = Platform.errorNumber
                guard number == Platform.wouldBlock else {
                    throw .io(operation: .lock, path: path, errno: number)
                }
                return nil
            }
            if sign(lock) { return lock }
        }
        throw .invalid(
            "The file '\(path)' cannot be locked: it is replaced whenever it is opened. Another "
                + "program removes it repeatedly, or its file system does not identify files. Open "
                + "the realm on another file system.")
    }

    /// The file of a lock, which is not held yet.
    func makeLock(_ path: String) throws(StorageError) -> POSIXLock {
        let descriptor = Platform.open(path, .create, permissions: permissions)
        guard descriptor >= 0 else { throw Self.openFailure(path) }
        let lock = POSIXLock(descriptor: descriptor, path: path)
        try Self.requireRegular(descriptor, path)
        return lock
    }

    private static func failure(_ operation: IOOperation, _ path: String) -> StorageError {
        let number = Platform.errorNumber
        if number == Platform.noSuchFile { return .fileNotFound(path: path) }
        return .io(operation: operation, path: path, errno: number)
    }

    /// The error of a failed open, by the error number. Only creating a file needs space.
    static func openFailure(_ path: String) -> StorageError {
        let number = Platform.errorNumber
        if number == Platform.symbolicLink {
            return .notARealm(path: path, reason: "it is a symbolic link")
        }
        return failure(.open, path).claimingSpace
    }
}

/// An open descriptor.
private final class POSIXFile: File {
    private let descriptor: Int32
    private let path: String
    private let calls: any SystemCalls

    init(descriptor: Int32, path: String, calls: any SystemCalls) {
        self.descriptor = descriptor
        self.path = path
        self.calls = calls
    }

    deinit { Platform.closeDescriptor(descriptor) }

    func size() throws(StorageError) -> FileSize {
        guard let status = Platform.status(descriptor) else { throw failure(.size) }
        return FileSize(length: status.length, allocated: status.allocated)
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        var done = 0
        while done < buffer.count {
            // Unsafe: a part of the caller's buffer; the slice is checked.
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = Platform.retrying { calls.read(descriptor, rest, offset + done) }
            guard count >= 0 else { throw failure(.read) }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        var done = 0
        while done < bytes.count {
            // Unsafe: a part of the caller's buffer; the slice is checked.
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = Platform.retrying { calls.write(descriptor, rest, offset + done) }
            guard count > 0 else {
                // A write of zero bytes without an error means that the disk is full.
                let number = count < 0 ? Platform.errorNumber : Platform.noSpace
                if done == 0, Platform.isOutOfSpace(number) { throw .outOfSpace(path: path) }
                throw .io(operation: .write, path: path, errno: number)
            }
            done += count
        }
    }

    func allocate(_ length: Int) throws(StorageError) {
        let start = try size().length
        guard length > start else { return }
        if Platform.allocate(descriptor, from: start, to: length) { return }
        let number = Platform.errorNumber
        if Platform.isOutOfSpace(number) { throw .outOfSpace(path: path) }
        guard number == 0 else { throw failure(.allocate) }
        try writeZeros(from: start, to: length)
    }

    func truncate(to length: Int) throws(StorageError) {
        guard try size().length > length else { return }
        guard Platform.truncate(descriptor, to: length) == 0 else { throw failure(.truncate) }
    }

    func sync() throws(StorageError) {
        guard Platform.retrying({ calls.sync(descriptor) }) == 0 else { throw failure(.sync) }
    }

    func writeOut(from start: Int, to end: Int) throws(StorageError) {
        // It consumes writeback errors, which the next sync would then not report.
        let result = Platform.retrying {
            calls.writeOut(descriptor, from: start, count: end - start)
        }
        guard result == 0 else { throw failure(.sync) }
    }

    private func failure(_ operation: IOOperation) -> StorageError {
        .io(operation: operation, path: path, errno: Platform.errorNumber)
    }
}

/// A descriptor that holds an advisory lock.
final class POSIXLock: FileLock {
    /// The size of the field with the holder's process number, for people and messages.
    static let signatureSize = 16

    let descriptor: Int32
    private let path: String
    /// As it was when the file was opened, so that ``isInPlace`` is usually a single system call.
    private let identity: Platform.FileIdentity?

    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
        identity = Platform.identity(of: descriptor)
    }

    deinit { Platform.closeDescriptor(descriptor) }

    var isInPlace: Bool {
        guard let identity, Platform.isReplaced(identity, at: path) else { return true }
        // File systems outside the kernel may give a file another number while it is open.
        guard let current = Platform.identity(of: descriptor) else { return false }
        return !Platform.isReplaced(current, at: path)
    }

    var isRemoved: Bool { Platform.linkCount(of: descriptor) == 0 }

    /// Writes the number of this process to the file. An error is ignored, since the number is only
    /// informative.
    ///
    /// False if the file is no longer the one at `path`: the previous holder has removed it, and
    /// this lock excludes no other process.
    func sign(at path: String) -> Bool {
        guard let identity, identity == Platform.identity(at: path) else { return false }
        let number = "\(Platform.processIdentifier)"
        let padding = String(repeating: " ", count: max(Self.signatureSize - number.utf8.count, 0))
        Array((number + padding).utf8).withUnsafeBytes { bytes in
            _ = Platform.retrying { Platform.writeBytes(descriptor, bytes, 0) }
        }
        return true
    }
}
