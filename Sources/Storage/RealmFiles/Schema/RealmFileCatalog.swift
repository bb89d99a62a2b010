/// The tables of a file as classes.
struct RealmFileCatalog {
    private(set) var classes: [RealmFileClass] = []
    /// The keys of all tables, including unreadable ones.
    private(set) var keys: Set<RealmFileTableKey> = []

    private let log: RealmFileReportLog?

    init(
        _ top: RealmFileTop, _ reader: RealmNodeReader, _ log: RealmFileReportLog?
    ) throws(RealmFileError) {
        self.log = log
        guard let (refs, names) = top.tables else { return }
        var tables: [RealmFileTable] = []
        for slot in 0..<refs.count {
            guard case .ref(let ref) = refs.element(at: slot) else { continue }
            do throws(RealmFileError) {
                let name = try names.bytes(at: slot, reader)
                tables.append(try RealmFileTable(name: name, slot: slot, ref: ref, reader))
            } catch {
                try skip(error, nil, nil)
            }
        }
        keys = Set(tables.map(\.key))
        var known: Set<String> = []
        // Each column has a leaf of its own; in a damaged file, many tables can share one large
        // spec.
        var columnsLeft = reader.limit / RealmNode.headerSize
        for table in tables {
            let name = String(decoding: table.name, as: UTF8.self)
            do throws(RealmFileError) {
                guard known.insert(name).inserted else {
                    throw reader.damaged(table.node.offset, "two tables have the name \(name)")
                }
                let entry = try table.makeClass(known: keys, reader) {
                    (error, property) throws(RealmFileError) in
                    try skip(error, name, property)
                }
                columnsLeft -= entry.properties.count
                guard columnsLeft >= 0 else {
                    throw reader.damaged(
                        table.node.offset, "the file has no room for the columns of all tables")
                }
                classes.append(entry)
            } catch {
                try skip(error, name, nil)
            }
        }
        try omitDeadLinks(reader)
    }

    /// Skips properties whose links refer to something that is not a class, or to an unreadable
    /// one, in a salvage; otherwise they are an error.
    private mutating func omitDeadLinks(_ reader: RealmNodeReader) throws(RealmFileError) {
        let readable = Set(classes.filter(\.isClass).map(\.key))
        for index in classes.indices where classes[index].isClass {
            let entry = classes[index]
            var properties: [RealmFileProperty] = []
            for property in entry.properties {
                guard let target = property.target, !readable.contains(target) else {
                    properties.append(property)
                    continue
                }
                let reason = "a column of links leads to no class that can be read"
                try skip(
                    reader.damaged(Int(clamping: entry.root), reason),
                    RealmFileClass.prefix + entry.name, property.name)
            }
            classes[index].properties = properties
        }
    }

    private func skip(
        _ error: RealmFileError, _ table: String?, _ property: String?
    ) throws(RealmFileError) {
        guard let log, let offset = error.offset else { throw error }
        let prefix = RealmFileClass.prefix
        let name = table.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
        log.add(
            RealmFileDamage(
                className: name, property: property, keys: nil, offset: offset,
                reason: error.reason))
    }

    /// The classes in which Realm's query-based synchronisation kept subscriptions and permissions.
    private static let classesOfSync: Set<String> = [
        "__ResultSets", "__Class", "__Permission", "__Realm", "__Role", "__User",
    ]

    /// The classes, without those of query-based synchronisation unless a class of the app links to
    /// one of them. Only files with that synchronisation have its subscriptions.
    var classesOfApp: [RealmFileClass] {
        let all = classes.filter(\.isClass)
        guard all.contains(where: { $0.name == "__ResultSets" }) else { return all }
        let own = all.filter { !Self.classesOfSync.contains($0.name) }
        let keys = Set(own.map(\.key))
        let isClosed = own.allSatisfy { entry in
            entry.properties.allSatisfy { property in
                property.target.map { keys.contains($0) } ?? true
            }
        }
        return isClosed ? own : all
    }

    /// The version of the schema, which is in an object of a table of its own.
    func schemaVersion(_ pass: RealmFilePass) throws(RealmFileError) -> UInt64? {
        guard let table = classes.first(where: { !$0.isClass && $0.name == "metadata" }),
            let property = table.properties.first(where: { $0.name == "version" }),
            property.kind == .int, property.collection == nil
        else { return nil }
        var cursor = RealmFileCursor(table, [property], pass)
        guard let batch = try cursor.next(),
            case .int(let version) = try batch.value(of: 0, at: 0), version != -1
        else { return nil }
        return UInt64(bitPattern: version)
    }
}
