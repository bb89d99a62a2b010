// The system calls for sharing a store with other processes: locks that are released with their
// process, and notifications of writes. One of the files that depend on the operating system.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Platform {
    /// Identifies a file: while it is open, no other file is equal to it.
    struct FileIdentity: Hashable, Sendable {
        private let device: UInt64
        private let number: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The identity of an open file; nil if it cannot be determined.
    static func identity(of descriptor: Int32) -> FileIdentity? {
        var status = stat()
        return retrying({ fstat(descriptor, &status) }) == 0 ? FileIdentity(status) : nil
    }

    /// The identity of the file at `path`; nil if it cannot be determined.
    static func identity(at path: String) -> FileIdentity? {
        var status = stat()
        return retrying({ lstat(path, &status) }) == 0 ? FileIdentity(status) : nil
    }

    /// The number of names of an open file; nil if it cannot be determined.
    static func linkCount(of descriptor: Int32) -> Int? {
        var status = stat()
        return retrying({ fstat(descriptor, &status) }) == 0 ? Int(status.st_nlink) : nil
    }

    /// Whether an open file is certainly no longer the one at `path`.
    static func isReplaced(_ file: FileIdentity, at path: String) -> Bool {
        guard let present = identity(at: path) else {
            return errorNumber == noSuchFile || errorNumber == notADirectory
        }
        return present != file
    }

    /// Takes the advisory lock of an open file as a shared lock, without waiting. Otherwise as
    /// ``tryLock(_:)``.
    static func trySharedLock(_ descriptor: Int32) -> Int32 {
        retrying { flock(descriptor, LOCK_SH | LOCK_NB) }
    }

    /// Waits until a watched file was written, or its watch was removed; calls `body` with the
    /// number of each such watch, or with nil if events may have been lost. False if the watcher
    /// was closed.
    static func awaitWatched(_ descriptor: Int32, _ body: (Int32?) -> Void) -> Bool {
        #if canImport(Darwin)
            var event = kevent()
            guard retrying({ kevent(descriptor, nil, 0, &event, 1, nil) }) > 0 else { return false }
            body(Int32(event.ident))
            return true
        #else
            // Unsafe: used within the call that allocates it; each event has its length.
            return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
                let count = retrying { read(descriptor, bytes.baseAddress, bytes.count) }
                guard count > 0 else { return false }
                let events = UnsafeRawBufferPointer(bytes)
                var offset = 0
                while offset + 16 <= count {
                    let number: Int32 = events.integer(at: offset)
                    body(number < 0 ? nil : number)
                    offset += 16 + Int(events.integer(at: offset + 12, as: UInt32.self))
                }
                return true
            }
        #endif
    }

    /// A watcher, which watches belong to; negative if the system has none left.
    static func makeWatcher() -> Int32 {
        #if canImport(Darwin)
            kqueue()
        #else
            inotify_init1(Int32(IN_CLOEXEC))
        #endif
    }

    /// Watches a file for writes and its removal, or a folder for new names. Negative if it does
    /// not exist, or the system has no watch left. Linux returns the same number for the same file
    /// again, and reports the end of a watch once the removed file is no longer open.
    static func addWatch(_ watcher: Int32, _ path: String) -> Int32 {
        #if canImport(Darwin)
            let file = retrying { Darwin.open(path, O_EVTONLY | O_CLOEXEC) }
            if file < 0 { return file }
            var change = kevent(
                ident: UInt(file), filter: Int16(EVFILT_VNODE), flags: UInt16(EV_ADD | EV_CLEAR),
                fflags: UInt32(NOTE_WRITE | NOTE_EXTEND | NOTE_DELETE), data: 0, udata: nil)
            if kevent(watcher, &change, 1, nil, 0, nil) == 0 { return file }
            closeDescriptor(file)
            return -1
        #else
            let names = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
            // For a folder, Linux would also report writes to its files, unlike other systems.
            let folder = inotify_add_watch(watcher, path, names | UInt32(IN_ONLYDIR))
            if folder >= 0 || errorNumber != notADirectory { return folder }
            return inotify_add_watch(watcher, path, UInt32(IN_MODIFY))
        #endif
    }

    static func removeWatch(_ watcher: Int32, _ number: Int32) {
        #if canImport(Darwin)
            // The queue discards a file that is closed.
            closeDescriptor(number)
        #else
            _ = inotify_rm_watch(watcher, number)
        #endif
    }
}
