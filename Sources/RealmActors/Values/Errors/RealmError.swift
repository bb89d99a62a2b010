import Storage

// Indirect, so that it takes one word wherever it may be thrown or kept.

/// The errors of RealmActors, as one typed, Sendable enum.
///
/// Each case carries what a program needs to react to it; ``description`` says, for people, what
/// was wrong, with which value, and what to do about it. Later versions may add cases: end a
/// `switch` over it with `default`.
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
    /// A value that its property, or its position, does not take.
    case invalidValue(String)
    /// A row of this class has this primary key already.
    case duplicatePrimaryKey(className: String, key: String)
    /// The operation needs a primary key and the class has none.
    case noPrimaryKey(className: String)
    /// The object was deleted, or its realm was invalidated.
    case invalidated(className: String, key: String)
    /// An object that the operation cannot take: of another realm, unmanaged, embedded.
    case invalidObject(String)
    /// A key path or property name that is not persisted.
    case invalidKeyPath(String)
    /// A query that cannot be understood, with the position of the mistake where there is one.
    case invalidQuery(message: String, position: Int?)
    /// A write needs a transaction and none is open.
    case notInWriteTransaction
    /// The live realm is in a write already.
    case alreadyWriting
    /// A write waited for its turn for longer than `writeTimeout`; `holder` describes who holds the
    /// turn, with the author and for how long others have waited, as far as that is known.
    case writerBusy(holder: String)
    /// More versions are held than the configuration allows; `holders` are the oldest.
    case tooManyActiveVersions(active: Int, limit: UInt, holders: [String])
    /// The log no longer has the commits that were requested; it has those after `oldest`, if that
    /// is known.
    case historyTrimmed(oldest: Realm.Version?)
    /// A version of the past cannot be read any more, or not yet; those from `oldest` on can, if
    /// that is known.
    case versionUnavailable(reason: String, oldest: Realm.Version?)
    /// The consumer of a change stream of every version fell behind by more versions than the
    /// stream keeps; the versions that it kept were delivered.
    case streamOverflow(bufferLimit: Int)
    /// A conditional write found that something had changed, and did not run.
    case writeConflict(WriteConflict)
    /// A change token that is not one of this store.
    case invalidChangeToken(String)
    /// The realm is read-only.
    case readOnly
    /// The realm was closed.
    case closed
    /// The path is open already, in a way that conflicts with this opening; `difference` says how:
    /// another process writes to it, or the configurations differ.
    case alreadyOpen(path: String, difference: String)
    /// There is no realm at the path.
    case fileNotFound(path: String)
    /// The folder in which the realm was to be made does not exist.
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
    /// A `.realm` file holds what the realm has no place for; every difference is listed.
    case realmFileMismatch(differences: [String])
    /// Acknowledged data is damaged at `offset` of `segment`.
    case corrupted(segment: String, offset: Int, reason: String)
    /// A system call failed.
    case io(operation: String, path: String, code: Int32)
    /// The disk is full; nothing was written.
    case outOfSpace
    /// The disk is full, and a realm that is there was not opened: `reason` says what has to be
    /// written for that, and what to do. Nothing was changed.
    case noSpaceToOpen(path: String, reason: String)
    /// The write failed after it was handed to the operating system: only the next opening shows
    /// whether it is durable. On a shared log it shows once the host has read the log on, which it
    /// does before its next write.
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
    /// The shared log begins with the entry `first`, and no image of what came before, which this
    /// host lacks, could be read.
    case sharedLogTrimmed(first: UInt64)
    /// The engine of the shared log may lose what it has acknowledged, because of a setting.
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
            "The models are not a valid schema:" + Self.list(problems)
        case .schemaMismatch(let differences):
            "The store has another schema than the models, and a migration is required:"
                + Self.list(differences)
                + (differences == [Self.migratedElsewhere]
                    ? "\nThis program goes on reading the version that it has. To write, and to "
                        + "see what came later, close the realm and open it with the models of the "
                        + "program that migrated it."
                    : "\nRaise schemaVersion, with a migration where values are to be kept, or set "
                        + "deleteIfMigrationNeeded to begin anew. Realm.migrationPlan(for:) says "
                        + "what would happen.")
        case .schemaDowngrade(let stored, let configured):
            "The schemaVersion \(configured) is less than \(stored), which the store has. "
                + "Open it with the newer program that made it so."
        case .duplicatePrimaryKeys(let name, let property, let values):
            "Several objects of class '\(name)' would have the same primary key '\(property)':"
                + Self.list(values) + "\nGive each its own, or delete some, in the migration."
        case .invalidValue(let text), .invalidObject(let text), .invalidKeyPath(let text),
            .invalidChangeToken(let text):
            text
        case .duplicatePrimaryKey(let name, let key):
            "An object of class '\(name)' with primary key \(key) exists already. "
                + "Use update: .modified or .all to change it, or delete it first."
        case .duplicateValues(let name, let properties, let values, let existing, let rejected):
            "Class '\(name)' has a unique index of \(properties.joined(separator: ", ")), and "
                + "\(existing) has \(values.joined(separator: ", ")) already, which \(rejected) "
                + "would have too. Nothing was kept: give one of them other values, or delete it."
        case .noPrimaryKey(let name):
            "Class '\(name)' has no primary key. Declare one with @Persisted(primaryKey: true)."
        case .invalidated(let name, let key):
            "The object of class '\(name)' (\(key)) was deleted or its realm was invalidated. "
                + "Fetch it again."
        case .invalidQuery(let message, let position):
            // A caret shows the place already.
            position.map { message.hasSuffix("^") ? message : "\(message) (at position \($0))" }
                ?? message
        case .notInWriteTransaction:
            "Managed objects change inside a write only. Call write { } around the change."
        case .alreadyWriting:
            "This live realm is in a write already. Commit or cancel it before the next one."
        case .writerBusy(let holder):
            "The write waited too long for its turn, which is held by \(holder). Keep writes "
                + "short, or let them wait longer (writeTimeout in the configuration)."
        case .tooManyActiveVersions(let active, let limit, let holders):
            "\(active) versions are active and the limit is \(limit). Release the oldest:"
                + Self.list(holders)
        case .historyTrimmed(let oldest):
            "The history no longer has the commits that were to be read next"
                + (oldest.map { "; it begins behind version \($0)" } ?? "")
                + ". Start over: take a "
                + "snapshot, read everything from it, and go on with its changeToken. "
                + "Configuration.history says how long commits are kept."
        case .versionUnavailable(let reason, let oldest):
            "The version cannot be read: \(reason)."
                + (oldest.map { " Versions from \($0) on can." } ?? "")
                + " Configuration.history of .keep has what commits replace logged, from the first "
                + "commit that is made with it on, and says for how long it is kept."
        case .streamOverflow(let bufferLimit):
            "The consumer of a change stream fell behind by more than its bufferLimit of "
                + "\(bufferLimit) versions. Begin anew with changes(), with a larger bufferLimit, "
                + "a consumer that does less, or .latest, which merges what the consumer misses."
        case .writeConflict(let conflict): conflict.description
        case .readOnly: "The realm was opened read-only. Open it without readOnly to write."
        case .closed: "The realm was closed. Open it again."
        case .alreadyOpen(let path, let difference):
            "The realm at \(path) is open already: \(difference). "
                + "Close it there, or open it here with the same configuration."
        default: storageDescription
        }
    }

    private var storageDescription: String {
        switch self {
        case .fileNotFound(let path):
            "There is no realm at \(path). Check the path, or open it without readOnly to make one."
        case .folderNotFound(let path):
            "There is no folder \(path) for a realm to be made in. Make it first, or choose "
                + "another path."
        case .notARealm(let path, let reason):
            "\(path) is not a realm: \(reason). It was left untouched; check the path."
        case .keyMissing(let path):
            "The realm at \(path) is encrypted. Open it with Configuration.encryptionKey."
        case .notEncrypted(let path):
            "\(path) is not encrypted. Open it without a key; writeCopy(to:encryptionKey:) makes "
                + "an encrypted copy."
        case .wrongKey(let path):
            "The realm at \(path) is encrypted with another key. Open it with the key that it was "
                + "made with, or that of the last rekey(to:)."
        case .invalidEncryptionKey(let count):
            "An encryption key has exactly \(EncryptionKey.byteCount) bytes, and \(count) were "
                + "given. EncryptionKey.random() makes one."
        case .encryptionUnavailable:
            "This build cannot open encrypted realms: on this system the package trait Encryption "
                + "has to be enabled. Depend on the package with .package(..., traits: "
                + "[\"Encryption\"]), or build it with --traits Encryption."
        case .unsupportedFormat(let found, let supported):
            "The store has format \(found) and this version reads up to \(supported). "
                + "It was left untouched; open it with a newer version of RealmActors."
        case .unreadableRealmFile(_, let reason): reason
        case .realmFileMismatch(let differences):
            "The realm has no place for all that is in the .realm file, and nothing was imported:"
                + Self.list(differences)
                + "\nImport the file into a new realm, which its models then migrate, or open this "
                + "one with models that have what is in the file."
        case .corrupted(let segment, let offset, let reason):
            "Stored data is damaged in segment \(segment) at offset \(offset): \(reason). "
                + "The store was left untouched; restore a backup, or read what is left of it "
                + "with Realm.salvage(from:to:)."
        case .io(let operation, let path, let code) where Platform.lacksDescriptors(code):
            "Could not \(operation) \(path): \(Platform.message(for: code)) (error \(code)). "
                + "Close files and connections that nobody needs, or raise the limit of open files "
                + "(ulimit -n; LimitNOFILE of a service), and try again."
        case .io(let operation, let path, let code):
            "Could not \(operation) \(path): \(Platform.message(for: code)) (error \(code)). "
                + "Check the disk and the permissions, then open the realm again or call "
                + "reopen()."
        case .outOfSpace:
            "The disk is full. Nothing was written; free space and write again. Deleting objects "
                + "and compact() make the realm smaller, also on a full disk; where history is "
                + "kept, compact() then gives up the oldest of it."
        case .noSpaceToOpen(let path, let reason):
            "The disk is full, and the realm at \(path) was not opened: \(reason) Nothing was "
                + "changed."
        case .commitOutcomeUnknown(let cause):
            "Writing failed (\(cause)), and whether the transaction is durable is not known. "
                + "Look whether it is there: after reopen(), or in a realm on a shared log in what "
                + "refreshed(.toNewest) returns, which finds out."
        case .durabilityLost(let cause):
            "An earlier write failed (\(cause)); this one was not made. Call reopen() to go on."
        case .sharedLogUnavailable(let reason):
            "The shared log cannot be reached: \(reason). Nothing was written; reading goes on. "
                + "Write again when its engine answers, or let writes wait longer (writeTimeout)."
        case .superseded:
            "Another host has committed first, and nothing of this transaction was written. Read "
                + "again what it was based on, and write it once more."
        case .sharedLogDiverged(let reason):
            "The shared log and this host's copy of it have parted: \(reason). Move the realm's "
                + "folder away and open it again, which begins with what the log has."
        case .sharedLogTrimmed(let first):
            "The shared log was trimmed and begins with entry \(first), and no image of what came "
                + "before could be read. Nothing is damaged: leave the realm's folder where it is, "
                + "and open it again once a host that has read all of the log has made the next "
                + "image."
        case .sharedLogUnsafe(let setting):
            "The shared log's engine may lose what it has acknowledged: \(setting). Change the "
                + "setting, or choose .singleServer where one server is meant to do."
        case .sharedLogRefused(let reason):
            "The shared log's engine refused: \(reason)"
        case .sharedLogNotEnabled(let trait):
            "This build has no client for the shared log: the package's trait \"\(trait)\" is not "
                + "enabled. Depend on it with .package(..., traits: [\"\(trait)\"]), or build with "
                + "--traits \(trait)."
        default: "Unknown error."
        }
    }

    /// The difference of a store that was migrated while it was open: nothing of it is to be
    /// deleted, and no version to be raised.
    static let migratedElsewhere = "Another process has changed the schema of the open store."

    private static func list(_ lines: [String]) -> String {
        lines.map { "\n- \($0)" }.joined()
    }
}
