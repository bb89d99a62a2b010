/// Everything that can go wrong below the object layer. Each description says what went wrong,
/// with which file or value, and what to do about it.
///
/// Indirect, so that it takes one word where it is thrown or stored: it costs nothing without an
/// error.
package indirect enum StorageError: Error, Sendable, Equatable {
    /// A call to the operating system failed with `errno`.
    case io(operation: IOOperation, path: String, errno: Int32)
    /// There was no space for a write; nothing was written, and nothing has to be undone.
    case outOfSpace(path: String)
    /// Acknowledged, durable bytes are damaged.
    case corrupted(segment: String, offset: Int, reason: String)
    /// The path names something that is not a store of this library.
    case notARealm(path: String, reason: String)
    /// The store was written by another version of the format.
    case unsupportedFormat(found: UInt32, supported: UInt32)
    /// Another writer, in this process or in another, has the store open; its number, if that is
    /// known.
    case alreadyOpen(path: String, process: Int32? = nil)
    /// Another process writes, and did not release the writer lease in time.
    case busy(process: Int32?)
    /// Another writer in this process holds the turn to write, and did not release it in time.
    /// `isFollowing`: it applies the commits of other hosts.
    case turnTaken(holder: String, isFollowing: Bool = false)
    /// The store was opened to be read only.
    case readOnly
    /// Another process has changed the schema in a way that this one's models do not allow for.
    case migrated(path: String)
    /// The commit was handed to the disk, which then failed: it may or may not be there.
    case commitOutcomeUnknown(cause: StorageError)
    /// The store stopped writing after a failure; this commit was never handed to the disk.
    case durabilityLost(cause: StorageError)
    /// There is no file at this path.
    case fileNotFound(path: String)
    /// The parent folder of a new store does not exist.
    case folderNotFound(path: String)
    /// The store was closed.
    case closed(path: String)
    /// A key was given for a store that is not encrypted.
    case notEncrypted(path: String)
    /// The store is encrypted and no key was given.
    case keyMissing(path: String)
    /// The store is encrypted with another key.
    case wrongKey(path: String)
    /// A key was given, and this build has no cryptography.
    case encryptionUnavailable
    /// The engine of the shared log cannot be reached. Nothing was written.
    case sharedLogUnavailable(reason: String)
    /// Another host has committed first, so that nothing of this was written.
    case superseded
    /// The shared log is not the one that this host has a copy of.
    case sharedLogDiverged(reason: String)
    /// Entries that this host lacks were removed from the shared log; `first` is the oldest one
    /// left.
    case sharedLogTrimmed(first: UInt64)
    /// The engine of the shared log may lose what it has acknowledged.
    case sharedLogUnsafe(setting: String)
    /// The engine of the shared log has refused a request.
    case sharedLogRefused(reason: String)
    /// Two rows would have the same values in a unique index. Nothing was written.
    case duplicateValues(DuplicateValues)
    /// The caller has requested something that is not possible.
    case invalid(String)
}

/// The call to the operating system that failed.
package enum IOOperation: String, Sendable, Hashable, CaseIterable {
    case open
    case size
    case read
    case write
    case allocate
    case truncate
    case sync
    case createDirectory = "create directory"
    case list
    case rename
    case link
    case remove
    case syncDirectory = "sync directory"
    case lock
}

extension StorageError {
    /// Whether the journal's refusal of a group with this error leaves the store unchanged and
    /// writable, unless another host has migrated the realm.
    package var isRefusal: Bool {
        switch self {
        case .outOfSpace, .superseded, .sharedLogUnavailable, .sharedLogDiverged, .sharedLogTrimmed,
            .sharedLogUnsafe, .sharedLogRefused, .commitOutcomeUnknown, .migrated:
            true
        default: lacksDescriptors
        }
    }

    /// Whether the process, or the system, had no descriptor left: nothing was opened, and a retry
    /// may succeed.
    package var lacksDescriptors: Bool {
        if case .io(_, _, let number) = self { Platform.lacksDescriptors(number) } else { false }
    }

    /// Whether it is a shortage of space or descriptors, before anything was written.
    var isShortage: Bool {
        if case .outOfSpace = self { true } else { lacksDescriptors }
    }

    /// The error of a later write on a shared log after this failure. A migration by another host
    /// has lost nothing, and its error says what to do.
    var ofLaterWrites: StorageError {
        if case .migrated = self { return self }
        return .durabilityLost(cause: self)
    }
}

