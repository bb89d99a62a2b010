// The system calls. Only this file and its extensions depend on the operating system; all other
// code uses `Platform`.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls of the POSIX file system, each with the retries that its manual page requires.
/// They return -1 and leave the reason in `Platform.errorNumber`.
package enum Platform {
    package static var errorNumber: Int32 {
        get { errno }
        set { errno = newValue }
    }

    package static let noSuchFile = ENOENT
    package static let noSpace = ENOSPC
    package static let inputOutput = EIO
    package static let interrupted = EINTR
    package static let fileExists = EEXIST
    package static let symbolicLink = ELOOP
    package static let notADirectory = ENOTDIR

    /// Whether the error number means that a directory cannot be replaced because it is not empty.
    static func isNotEmpty(_ number: Int32) -> Bool {
        number == directoryNotEmpty || number == EEXIST
    }

    /// Whether the error number means that a file cannot have a hard link here.
    static func cannotLink(_ number: Int32) -> Bool {
        number == EPERM || number == EMLINK || number == ENOTSUP || number == EOPNOTSUPP
            || number == ENOSYS || number == EXDEV
    }

    package static let directoryNotEmpty = ENOTEMPTY

    package static let wouldBlock = EWOULDBLOCK

    /// Whether the error number means that the disk, the quota or the file size limit is exhausted.
    package static func isOutOfSpace(_ number: Int32) -> Bool {
        number == ENOSPC || number == EDQUOT || number == EFBIG
    }

    /// Whether the error number means that the file system does not support the call for such a
    /// file, or that the kernel lacks or blocks it.
    static func lacksCall(_ number: Int32) -> Bool {
        number == ENOTSUP || number == EOPNOTSUPP || number == EINVAL || number == ENOSYS
    }

    /// Whether the error number means that the process, or the system, has no descriptor left.
    package static func lacksDescriptors(_ number: Int32) -> Bool {
        number == EMFILE || number == ENFILE
    }

    /// Ends the process, with the reason on standard error: for a failed precondition, an optimized
    /// build does not print the message.
    static func endProcess(because reason: String) -> Never {
        var text = "Fatal error: \(reason)\n"
        text.withUTF8 { bytes in
            _ = retrying { write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
        }
        preconditionFailure()
    }

    /// The system's words for an error number.
    package static func message(for number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    /// A write beyond the file size limit fails, and raises a signal whose default action ends the
    /// process. Ignores that signal, unless the program handles it.
    private static let ignoresSizeSignal: Void = {
        var before = sigaction()
        sigaction(SIGXFSZ, nil, &before)
        let handler = signal(SIGXFSZ, SIG_IGN)
        if handler != nil { sigaction(SIGXFSZ, &before, nil) }
    }()

    /// `permissions`: those of a file that is created.
    ///
    /// Without the nonblocking flag, opening a named pipe would wait for a process at its other
    /// end; for regular files, the flag has no effect.
    static func open(
        _ path: String, _ mode: OpenMode, permissions: FilePermissions = .owner
    ) -> Int32 {
        if mode != .readOnly { _ = ignoresSizeSignal }
        let flags: Int32 =
            switch mode {
            case .readOnly: O_RDONLY
            case .readWrite: O_RDWR
            case .create: O_RDWR | O_CREAT
            }
        return retrying {
            openDescriptor(
                path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, permissions.ofFiles)
        }
    }

    private static func openDescriptor(
        _ path: String, _ flags: Int32, _ permissions: UInt16 = 0
    ) -> Int32 {
        #if canImport(Darwin)
            Darwin.open(path, flags, mode_t(permissions))
        #elseif canImport(Glibc)
            Glibc.open(path, flags, mode_t(permissions))
        #elseif canImport(Musl)
            Musl.open(path, flags, mode_t(permissions))
        #endif
    }

    static func openDirectory(_ path: String) -> Int32 {
        retrying { openDescriptor(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    }

    static func closeDescriptor(_ descriptor: Int32) {
        // Not retried after EINTR: the descriptor is closed nevertheless, on Linux and on Darwin.
        _ = close(descriptor)
    }

    /// The result of `fstat` for a descriptor; nil with the reason in `errorNumber`.
    static func status(_ descriptor: Int32) -> (isRegular: Bool, length: Int, allocated: Int)? {
        var status = stat()
        guard retrying({ fstat(descriptor, &status) }) == 0 else { return nil }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        return (isRegular, Int(status.st_size), Int(status.st_blocks) * 512)
    }

    /// One `pread`: it may be interrupted, and may read less than there is.
    static func readBytes(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int
    ) -> Int {
        pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    /// One `pwrite`: it may be interrupted, and may write less than it was given.
    static func writeBytes(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> Int {
        pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }

    /// Flushes data and length down to the medium, once: it may be interrupted.
    static func syncData(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // `fsync` leaves the bytes in the drive's cache; only F_FULLFSYNC asks it to flush.
            // Some file systems do not know it, for them `fsync` is all there is.
            let result = fcntl(descriptor, F_FULLFSYNC)
            if result != -1 || (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) {
                return result
            }
            return fsync(descriptor)
        #else
            return fdatasync(descriptor)
        #endif
    }

    /// Writes a range of a file to the device and waits for that, without flushing the device: a
    /// later sync then has less to write. Does nothing if the system has no such call.
    static func writeOut(_ descriptor: Int32, from start: Int, count: Int) -> Int32 {
        #if canImport(Glibc)
            guard let syncFileRange else { return 0 }
            // Waits for writeback in progress, writes the remaining pages, and waits for that.
            let result = syncFileRange(descriptor, Int64(start), Int64(count), 1 | 2 | 4)
            let isUnknown = lacksCall(errno) || errno == ESPIPE
            return result == -1 && isUnknown ? 0 : result
        #else
            return 0
        #endif
    }

    #if canImport(Glibc)
        private typealias SyncFileRange = @convention(c) (Int32, Int64, Int64, UInt32) -> Int32

        // Looked up, because its header declares it for GNU sources only. Unsafe: this is the
        // signature in its manual page, with 64-bit offsets on every 64-bit system.
        private static let syncFileRange = dlsym(nil, "sync_file_range")
            .map { unsafeBitCast($0, to: SyncFileRange.self) }
    #endif

    /// Waits; a signal may end it early.
    package static func pause(for time: Duration) {
        let (seconds, attoseconds) = time.components
        var rest = timespec(
            tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        _ = nanosleep(&rest, nil)
    }

    /// Yields the processor to another thread.
    package static func yieldProcessor() { _ = sched_yield() }

    /// Syncs the names in a directory. Some file systems, such as folders that a virtual machine
    /// shares with its host, do not support that, which is ignored.
    static func syncDirectory(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // A full flush as for data: otherwise the name may only be in the drive's cache.
            let result = retrying { syncData(descriptor) }
        #else
            let result = retrying { fsync(descriptor) }
        #endif
        return result == -1 && lacksCall(errno) ? 0 : result
    }

    /// Allocates blocks up to `length`; false if the file system cannot do that, and zeros have to
    /// be written instead. `errorNumber` is 0 then.
    static func allocate(_ descriptor: Int32, from start: Int, to length: Int) -> Bool {
        #if canImport(Darwin)
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(length - start), fst_bytesalloc: 0)
            if retrying({ fcntl(descriptor, F_PREALLOCATE, &request) }) == -1 {
                if lacksCall(errno) { errno = 0 }
                return false
            }
            return retrying { ftruncate(descriptor, off_t(length)) } == 0
        #else
            // Returns its error instead of setting `errno`.
            var result: Int32
            repeat {
                result = posix_fallocate(descriptor, off_t(start), off_t(length - start))
            } while result == EINTR
            errno = lacksCall(result) ? 0 : result
            return result == 0
        #endif
    }

    static func truncate(_ descriptor: Int32, to length: Int) -> Int32 {
        retrying { ftruncate(descriptor, off_t(length)) }
    }

    static func makeDirectory(_ path: String, permissions: FilePermissions) -> Int32 {
        retrying { mkdir(path, mode_t(permissions.ofDirectories)) }
    }

    static func renameFile(_ path: String, _ newPath: String) -> Int32 {
        retrying { rename(path, newPath) }
    }

    static func linkFile(_ path: String, _ newPath: String) -> Int32 {
        retrying { link(path, newPath) }
    }

    static func removeEntry(_ path: String) -> Int32 {
        // `remove` takes files and empty directories alike and follows no symbolic link.
        retrying { remove(path) }
    }

    /// The names in a directory, or nil with the reason in `errorNumber`.
    static func names(in path: String) -> [String]? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
            // Unsafe: the entry is valid until the next `readdir`, and its name ends with a zero.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: capacity) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return errno == 0 ? names : nil
    }

    /// Takes the advisory lock of an open file without waiting. The lock belongs to the open file,
    /// so it also excludes a second opener in this process and is released with the last
    /// descriptor.
    static func tryLock(_ descriptor: Int32) -> Int32 {
        retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// Whether a symbolic link is at `path`.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return retrying { lstat(path, &status) } == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The machine's memory in bytes.
    package static var physicalMemory: Int {
        sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The canonical form of `path`, which need not exist: absolute, in a folder without symbolic
    /// links.
    package static func canonicalPath(_ path: String) -> String {
        // By bytes, as the system does: as characters, "/" and a following combining accent would
        // be one.
        let slash = UInt8(ascii: "/")
        var rest = path[...].utf8
        while rest.count > 1, rest.last == slash { rest.removeLast() }
        let cut = rest.lastIndex(of: slash)
        let name = String(Substring(cut.map { rest[rest.index(after: $0)...] } ?? rest))
        if name.isEmpty || name == "." || name == ".." { return resolved(path) ?? path }
        let folder = cut.map { $0 == rest.startIndex ? "/" : String(Substring(rest[..<$0])) }
        guard let folder = resolved(folder ?? ".") else { return String(Substring(rest)) }
        return folder == "/" ? "/" + name : folder + "/" + name
    }

    /// A string that is equal for paths of one file only. Strings that are canonically equivalent
    /// are equal, but name different files on Linux.
    package static func pathKey(_ path: String) -> String {
        let path = canonicalPath(path)
        #if canImport(Darwin)
            return path
        #else
            if path.utf8.allSatisfy({ $0 < 0x80 }) { return path }
            return path.utf8.reduce(into: "bytes") { $0 += " " + String($1, radix: 16) }
        #endif
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package static var processIdentifier: UInt32 { UInt32(bitPattern: getpid()) }

    /// Runs `body` on a new thread, which ends with it. False, and it does not run, if the system
    /// has no thread left.
    ///
    /// In a process that has just started, this is five times as fast as a `Thread` of Foundation.
    ///
    /// `stackSize` is in bytes; without it, the system's default size is used.
    @discardableResult
    package static func runOnThread(
        stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        // Unsafe: the thread, or else this function, takes the count over, once.
        let passed = Unmanaged.passRetained(ThreadBody(body))
        // Without its initializer, whose module depends on the imports.
        let failure = withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) {
            // Unsafe: room for one, which the first call fills.
            let attributes = $0.baseAddress.unsafelyUnwrapped
            pthread_attr_init(attributes)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            if let stackSize { pthread_attr_setstacksize(attributes, stackSize) }
            defer { pthread_attr_destroy(attributes) }
            #if canImport(Darwin)
                var thread: pthread_t?
                return pthread_create(
                    &thread, attributes, { ThreadBody.run($0) }, passed.toOpaque())
            #else
                var thread = pthread_t()
                return pthread_create(
                    &thread, attributes, { $0.flatMap { ThreadBody.run($0) } }, passed.toOpaque())
            #endif
        }
        if failure != 0 { passed.release() }
        return failure == 0
    }

    /// The body of a thread.
    private final class ThreadBody: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        // Unsafe: `runOnThread(_:)` passes the one count of a body to one thread.
        static func run(_ passed: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
            Unmanaged<ThreadBody>.fromOpaque(passed).takeRetainedValue().body()
            return nil
        }
    }

    /// Repeats a call while signals interrupt it.
    static func retrying<R: SignedInteger>(_ call: () -> R) -> R {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }
}
