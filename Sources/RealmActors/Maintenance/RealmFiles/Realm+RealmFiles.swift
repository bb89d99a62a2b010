public import Foundation
import Storage

extension Realm {
    /// Describes a `.realm` file that Realm wrote, without importing it.
    ///
    ///     let info = try await Realm.realmFileInfo(at: old)
    ///     for entry in info.classes { print(entry.name, entry.count) }
    ///
    /// The file may be in use by an app: its newest complete commit is read. Supports formats 10 to
    /// 24, those of Realm Swift 5 to 10.54. Runs on a separate thread; linear in the number of
    /// classes.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file.
    ///   - key: the 64 bytes that the file is encrypted with.
    /// - Throws: ``RealmError/unreadableRealmFile(path:reason:)``.
    public static func realmFileInfo(at url: URL, key: Data? = nil) async throws -> RealmFileInfo {
        try await BlockingWork.run {
            try RealmError.readingRealmFile(url.path) {
                try RealmFileInfo(RealmFile(path: url.path, key: key.map { Array($0) }))
            }
        }
    }

    /// Creates a new realm from a `.realm` file that Realm wrote.
    ///
    /// Open it afterwards like any other realm. If the properties of the models differ from those
    /// of the file, opening migrates it, as it would have migrated the file:
    ///
    ///     let configuration = Realm.Configuration(path: "kennel.realm", objectTypes: [Dog.self])
    ///     try await Realm.importRealmFile(at: old, into: configuration)
    ///     let realm = try await Realm.open(configuration)
    ///
    /// Without models, classes and properties have their stored names, for use with
    /// ``DynamicObject``. The order of objects and lists and the bits of numbers are preserved. The
    /// file is only read, and may be in use by an app that does not write meanwhile; if one does,
    /// nothing is imported.
    ///
    /// Everything is imported or nothing: the realm is written under a temporary name, and renamed
    /// when it is complete and durable. An interrupted import leaves a folder at the path, and no
    /// realm: check ``exists(at:)`` to decide whether to import again, because an opening creates
    /// an empty realm there.
    ///
    /// Runs on a separate thread, in time linear in the size of the file. Needs memory for
    /// `configuration.memoryBudget`, 16 MiB, the largest object and the new indexes: up to 32 bytes
    /// for each of their entries and each link.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file. Only this one is needed, not those beside it.
    ///   - configuration: the configuration of the new realm, which must not exist. Nothing is
    ///     imported if its models do not fit and no migration is due, if opening it would delete
    ///     the import, or if it has a shared log, on which a realm must begin empty.
    ///   - key: the 64 bytes that the file is encrypted with. The new realm is encrypted when the
    ///     configuration has a key.
    ///   - salvage: whether to leave out damaged parts of the file, and to report them. Otherwise
    ///     the first damage ends the import.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread.
    /// - Returns: what was imported, and what differs from the file.
    /// - Throws: ``RealmError``: the file cannot be read, the models do not fit, something is at
    ///   the path already, or the disk failed; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func importRealmFile(
        at url: URL, into configuration: Configuration, key: Data? = nil, salvage: Bool = false,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> RealmFileImport {
        let configuration = configuration.placed
        try configuration.requireConsistency()
        let report = try await CancellableReading.run(progress: progress) { monitor in
            try RealmError.readingRealmFile(url.path) {
                let file = try RealmFile(
                    path: url.path, key: key.map { Array($0) }, salvage: salvage)
                return try RealmFileImporter(file, configuration, salvage, monitor).run()
            }
        }
        progress?(1)
        return report
    }

