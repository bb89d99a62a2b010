import Storage

/// What is known of a `.realm` file that Realm wrote, without reading its objects.
public struct RealmFileInfo: Sendable, Hashable {
    /// A class of the file.
    public struct ClassInfo: Sendable, Hashable {
        /// Its name, as it is stored.
        public let name: String
        /// How many objects it has, as the file says.
        public let count: Int
        /// Whether its objects are embedded in others.
        public let isEmbedded: Bool
        /// The name of its primary key.
        public let primaryKey: String?
        /// Its properties, by the names that are stored.
        public let properties: [PropertyInfo]
    }

    /// A property of a class of the file.
    public struct PropertyInfo: Sendable, Hashable {
        /// Its name, as it is stored: one that `propertiesMapping` gave is in the app only.
        public let name: String
        /// What a value is, or an element of a collection.
        public let type: PropertyType
        /// Whether a value, or an element, may be nil.
        public let isOptional: Bool
        /// Whether it is a list.
        public let isArray: Bool
        /// Whether it is a set.
        public let isSet: Bool
        /// Whether it is a map.
        public let isMap: Bool
        /// Whether it has an index of its values. Primary keys have one.
        public let isIndexed: Bool
        /// Whether it has a full-text index.
        public let isFullText: Bool
        /// The class that links lead to.
        public let objectClassName: String?
    }

    /// The number of the file's format, from 10 to 24.
    public let format: Int
    /// The version that the app gave its schema; nil when it gave none.
    public let schemaVersion: UInt64?
    /// Whether the file is encrypted.
    public let isEncrypted: Bool
    /// Whether it is a copy that was written in one go, as `writeCopy` of Realm does, and not
    /// written to since.
    public let isCopy: Bool
    /// Whether an app has the file open, by the lock of the `.lock` file beside it. When it writes
    /// during an import, nothing is imported.
    public let isOpen: Bool
    /// Whether a commit was begun in the file and not completed: an app makes it just now, or has
    /// ended in the middle of it. The file is read as of the one before.
    public let hasUnfinishedCommit: Bool
    /// Its size, in bytes.
    public let size: Int
    /// Its classes, in the order of the file.
    public let classes: [ClassInfo]
}

extension RealmFileInfo {
    init(_ file: RealmFile) throws {
        let schema = try StoreSchema(of: file)
        format = file.info.format
        schemaVersion = file.info.schemaVersion
        isEncrypted = file.info.isEncrypted
        isCopy = file.info.isStreaming
        isOpen = file.info.isOpen
        hasUnfinishedCommit = file.info.hasUnfinishedCommit
        size = file.info.size
        classes = zip(schema.classes, file.classes).map { stored, entry in
            ClassInfo(
                name: stored.name, count: entry.count, isEmbedded: stored.isEmbedded,
                primaryKey: stored.primaryKey.map { stored.columns[$0.rawValue].name },
                properties: stored.columns.map { column in
                    PropertyInfo(
                        name: column.name, type: PropertyType(column.kind),
                        isOptional: column.isNullable, isArray: column.container == .list,
                        isSet: column.container == .set, isMap: column.container == .map,
                        isIndexed: column.isIndexed, isFullText: column.isFullText,
                        objectClassName: column.target.map { schema[$0].name })
                })
        }
    }
}

/// The result of an import of a `.realm` file.
public struct RealmFileImport: Sendable, Hashable {
    /// Something of the file that could not be read, and was left out in a salvage.
    public struct Damage: Sendable, Hashable {
        /// The class that it is of; nil when that is not known.
        public let className: String?
        /// The property that it is of.
        public let property: String?
        /// The byte of the decrypted file where it is.
        public let offset: Int
        /// What is wrong there.
        public let reason: String
    }

    /// How many objects the file says there are, by class.
    public let objectCounts: [String: Int]
    /// Strings that were not valid UTF-8, in which U+FFFD replaces the invalid bytes.
    public let repairedTexts: Int
    /// Elements of sets that became one: dates that differ by less than `Date` keeps, which is
    /// about a tenth of a microsecond today. And entries of dictionaries that became one, since
    /// their keys were no UTF-8.
    public let mergedElements: Int
    /// Embedded objects that were left out: those that no other has, which Realm may leave behind,
    /// with what they have themselves; in a salvage also those of several parents, and those of
    /// objects that were left out.
    public let droppedOrphans: Int
    /// Links to objects that are not there or were left out, and to embedded ones that have several
    /// parents, which became nil in a salvage, or were left out of lists and sets.
    public let droppedLinks: Int
    /// Objects whose primary key another one has as well, which were left out in a salvage.
    public let droppedDuplicates: Int
    /// Objects whose primary key could not be read, which were left out in a salvage.
    public let droppedUnkeyed: Int
    /// What could not be read, in a salvage: the first thousand.
    public let damages: [Damage]
    /// How many damages there are in all.
    public let damageCount: Int

    /// Whether everything in the file was imported as it was.
    public var isComplete: Bool {
        damageCount == 0 && repairedTexts == 0 && mergedElements == 0 && droppedLinks == 0
            && droppedDuplicates == 0 && droppedUnkeyed == 0
    }
}

extension RealmFileImport {
    init(_ file: RealmFile, _ changes: RealmFileChanges) {
        let report = file.report
        objectCounts = Dictionary(
            file.classes.map { ($0.name, $0.count) }, uniquingKeysWith: { first, _ in first })
        repairedTexts = changes.repairedTexts
        mergedElements = changes.mergedElements
        droppedOrphans = changes.droppedOrphans
        droppedLinks = changes.droppedLinks
        droppedDuplicates = changes.droppedDuplicates
        droppedUnkeyed = changes.droppedUnkeyed
        damages = report.damages.map {
            Damage(
                className: $0.className, property: $0.property, offset: $0.offset,
                reason: $0.reason)
        }
        damageCount = report.count
    }
}