extension StorageError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .io(let operation, let path, _) where lacksDescriptors:
            return "Could not \(operation.rawValue) '\(path)': the process or the system has"
                + " reached its limit of open files. Nothing was changed. Close unused files and"
                + " connections, or raise the limit, and try again."
        case .io(let operation, let path, let errno):
            return "Could not \(operation.rawValue) '\(path)': \(Platform.message(for: errno))."
                + " Check the disk and the permissions, then reopen the realm."
        case .outOfSpace(let path):
            return "No space left on the disk of '\(path)'. Nothing was written. Free space, or"
                + " delete objects (a transaction that deletes all of them and creates none needs"
                + " no space), and write again."
        case .corrupted(let segment, let offset, let reason):
            return "'\(segment)' is damaged at byte \(offset): \(reason). The data there was"
                + " acknowledged as durable. Restore a backup, or salvage the intact objects."
        case .notARealm(let path, let reason):
            return "'\(path)' is not a realm: \(reason). Choose another path."
        case .unsupportedFormat(let found, let supported):
            return "The store has format \(found), and this library reads format \(supported)."
                + " Open it with the version of the library that wrote it, or a later one."
        case .alreadyOpen(let path, let process):
            return "'\(path)' is open for writing \(Self.holder(process)). Close it there, or"
                + " open it read-only."
        case .busy(let process):
            return "Timed out waiting for the writer lease, which is held \(Self.holder(process))."
                + " Write again later."
        case .turnTaken(let holder, _):
            return "Timed out waiting for write access, which is held by \(holder). Write again"
                + " later."
        case .readOnly:
            return "The store was opened read-only. Open it for writing."
        case .migrated(let path):
            return "Another process or host has migrated '\(path)'. Open the realm again, with"
                + " models that fit its schema."
        case .commitOutcomeUnknown(let cause):
            return "The commit failed: \(cause) Whether it is durable is known after the realm is"
                + " reopened, and on a shared log once the host has read the log to its end."
        case .durabilityLost(let cause):
            return "An earlier write failed: \(cause) This transaction was rolled back. Reopen the"
                + " realm, then write again."
        case .fileNotFound(let path):
            return "There is no file at '\(path)'. Check the path."
        case .folderNotFound(let path):
            return "The folder '\(path)' does not exist. Create it first, or choose another path."
        case .closed(let path):
            return "'\(path)' was closed. Open it again."
        case .notEncrypted(let path):
            return "'\(path)' is not encrypted, and a key was given. Open it without a key."
        case .keyMissing(let path):
            return "'\(path)' is encrypted, and no key was given. Open it with its key."
        case .wrongKey(let path):
            return "'\(path)' is encrypted with another key. Open it with the key that it was"
                + " created with, or that of the last change of keys."
        case .encryptionUnavailable:
            return "This build has no encryption: the package trait 'Encryption' is not enabled."
                + " Depend on the package with .package(..., traits: [\"Encryption\"]), or build"
                + " with --traits Encryption."
        case .sharedLogUnavailable(let reason):
            return "The shared log cannot be reached: \(reason). Nothing was written, and reads are"
                + " not affected. Write again when its engine responds."
        case .superseded:
            return "Another host committed first, and this transaction was rolled back. Read the"
                + " data again, then repeat the write."
        case .sharedLogDiverged(let reason):
            return "The shared log and this host's copy of it have diverged: \(reason). Move the"
                + " realm's folder away and open the realm again, which reads it from the shared"
                + " log."
        case .sharedLogTrimmed(let first):
            return "The shared log was trimmed and begins with entry \(first), and no image of the"
                + " earlier entries could be read. Keep the realm's folder, and open the realm"
                + " again after a host that has read the whole log has written the next image."
        case .sharedLogUnsafe(let setting):
            return "The engine of the shared log may lose acknowledged commits: \(setting). Change"
                + " the setting, or choose .singleServer if a single server is intended."
        case .sharedLogRefused(let reason):
            return "The engine of the shared log refused a request. Check its address, credentials"
                + " and permissions, and the name of the realm: \(reason)"
        case .duplicateValues(let duplicate):
            return "Two rows of class '\(duplicate.className)' would have the same values of"
                + " '\(duplicate.columns.joined(separator: "', '"))'. Nothing was written. Change"
                + " the values of one of them."
        case .invalid(let message):
            return message
        }
    }
}

extension StorageError {
    /// The error for an opened file that is no longer the one at `path`.
    static func replaced(path: String) -> StorageError {
        .invalid(
            "'\(path)' is no longer the realm that was opened: it was deleted or replaced, or its"
                + " file writer.lock was. Close the realm, and open it again.")
    }

    /// The system has no thread left that would wait for the lock at `path`.
    static func noThread(for path: String) -> StorageError {
        .io(operation: .lock, path: path, errno: Platform.wouldBlock)
    }

    /// The location of the writer.
    static func holder(_ process: Int32?) -> String {
        process.map { "by process \($0)" } ?? "elsewhere"
    }
}