    /// Creates a new realm from a `.realm` file that Realm wrote, as
    /// ``importRealmFile(at:into:key:salvage:progress:)`` does, without models. The new realm is
    /// encrypted if there is an `encryptionKey`.
    ///
    /// - Returns: what was imported, and what differs from the file.
    /// - Throws: as ``importRealmFile(at:into:key:salvage:progress:)``.
    @discardableResult
    public static func importRealmFile(
        at url: URL, into path: String, key: Data? = nil, encryptionKey: EncryptionKey? = nil,
        salvage: Bool = false, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> RealmFileImport {
        var configuration = Configuration(path: path, objectTypes: [])
        configuration.encryptionKey = encryptionKey
        return try await importRealmFile(
            at: url, into: configuration, key: key, salvage: salvage, progress: progress)
    }
}

extension Realm {
    /// Adds the contents of a `.realm` file that Realm wrote to an open realm, as one commit.
    ///
    /// Classes and properties are matched by their stored names. Each object is added after the
    /// existing ones, with its links to other objects of the file; existing objects are not
    /// changed. A property that the file lacks is nil, or empty.
    ///
    ///     try await Realm.importRealmFile(at: old, into: realm)
    ///
    /// Everything is imported or nothing, and streams see one commit. Other writes wait meanwhile;
    /// reads do not. Runs on a separate thread, in time linear in the size of the file. A realm on
    /// disk needs memory for its budget, 16 MiB, the largest object and the growing indexes: up to
    /// 32 bytes for each new entry and each link.
    ///
    /// In a realm on a shared log, the file is read again when another host has committed first.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file. Only this one is needed, not those beside it. It may be in use
    ///     by an app that does not write meanwhile; when one does, nothing is imported.
    ///   - realm: the realm to which the objects are added.
    ///   - key: the 64 bytes that the file is encrypted with.
    ///   - salvage: whether to leave out damaged parts of the file, and to report them. Otherwise
    ///     the first damage ends the import.
    ///   - author: a tag of the commit, which ``commits(since:)`` delivers with it.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread; starts
    ///     again from 0 when the file is read a second time.
    /// - Returns: what was imported, and what differs from the file.
    /// - Throws: ``RealmError/realmFileMismatch(differences:)`` when something in the file does not
    ///   fit into the realm, ``RealmError/duplicatePrimaryKey(className:key:)`` for an object that
    ///   the realm has already, both before anything is written; ``RealmError`` when the file
    ///   cannot be read, or as ``write(author:silencing:fileID:line:_:)->_``; `CancellationError`
    ///   when the task is cancelled.
    @concurrent
    @discardableResult
    public static func importRealmFile(
        at url: URL, into realm: Realm, key: Data? = nil, salvage: Bool = false,
        author: String? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> RealmFileImport {
        let store = realm.store
        let times = store.times(author, nil)
        let deadline = RepetitionDeadline(after: store.configuration.writeTimeout)
        while true {
            // Opened for each attempt: a salvage records in it the parts that it left out.
            let file = try await BlockingWork.run {
                try RealmError.readingRealmFile(url.path) {
                    try RealmFile(path: url.path, key: key.map { Array($0) }, salvage: salvage)
                }
            }
            do {
                let changes = try await store.add(
                    file, isSalvage: salvage, author: author, times, progress: progress)
                progress?(1)
                return RealmFileImport(file, changes)
            } catch RealmError.superseded {
                // Nothing of it was written.
                try deadline.requireTime()
            }
        }
    }

    /// The plan for importing a `.realm` file and then opening `configuration`: what would happen
    /// to the schema of the file. Nothing is written. Linear in the number of classes.
    ///
    ///     let plan = try await Realm.importPlan(at: old, into: configuration)
    ///     print(plan)             // every difference between the file and the models
    ///
    /// It does not include what depends on values: clashing primary keys, and integers that do not
    /// fit. If the outcome is ``MigrationPlan/Outcome/refuse(_:)``, the import is refused, too.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file.
    ///   - configuration: what the imported realm will be opened with.
    ///   - key: the 64 bytes that the file is encrypted with.
    /// - Throws: ``RealmError/unreadableRealmFile(path:reason:)``; ``RealmError/invalidValue(_:)``
    ///   when there is a file at the configuration's path; ``RealmError/invalidSchema(problems:)``.
    public static func importPlan(
        at url: URL, into configuration: Configuration, key: Data? = nil
    ) async throws -> MigrationPlan {
        let configuration = configuration.placed
        try configuration.requireConsistency()
        return try await BlockingWork.run {
            try RealmError.readingRealmFile(url.path) {
                let file = try RealmFile(path: url.path, key: key.map { Array($0) })
                if let path = configuration.path {
                    try RealmFileImporter.requireNoFile(at: path, configuration.fileSystem)
                }
                return try MigrationForecast(configuration).plan(importing: file)
            }
        }
    }
}

extension RealmStore {
    /// Adds the contents of a `.realm` file, as one transaction.
    fileprivate func add(
        _ file: RealmFile, isSalvage: Bool, author: String?, _ times: WriteTimes?,
        progress: (@Sendable (Double) -> Void)?
    ) async throws -> RealmFileChanges {
        var times = times
        let engine = try await takeTurn("an import", author: author)
        let ended: (changes: RealmFileChanges, commit: Storage.Version?)
        do {
            // Earlier commits must not wait for the end of the import to become durable.
            await open.drain()
            times?.beginBody()
            let time = now
            ended = try await CancellableReading.run(progress: progress) { monitor in
                try RealmError.readingRealmFile(file.path) {
                    try RealmFileTransaction(file, isSalvage: isSalvage, monitor: monitor)
                        .run(in: engine, author: author, time: time)
                }
            }
        } catch {
            releaseTurn()
            // In a store that has failed, the import may not have begun.
            if let times, engine.failure == nil { monitoring?.note(times, nil, GroupMetrics()) }
            throw error
        }
        times?.endBody()
        let metrics = try await writer.makeDurable(ended.commit, in: self, engine, .none)
        if let times { monitoring?.note(times, ended.commit, metrics) }
        return ended.changes
    }
}

extension RealmError {
    /// Runs `body`, which reads a `.realm` file.
    static func readingRealmFile<R>(_ path: String, _ body: () throws -> R) throws -> R {
        do {
            return try translating(body)
        } catch let error as RealmFileError {
            throw RealmError.unreadableRealmFile(path: path, reason: error.description)
        } catch let error as RealmFileMismatch {
            throw RealmError.realmFileMismatch(differences: error.problems)
        } catch let error as RealmFileConflict {
            throw RealmError.duplicatePrimaryKey(
                className: error.className, key: "\(FrozenValue(plain: error.key))")
        }
    }
}
