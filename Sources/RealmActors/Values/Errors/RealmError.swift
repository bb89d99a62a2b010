import Storage

// Indirect, so that it takes one word wherever it is thrown or stored.

/// The errors of RealmActors, as one typed, Sendable enum.
///
/// Each case carries what a program needs to react to it; ``description`` states what was wrong,
/// with which value, and what to do about it. Later versions may add cases: end a `switch` over it
/// with `default`.
public indirect enum RealmError: Error, Sendable, Hashable {
    /// The models do not form a valid schema; every problem is listed.
    case invalidSchema(problems: [String])
    /// The stored schema differs from the models; every difference is listed.
    case schemaMismatch(differences: [String])
    /// The store has been migrated to a later version of the schema than the configuration has.
    case schemaDowngrade(stored: UInt64, configured: UInt64)
    /// A migration would leave several objects with the same primary key; `values` are some of
    /// these keys.
    case duplicatePrimaryKeys(className: String, property: String, values: [String])
    /// A transaction would leave two objects with the same values in a unique ``Index``:
    /// `existing`, which had them before, and `rejected`, which the transaction gave them. It was
    /// rolled back.
    case duplicateValues(
        className: String, properties: [String], values: [String], existing: String,
        rejected: String)
    /// A value that its property or parameter does not accept.
    case invalidValue(String)
    /// An object of this class has this primary key already.
    case duplicatePrimaryKey(className: String, key: String)
    /// The operation needs a primary key and the class has none.
    case noPrimaryKey(className: String)
    /// The object was deleted, or its realm was invalidated.
    case invalidated(className: String, key: String)
    /// An object that the operation does not accept: of another realm, unmanaged, or embedded.
    case invalidObject(String)
    /// A key path or property name that is not persisted.
    case invalidKeyPath(String)
    /// A query that cannot be parsed or evaluated, with the position of the mistake if there is
    /// one.
    case invalidQuery(message: String, position: Int?)
    /// A write needs a transaction and none is open.
    case notInWriteTransaction
    /// The live realm is in a write already.
    case alreadyWriting
    /// A write waited for its turn for longer than `writeTimeout`; `holder` describes the holder of
    /// the turn, with the author and how long others have waited, if known.
    case writerBusy(holder: String)
    /// More versions are held than the configuration allows; `holders` are the oldest.
    case tooManyActiveVersions(active: Int, limit: UInt, holders: [String])
    /// The log no longer has the requested commits; it has those after `oldest`, if that is known.
    case historyTrimmed(oldest: Realm.Version?)
    /// An earlier version cannot be read any more, or a later one not yet; versions from `oldest`
    /// on can be read, if that is known.
    case versionUnavailable(reason: String, oldest: Realm.Version?)
    /// The consumer of a change stream that delivers every version fell behind by more than
    /// `bufferLimit` versions; the buffered ones were delivered.
    case streamOverflow(bufferLimit: Int)
    /// A conditional write found that something had changed, and did not run.
    case writeConflict(WriteConflict)
    /// A change token of another store, or of a commit that this store does not have.
    case invalidChangeToken(String)
    /// The realm is read-only.
    case readOnly
    /// The realm was closed, or the transaction has ended.
    case closed
    /// The path is open already, in a way that conflicts with this opening; `difference` says how:
    /// another process writes to it, or the configurations differ.
    case alreadyOpen(path: String, difference: String)
    /// There is no realm at the path.
    case fileNotFound(path: String)
    /// The folder in which the realm was to be created does not exist.
    case folderNotFound(path: String)
    /// What is at the path is not a realm.
    case notARealm(path: String, reason: String)
    /// The realm is encrypted, and no key was given.
    case keyMissing(path: String)
    /// A key was given, and the realm is not encrypted.
    case notEncrypted(path: String)
    /// The realm is encrypted with another key.
    case wrongKey(path: String)
    /// A key has 64 bytes, and this many were given.
    case invalidEncryptionKey(byteCount: Int)
    /// A key was given, and this build has no cryptography: the package trait `Encryption` is not
    /// enabled.
    case encryptionUnavailable
    /// The store was written by a newer version of the format.
    case unsupportedFormat(found: UInt32, supported: UInt32)
    /// A `.realm` file that Realm wrote cannot be read.
    case unreadableRealmFile(path: String, reason: String)
    /// A `.realm` file has classes, properties or values that do not fit into the realm; every
    /// difference is listed.
    case realmFileMismatch(differences: [String])
    /// Acknowledged data is damaged at `offset` of `segment`.
    case corrupted(segment: String, offset: Int, reason: String)
    /// A system call failed.
    case io(operation: String, path: String, code: Int32)
    /// The disk is full; nothing was written.
    case outOfSpace
    /// The disk is full, and an existing realm was not opened: `reason` says what opening must
    /// write, and what to do. Nothing was changed.
    case noSpaceToOpen(path: String, reason: String)
    /// The write failed after it was handed to the operating system: whether it is durable is known
    /// only after the next opening; on a shared log, after the host has read the log again, before
    /// its next write.
    case commitOutcomeUnknown(cause: String)
    /// An earlier write failed, so that this one cannot be made durable. It was rolled back.
    case durabilityLost(cause: String)
    /// The shared log cannot be reached, or did not answer within `writeTimeout`. Nothing was
    /// written.
    case sharedLogUnavailable(reason: String)
    /// Another host has committed first, and this transaction cannot be run again: that of a live
    /// realm, or one that has waited for `writeTimeout`. Nothing was written.
    case superseded
    /// The shared log is not the one that this host has a copy of: entries that were acknowledged
    /// are gone, or others are in their place.
    case sharedLogDiverged(reason: String)
    /// The shared log begins with the entry `first`. This host lacks earlier entries, and no image
    /// with them could be read.
    case sharedLogTrimmed(first: UInt64)
    /// The engine of the shared log may lose acknowledged entries, because of a setting.
    case sharedLogUnsafe(setting: String)
    /// The engine of the shared log refused a request.
    case sharedLogRefused(reason: String)
    /// A shared log was given, and this build has no client for it: the package trait is not
    /// enabled.
    case sharedLogNotEnabled(trait: String)
}

