/// A `.realm` file that is read: formats 10 to 24, as Realm 5 to Realm Swift 10.54 wrote them.
///
/// The file is read as it was when it was opened: at its newest complete commit, and not behind the
/// length that it had. Nothing is written, and neither the `.lock` file nor the `.management`
/// folder beside it is needed or touched. What a commit refers to stays in the file until the
/// second commit behind it, so an app may have the file open; see `commitsSinceOpening()`.
package final class RealmFile: Sendable {
    package let path: String
    package let info: RealmFileInfo
    /// The classes, in the order of the file.
    package let classes: [RealmFileClass]
    /// The classes, and the tables that Realm keeps for itself.
    let tables: [RealmFileClass]
    /// The tables that there are, also those that cannot be read.
    private let tableKeys: Set<RealmFileTableKey>

    private let header: RealmFileHeader
    private let reader: RealmNodeReader
    private let source: RealmFileOpening
    private let log: RealmFileReportLog?

    /// Opens the file at `path`.
    ///
    /// - Parameters:
    ///   - key: The 64 bytes that it is encrypted with.
    ///   - salvage: Whether to leave out what is damaged and report it. Else the first damage is
    ///     an error.
    package convenience init(
        path: String, in fileSystem: any FileSystem = POSIXFileSystem(), key: [UInt8]? = nil,
        salvage: Bool = false
    ) throws(RealmFileError) {
        let file: any File
        do {
            file = try fileSystem.open(path, .readOnly)
        } catch {
            throw .file(error)
        }
        // Realm's processes share it.
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
        classes = tables.filter(\.isClass)
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

    /// The class, or the table of Realm's own, that links lead to.
    package func `class`(_ key: RealmFileTableKey) -> RealmFileClass? {
        tables.first { $0.key == key }
    }

    /// Reads the objects of a class; all properties, unless it is said which. What a salvage leaves
    /// out is in the report, unless another reading is to report it.
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

    /// What a salvage has left out so far.
    package var report: RealmFileReport { log?.contents ?? RealmFileReport() }

    /// How many commits an app has made since the file was opened here; nil when that cannot be
    /// said, and the file was written to.
    ///
    /// What a commit refers to stays where it is while the next one is made, and may be overwritten
    /// while the one behind that is.
    package func commitsSinceOpening() throws(RealmFileError) -> Int? {
        let (bytes, _) = try source.bytes(salvage: true)
        let header = try RealmFileHeader(bytes)
        let top = try RealmFileTop(header, bytes, salvage: true)
        // The second commit behind may have put its top array where that of this one was.
        if header == self.header, top.commit == info.commit { return 0 }
        guard let now = top.commit, let then = info.commit, now > then else { return nil }
        return Int(clamping: now - then)
    }

    /// Throws when an app has written to the file since it was opened here, so that what was read
    /// meanwhile may be of several commits.
    package func requireUnchanged() throws(RealmFileError) {
        guard try commitsSinceOpening() == 0 else { throw .changed(path: path) }
    }
}
