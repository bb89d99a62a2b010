/// A `.realm` file that is read: formats 10 to 24, written by Realm 5 to Realm Swift 10.54.
///
/// The file is read as of its opening: at its newest complete commit, and up to its length at that
/// time. Nothing is written, and neither the `.lock` file nor the `.management` folder beside it is
/// needed or touched. The nodes of a commit stay in the file until the second commit after it, so
/// an app may have the file open; see `commitsSinceOpening()`.
package final class RealmFile: Sendable {
    package let path: String
    package let info: RealmFileInfo
    /// The classes of the app, in the order of the file.
    package let classes: [RealmFileClass]
    /// All classes and Realm's internal tables.
    let tables: [RealmFileClass]
    /// All tables, including unreadable ones.
    private let tableKeys: Set<RealmFileTableKey>

    private let header: RealmFileHeader
    private let reader: RealmNodeReader
    private let source: RealmFileOpening
    private let log: RealmFileReportLog?

    /// Opens the file at `path`.
    ///
    /// - Parameters:
    ///   - key: The 64 bytes that it is encrypted with.
    ///   - salvage: Whether to skip and report damaged parts. Otherwise the first damage is an
    ///     error.
    package convenience init(
        path: String, in fileSystem: any FileSystem = POSIXFileSystem(), key: [UInt8]? = nil,
        salvage: Bool = false
    ) throws(RealmFileError) {
        let file: any File
        do throws(StorageError) {
            file = try fileSystem.open(path, .readOnly)
        } catch .notARealm(_, let reason) {
            throw .notARealmFile(path: path, reason: reason)
        } catch {
            throw .file(error)
        }
        // Realm's processes hold shared locks of it.
        let isOpen = (try? fileSystem.shared?.isLocked(path + ".lock", orShared: true)) ?? false
        try self.init(
            RealmFileOpening(file: file, path: path, key: key, isOpen: isOpen), salvage: salvage)
    }

    init(_ source: RealmFileOpening, salvage: Bool) throws(RealmFileError) {
        let (bytes, size) = try source.bytes(salvage: salvage)
        let header = try RealmFileHeader(bytes)
        let top = try RealmFileTop(header, bytes, salvage: salvage)
        let reader = RealmNodeReader(bytes, limit: top.limit)
        let log = salvage ? RealmFileReportLog() : nil
        let catalog = try RealmFileCatalog(top, reader, log)
        self.source = source
        self.header = header
        self.reader = reader
        self.log = log
        path = source.path
        tables = catalog.classes
        tableKeys = catalog.keys
        classes = catalog.classesOfApp
        let format = header.format == 0 ? RealmFileFormat.newest.rawValue : header.format
        let pass = RealmFilePass(
            reader.renewed(), format: RealmFileFormat(rawValue: format), tables: catalog.keys,
            report: log)
        info = RealmFileInfo(
            format: format, schemaVersion: try catalog.schemaVersion(pass),
            isEncrypted: source.key != nil, isStreaming: header.isStreaming, commit: top.commit,
            isOpen: source.isOpen,
            hasUnfinishedCommit: RealmFileTop.isBehind(top.commit, header, bytes), size: size)
    }

    /// The class of this name.
    package func `class`(named name: String) -> RealmFileClass? {
        classes.first { $0.name == name }
    }

    /// The class, or the internal table, that links refer to.
    package func `class`(_ key: RealmFileTableKey) -> RealmFileClass? {
        tables.first { $0.key == key }
    }

    /// Reads the objects of a class, by default with all properties. Parts that a salvage skips are
    /// in the report, unless another reading reports them.
    package func objects(
        of object: RealmFileClass, _ properties: [RealmFileProperty]? = nil,
        isReported: Bool = true
    ) -> RealmFileCursor {
        let report = isReported ? log : log.map { _ in RealmFileReportLog() }
        return RealmFileCursor(object, properties ?? object.properties, pass(report))
    }

    private func pass(_ report: RealmFileReportLog?) -> RealmFilePass {
        RealmFilePass(
            reader.renewed(), format: RealmFileFormat(rawValue: info.format), tables: tableKeys,
            report: report)
    }

    /// What a salvage has skipped so far.
    package var report: RealmFileReport { log?.contents ?? RealmFileReport() }

    /// The number of commits by an app since the file was opened here; nil if it is unknown, but
    /// the file was written to.
    ///
    /// The nodes of a commit are kept while the next one is made, and may be overwritten during the
    /// one after that.
    package func commitsSinceOpening() throws(RealmFileError) -> Int? {
        let (bytes, _) = try source.bytes(salvage: true)
        let header = try RealmFileHeader(bytes)
        let top = try RealmFileTop(header, bytes, salvage: true)
        // The top array of the second commit after it may be at the same offset as that of this
        // one.
        if header == self.header, top.commit == info.commit { return 0 }
        guard let now = top.commit, let then = info.commit, now > then else { return nil }
        return Int(clamping: now - then)
    }

    /// Throws if an app has written to the file since it was opened here, so that the data read
    /// meanwhile may belong to several commits.
    package func requireUnchanged() throws(RealmFileError) {
        guard try commitsSinceOpening() == 0 else { throw .changed(path: path) }
    }
}
