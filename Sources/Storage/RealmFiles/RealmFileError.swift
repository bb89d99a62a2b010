/// Why a `.realm` file cannot be read. Each description says what is wrong, where, and what to do
/// about it.
package enum RealmFileError: Error, Sendable, Equatable {
    /// The file could not be opened or read.
    case file(StorageError)
    /// It is no `.realm` file.
    case notARealmFile(path: String, reason: String)
    /// The contents at `offset` of the decrypted file violate the format.
    case damaged(path: String, offset: Int, reason: String)
    /// It was written before Realm 5, in an unsupported format.
    case formatTooOld(path: String, format: Int)
    /// It was written by a newer version of Realm, in an unknown format.
    case formatTooNew(path: String, format: Int)
    /// It is encrypted, or not a `.realm` file, and no key was given.
    case keyMissing(path: String)
    /// A key was given for a file that is not encrypted.
    case notEncrypted(path: String)
    /// Its first page cannot be read with the key.
    case wrongKey(path: String)
    /// A key has 64 bytes.
    case keySize(Int)
    /// An app has written to it while it was read.
    case changed(path: String)
    /// This build has no cipher for encrypted files.
    case encryptionUnavailable(path: String)
}

extension RealmFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let error):
            return error.description
        case .notARealmFile(let path, let reason):
            return
                "'\(path)' is not a .realm file: \(reason). Choose the file that the app wrote, not"
                + " the files beside it."
        case .damaged(let path, let offset, let reason):
            return "'\(path)' is damaged at byte \(offset): \(reason). Take a fresh copy of the"
                + " file while no app has it open, or read it with salvage: true, which skips and"
                + " reports damaged data."
        case .formatTooOld(let path, let format):
            return "'\(path)' has format \(format), which Realm wrote before version 5. Formats"
                + " \(RealmFileFormat.oldest.rawValue) to \(RealmFileFormat.newest.rawValue) can be"
                + " read: open the file once with an app that uses Realm 5 to 10.48, which"
                + " upgrades it, and read it then."
        case .formatTooNew(let path, let format):
            return "'\(path)' has format \(format), and the newest that can be read is"
                + " \(RealmFileFormat.newest.rawValue). Write a copy of it with Realm 10.49 to"
                + " 10.54, and read that."
        case .keyMissing(let path):
            return "'\(path)' is encrypted, or not a .realm file. Read it with the 64-byte key that"
                + " the app uses with Realm."
        case .notEncrypted(let path):
            return "'\(path)' is not encrypted, but a key was given. Read it without a key."
        case .wrongKey(let path):
            return "The first page of '\(path)' cannot be read with this key: it is encrypted"
                + " with another key, or the file is damaged. Give the 64-byte key that the app"
                + " uses with Realm."
        case .keySize(let count):
            return "An encryption key of Realm has 64 bytes, and \(count) were given."
        case .changed(let path):
            return "An app wrote to '\(path)' while it was read, so that the data may be from"
                + " several transactions. Read the file while no app has it open, or read a copy."
        case .encryptionUnavailable(let path):
            return "'\(path)' is encrypted, and this build has no encryption: the package trait"
                + " 'Encryption' is not enabled. Depend on the package with"
                + " .package(..., traits: [\"Encryption\"]), or build with --traits Encryption."
        }
    }
}

extension RealmFileError {
    /// The offset of the damage.
    var offset: Int? {
        if case .damaged(_, let offset, _) = self { return offset }
        return nil
    }

    /// The description of the damage, without its location.
    var reason: String {
        if case .damaged(_, _, let reason) = self { return reason }
        return description
    }
}
