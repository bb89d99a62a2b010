import Synchronization

/// The file with the wrapped data key of an encrypted store.
extension StoreDirectory {
    package var keyPath: String { path + "/key" }
    private var newKeyPath: String { keyPath + ".new" }

    /// Determines the cipher, unless it is known: a store that is reopened keeps it, also after
    /// another process has changed the user's key. Checks that the key fits the files of the store;
    /// a plain store has no cipher.
    mutating func unlock(
        _ database: Bits128, _ algorithm: EncryptionAlgorithm, _ user: UserKey?
    ) throws(StorageError) {
        if cipher != nil {
            // The key file of a store that is reopened may have been damaged since.
            repairs.needsKeyCopy = (try? damagedKeyCopies().count) == 1
            return
        }
        guard algorithm != .none else {
            if user != nil { throw .notEncrypted(path: path) }
            return
        }
        guard let user else { throw .keyMissing(path: path) }
        guard SecretKey.isAvailable else { throw .encryptionUnavailable }
        let (key, isWhole) = try readKey()
        let opened = try key.open(user, path: path)
        guard opened.database == database else {
            throw .corrupted(
                segment: keyPath, offset: 16, reason: "the key is that of another database")
        }
        cipher = opened
        repairs.needsKeyCopy = !isWhole
    }

    /// The same for a salvage: if neither copy of the key verifies, combines what is left of both.
    mutating func unlockDamaged(
        _ database: Bits128, _ algorithm: EncryptionAlgorithm, _ user: UserKey?
    ) throws(StorageError) {
        do throws(StorageError) {
            try unlock(database, algorithm, user)
        } catch {
            switch error {
            case .corrupted, .io(.read, _, _): break
            default: throw error
            }
            guard let user, let slots = try? readKeySlots() else { throw error }
            cipher = try KeyFile.salvage(slots.bytes, user, database: database)
            if cipher == nil { throw error }
        }
    }

    /// The bytes of the key file. A slot that cannot be read has zeros, and its error under its
    /// offset.
    private func readKeySlots() throws(StorageError) -> (
        bytes: [UInt8], failures: [Int: StorageError]
    ) {
        let file = try fileSystem.open(keyPath, .readOnly)
        let buffer = AlignedBuffer(capacity: KeyFile.fileSize)
        defer { withExtendedLifetime(buffer) {} }
        let (count, failures) = file.readSlots(of: KeyFile.slotSize, into: buffer.bytes)
        return (Array(UnsafeRawBufferPointer(buffer.bytes).slice(0..<count)), failures)
    }

    /// The key, and whether both copies of it verify.
    private func readKey() throws(StorageError) -> (key: KeyFile, isWhole: Bool) {
        let slots: (bytes: [UInt8], failures: [Int: StorageError])
        do {
            slots = try readKeySlots()
        } catch .fileNotFound {
            throw lostKey("is missing")
        }
        guard let key = KeyFile(slots.bytes) else {
            if let failure = slots.failures.values.first { throw failure }
            throw lostKey("does not verify")
        }
        return (key, Self.damagedKeyCopies(in: slots.bytes).isEmpty)
    }

    /// A backup has the same data key, whatever the user's key was then.
    private func lostKey(_ state: String) -> StorageError {
        .corrupted(
            segment: keyPath, offset: 0,
            reason: "the key of the store \(state), and nothing can be decrypted without it. If"
                + " there is a backup of the realm, copy the file key from its folder to this one,"
                + " and use the encryption key that the realm had then")
    }

    /// The bytes of the key's file, with both copies from one that verifies.
    func readKeyFile() throws(StorageError) -> [UInt8] {
        let buffer = AlignedBuffer(capacity: KeyFile.fileSize)
        try readKey().key.encodeFile(into: buffer.bytes)
        return Array(buffer.bytes)
    }

    /// The offsets of the copies in the key file that do not verify or cannot be read.
    func damagedKeyCopies() throws(StorageError) -> [Int] {
        Self.damagedKeyCopies(in: try readKeySlots().bytes)
    }

    private static func damagedKeyCopies(in bytes: [UInt8]) -> [Int] {
        stride(from: 0, to: KeyFile.fileSize, by: KeyFile.slotSize).filter { start in
            KeyFile(bytes, slotAt: start) == nil
        }
    }

    /// Rewrites the key file, of which only one copy verifies: without that, the whole store would
    /// be lost. The caller has the lock. An error is ignored, since a copy verifies before and
    /// after a rename.
    func completeKeyCopies() {
        do throws(StorageError) {
            try write(try readKey().key)
        } catch {}
    }

    /// Durably creates the data key of a new store, wrapped with `user`. The store's folder exists.
    func makeCipher(
        _ user: UserKey, database: Bits128
    ) throws(StorageError) -> StoreCipher {
        let cipher = StoreCipher(dataKey: try .random(), database: database)
        try write(KeyFile(cipher, for: user))
        return cipher
    }

    /// Replaces the key file, atomically and durably.
    func write(_ key: KeyFile) throws(StorageError) {
        do throws(StorageError) {
            let file = try fileSystem.open(newKeyPath, .create)
            let buffer = AlignedBuffer(capacity: KeyFile.fileSize)
            key.encodeFile(into: buffer.bytes)
            try file.write(UnsafeRawBufferPointer(buffer.bytes), at: 0)
            try file.sync()
            try fileSystem.rename(newKeyPath, to: keyPath)
        } catch {
            let cause = error.claimingSpace
            // Frees its space on a full disk.
            if case .outOfSpace = cause { try? fileSystem.remove(newKeyPath) }
            throw cause
        }
        // The new key is in force: from here on, a failure must not be reported as a refusal.
        try syncChangedNames()
    }
}

extension Log {
    /// Wraps the data key with another user key. No data is rewritten; after a crash at any moment,
    /// either the old key or the new one opens the store.
    package func rekey(to user: UserKey) throws(StorageError) {
        guard let cipher = store.cipher else { throw .notEncrypted(path: store.path) }
        try requirePlace()
        try state.withLock { state throws(StorageError) in
            try store.requireWritable(state, options)
            do throws(StorageError) {
                // A user for whom the new key works may discard the old one, so the rename must
                // become durable.
                try store.noteUnsyncedNames()
                try store.write(KeyFile(cipher, for: user))
            } catch {
                if error.isShortage { store.noteSyncedNames() } else { state.fail(error) }
                throw error
            }
            store.noteSyncedNames()
        }
    }
}