extension RealmError: CustomStringConvertible {
    /// What was wrong, with which value, and what to do.
    public var description: String {
        switch self {
        case .invalidSchema(let problems):
            "The models do not form a valid schema:" + Self.list(problems)
        case .schemaMismatch(let differences):
            "The stored schema differs from the models:"
                + Self.list(differences)
                + (differences == [Self.migratedElsewhere]
                    ? "\nReads still return the version from before the migration. To write, and "
                        + "to read later versions, close the realm and open it with the models of "
                        + "the program that migrated it."
                    : "\nRaise schemaVersion, with a migration where values are to be kept, or set "
                        + "deleteIfMigrationNeeded to delete the stored objects. "
                        + "Realm.migrationPlan(for:) returns what a migration would change.")
        case .schemaDowngrade(let stored, let configured):
            "The schemaVersion \(configured) is less than \(stored), that of the store. "
                + "Open the store with the newer program that migrated it. If the models of this "
                + "program are those of the store, set schemaVersion to \(stored)."
        case .duplicatePrimaryKeys(let name, let property, let values):
            "Several objects of class '\(name)' would have the same primary key '\(property)':"
                + Self.list(values)
                + "\nIn the migration, set a different primary key for each, or delete duplicates."
        case .invalidValue(let text), .invalidObject(let text), .invalidKeyPath(let text),
            .invalidChangeToken(let text):
            text
        case .duplicatePrimaryKey(let name, let key):
            "An object of class '\(name)' with primary key \(key) exists already. "
                + "Use update: .modified or .all to change it, or delete it first."
        case .duplicateValues(let name, let properties, let values, let existing, let rejected):
            "Duplicate values \(values.joined(separator: ", ")) in the unique index of "
                + "'\(properties.joined(separator: "', '"))' of class '\(name)': \(existing) has "
                + "them, and \(rejected) would have them. The transaction was rolled back. Change "
                + "the values of one of the two, or delete it."
        case .noPrimaryKey(let name):
            "Class '\(name)' has no primary key. Declare one with @Persisted(primaryKey: true)."
        case .invalidated(let name, let key):
            "The object of class '\(name)' (\(key)) was deleted, or its realm was invalidated. "
                + "Fetch it again."
        case .invalidQuery(let message, let position):
            // A caret in the message shows the position already.
            position.map { message.hasSuffix("^") ? message : "\(message) (at position \($0))" }
                ?? message
        case .notInWriteTransaction:
            "A managed object was changed outside a write. Call write { } around the change."
        case .alreadyWriting:
            "This live realm has an open write already. Commit or cancel it before the next one."
        case .writerBusy(let holder):
            "Timed out waiting for write access, which is held by \(holder). Keep writes short, "
                + "or raise writeTimeout in the configuration."
        case .tooManyActiveVersions(let active, let limit, let holders):
            "\(active) versions are active, and maximumNumberOfActiveVersions is \(limit). "
                + "Release the oldest:"
                + Self.list(holders)
        case .historyTrimmed(let oldest):
            "The log no longer has the requested commits"
                + (oldest.map { "; it has those after version \($0)" } ?? "")
                + ". Start over: take a snapshot, read everything from it, and continue with its "
                + "changeToken. Configuration.history sets how long commits are kept."
        case .versionUnavailable(let reason, let oldest):
            "The version cannot be read: \(reason)."
                + (oldest.map { " The oldest version that can be read is \($0)." } ?? "")
                + " With a Configuration.history of .keep, later commits log the values that they "
                + "replace, and past versions can be read for as long as it keeps them."
        case .streamOverflow(let bufferLimit):
            "The consumer of a change stream fell behind by more than its bufferLimit of "
                + "\(bufferLimit) versions. Start a new stream with changes(), with a larger "
                + "bufferLimit, a faster consumer, or .latest, which merges missed versions."
        case .writeConflict(let conflict): conflict.description
        case .readOnly: "The realm was opened read-only. Open it without readOnly to write."
        case .closed:
            "The realm was closed, or the transaction has ended. Open the realm again, or begin "
                + "another write."
        case .alreadyOpen(let path, let difference):
            "The realm at '\(path)' is open already: \(difference). "
                + "Close it there, or open it here with the same configuration."
        default: storageDescription
        }
    }

