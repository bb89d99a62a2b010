public import Foundation
import Storage

extension Realm {
    /// What is in a `.realm` file that Realm wrote, without importing it.
    ///
    ///     let info = try await Realm.realmFileInfo(at: old)
    ///     for entry in info.classes { print(entry.name, entry.count) }
    ///
    /// The file may be in use by an app: it is read as of its newest complete commit. Formats 10 to
    /// 24 are read, those of Realm Swift 5 to 10.54. Runs on a thread of its own; O(classes).
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

    /// Makes a new realm of a `.realm` file that Realm wrote.
    ///
    /// Open it afterwards as any other realm. Models whose properties are those of the file open it
    /// as it is; others migrate it, as they would have migrated the file:
    ///
    ///     let configuration = Realm.Configuration(path: "kennel.realm", objectTypes: [Dog.self])
    ///     try await Realm.importRealmFile(at: old, into: configuration)
    ///     let realm = try await Realm.open(configuration)
    ///
    /// Without models, classes and properties have the names that are stored, and are there for
    /// ``DynamicObject``. Objects keep their order, lists theirs, numbers their bits. The file is
    /// only read, and may be in use by an app that does not write meanwhile; when one does, nothing
    /// is imported.
    ///
    /// Everything is imported or nothing: the realm is made under another name, and gets its own
    /// when it is whole and durable. An import that was cut off leaves a folder at the path, and no
    /// realm: ask ``exists(at:)`` whether to import again, because an opening creates an empty
    /// realm there.
    ///
    /// Runs on a thread of its own. O(size of the file) time, and no more memory than
    /// `configuration.memoryBudget`, 16 MiB, the largest object and the indexes that are made: up
    /// to 32 bytes for each of their entries, of which a link is one.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file. Only this one is needed, not those beside it.
    ///   - configuration: where the realm is made, and by what it will be opened. Nothing may be
    ///     there. When its models do not fit and no migration is due, or opening it would delete
    ///     what is there, nothing is imported; nor with a shared log, with which a realm begins.
    ///   - key: the 64 bytes that the file is encrypted with. The new realm is encrypted when the
    ///     configuration has a key.
    ///   - salvage: whether to leave out what is damaged in the file, and to report it. Else the
    ///     first damage ends the import.
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

    /// Makes a new realm of a `.realm` file that Realm wrote, as
    /// ``importRealmFile(at:into:key:salvage:progress:)`` does, without models. The new realm is
    /// encrypted when there is an `encryptionKey`.
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
    /// Adds what is in a `.realm` file that Realm wrote to a realm that is open, as one commit.
    ///
    /// Classes and properties go by the names that are stored. Each object becomes a new one after
    /// those that are there, with its links to others of the file; what the realm has stays as it
    /// is. A property that the file does not have is nil, or empty.
    ///
    ///     try await Realm.importRealmFile(at: old, into: realm)
    ///
    /// Everything is imported or nothing, and streams see one commit. Other writes wait meanwhile;
    /// reads do not. Runs on a thread of its own. O(size of the file) time, and where the realm has
    /// files no more memory than its budget, 16 MiB, the largest object and the indexes that grow:
    /// up to 32 bytes for each new entry, of which a link is one.
    ///
    /// In a realm on a shared log, the file is read again when another host has committed first.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file. Only this one is needed, not those beside it. It may be in use
    ///     by an app that does not write meanwhile; when one does, nothing is imported.
    ///   - realm: what the objects are added to.
    ///   - key: the 64 bytes that the file is encrypted with.
    ///   - salvage: whether to leave out what is damaged in the file, and to report it. Else the
    ///     first damage ends the import.
    ///   - author: a tag of the commit, which ``commits(since:)`` delivers with it.
    ///   - progress: called with the fraction that is done, from 0 to 1, on that thread; starts
    ///     again from 0 when the file is read a second time.
    /// - Returns: what was imported, and what differs from the file.
    /// - Throws: ``RealmError/realmFileMismatch(differences:)`` when the realm has no place for
    ///   something, ``RealmError/duplicatePrimaryKey(className:key:)`` for an object that it has
    ///   already, both before anything is written; ``RealmError`` when the file cannot be read, or
    ///   as ``write(author:silencing:fileID:line:_:)->_``; `CancellationError` when the task is
    ///   cancelled.
    @concurrent
    @discardableResult
    public static func importRealmFile(
        at url: URL, into realm: Realm, key: Data? = nil, salvage: Bool = false,
        author: String? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> RealmFileImport {
        let store = realm.store
        let times = store.times(author, nil)
        let deadline = store.configuration.writeTimeout.map { ContinuousClock.now + $0 }
        while true {
            // Once for each reading: a salvage tells the file what it has left out.
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
                if let deadline, ContinuousClock.now > deadline { throw RealmError.superseded }
            }
        }
    }

    /// What importing a `.realm` file, and then opening `configuration`, would do to the schema
    /// that the file has. Nothing is written; O(classes).
    ///
    ///     let plan = try await Realm.importPlan(at: old, into: configuration)
    ///     print(plan)             // every difference between the file and the models
    ///
    /// What depends on values is not in it: primary keys that would clash, and numbers that do not
    /// fit. The import is refused when the plan is.
    ///
    /// - Parameters:
    ///   - url: the `.realm` file.
    ///   - configuration: what the imported realm will be opened with.
    ///   - key: the 64 bytes that the file is encrypted with.
    /// - Throws: ``RealmError/unreadableRealmFile(path:reason:)``;
    ///   ``RealmError/invalidValue(_:)`` when there is a file at the configuration's path; and when
    ///   the models are no valid schema.
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
    /// Adds what a `.realm` file holds, as one transaction.
    fileprivate func add(
        _ file: RealmFile, isSalvage: Bool, author: String?, _ times: WriteTimes?,
        progress: (@Sendable (Double) -> Void)?
    ) async throws -> RealmFileChanges {
        var times = times
        let engine = try await takeTurn("an import", author: author)
        let ended: (changes: RealmFileChanges, commit: Storage.Version?)
        do {
            // What others wrote does not wait for the end of the import.
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
            // In a store that has failed it may not even have begun.
            if let times, engine.failure == nil { monitoring?.note(times, nil, GroupFigures()) }
            throw error
        }
        times?.endBody()
        let figures = try await writer.makeDurable(ended.commit, in: self, engine, .none)
        if let times { monitoring?.note(times, ended.commit, figures) }
        return ended.changes
    }
}

extension RealmError {
    /// Runs what reads a `.realm` file.
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