    private var storageDescription: String {
        switch self {
        case .fileNotFound(let path):
            "There is no realm at '\(path)'. Check the path, or open it without readOnly and "
                + "usesStoredSchema to create one."
        case .folderNotFound(let path):
            "The folder '\(path)' does not exist. Create it first, or choose another path."
        case .notARealm(let path, let reason):
            "'\(path)' is not a realm: \(reason). It was not changed. Check the path."
        case .keyMissing(let path):
            "The realm at '\(path)' is encrypted, and no key was given. Set "
                + "Configuration.encryptionKey."
        case .notEncrypted(let path):
            "The realm at '\(path)' is not encrypted, and a key was given. Open it without a "
                + "key, or make an encrypted copy with writeCopy(to:encryptionKey:)."
        case .wrongKey(let path):
            "The realm at '\(path)' is encrypted with another key. Open it with the key that it "
                + "was created with, or that of the last rekey(to:)."
        case .invalidEncryptionKey(let count):
            "An encryption key has exactly \(EncryptionKey.byteCount) bytes, and \(count) were "
                + "given. Create one with EncryptionKey.random()."
        case .encryptionUnavailable:
            "This build has no encryption: the package trait 'Encryption' is not enabled. Depend "
                + "on the package with .package(..., traits: [\"Encryption\"]), or build with "
                + "--traits Encryption."
        case .unsupportedFormat(let found, let supported):
            "The store has format \(found), and this version of RealmActors reads formats up to "
                + "\(supported). It was not changed. Open it with a newer version."
        case .unreadableRealmFile(_, let reason): reason
        case .realmFileMismatch(let differences):
            "The schema of the .realm file does not fit the open realm, and nothing was imported:"
                + Self.list(differences)
                + "\nImport the file into a new realm and migrate that, or open this one with "
                + "models that have the classes and properties of the file."
        case .corrupted(let segment, let offset, let reason):
            "Stored data is damaged in '\(segment)' at offset \(offset): \(reason). "
                + "The store was not changed: restore a backup, or recover the intact objects "
                + "with Realm.salvage(from:to:)."
        case .io(let operation, let path, let code) where Platform.lacksDescriptors(code):
            "Could not \(operation) '\(path)': \(Platform.message(for: code)) (error \(code)). "
                + "Close unused files and connections, or raise the limit of open files "
                + "(ulimit -n; LimitNOFILE of a service), and try again."
        case .io(let operation, let path, let code):
            "Could not \(operation) '\(path)': \(Platform.message(for: code)) (error \(code)). "
                + "Check the disk and the permissions, then open the realm again or call "
                + "reopen()."
        case .outOfSpace:
            "The disk is full, and nothing was written. Free space, then write again. Deletions "
                + "and compact() work on a full disk and make the realm smaller; with a history of "
                + ".keep, compact() then removes the oldest history."
        case .noSpaceToOpen(let path, let reason):
            "The disk is full, and the realm at '\(path)' was not opened: \(reason) Nothing was "
                + "changed."
        case .commitOutcomeUnknown(let cause):
            "The commit failed (\(cause)), and whether it is durable is not known. Check whether "
                + "its changes are stored: after reopen(), or for a realm on a shared log in the "
                + "snapshot that refreshed(.toNewest) returns."
        case .durabilityLost(let cause):
            "A write to the store failed (\(cause)), and this transaction was rolled back. Call "
                + "reopen(), then write again."
        case .sharedLogUnavailable(let reason):
            "The shared log cannot be reached: \(reason). Nothing was written, and reads are not "
                + "affected. Write again when its engine responds, or raise writeTimeout in the "
                + "configuration."
        case .superseded:
            "Another host committed first, and this transaction was rolled back. Read the data "
                + "again, then repeat the write."
        case .sharedLogDiverged(let reason):
            "The shared log and this host's copy of it have diverged: \(reason). Move the realm's "
                + "folder away and open the realm again, which reads it from the shared log."
        case .sharedLogTrimmed(let first):
            "The shared log was trimmed and begins with entry \(first), and no image of the "
                + "earlier entries could be read. No data is damaged: keep the realm's folder, "
                + "and open the realm again after a host that has read the whole log has written "
                + "the next image."
        case .sharedLogUnsafe(let setting):
            "The engine of the shared log may lose acknowledged commits: \(setting). Change the "
                + "setting, or choose .singleServer if a single server is intended."
        case .sharedLogRefused(let reason):
            "The engine of the shared log refused a request. Check its address, credentials and "
                + "permissions, and the name of the realm: \(reason)"
        case .sharedLogNotEnabled(let trait):
            "This build has no client for the shared log: the package trait '\(trait)' is not "
                + "enabled. Depend on the package with .package(..., traits: [\"\(trait)\"]), or "
                + "build with --traits \(trait)."
        default: "Unknown error."
        }
    }

    /// The difference of a store that was migrated while it was open, for which the usual advice,
    /// to delete it or to raise the version, would be wrong.
    static let migratedElsewhere = "Another process or host has migrated the open store."

    private static func list(_ lines: [String]) -> String {
        lines.map { "\n- \($0)" }.joined()
    }
}
