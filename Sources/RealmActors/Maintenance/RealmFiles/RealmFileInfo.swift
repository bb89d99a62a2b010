import Storage

/// A description of a `.realm` file that Realm wrote, without its objects.
public struct RealmFileInfo: Sendable, Hashable {
    /// A class of the file.
    public struct ClassInfo: Sendable, Hashable {
        /// Its name, as it is stored.
        public let name: String
        /// How many objects it has, according to the file.
        public let count: Int
        /// Whether its objects are embedded in others.
        public let isEmbedded: Bool
        /// The name of its primary key.
        public let primaryKey: String?
        /// Its properties, with their stored names.
        public let properties: [PropertyInfo]
    }

    /// A property of a class of the file.
    public struct PropertyInfo: Sendable, Hashable {
        /// Its stored name: a name that `propertiesMapping` maps is known to the app only.
        public let name: String
        /// The type of the value, or of the elements of a collection.
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
    /// Whether it is a copy made by Realm's `writeCopy`, and not written to since.
    public let isCopy: Bool
    /// Whether an app has the file open, according to the lock of the `.lock` file beside it. If
    /// the app writes during an import, nothing is imported.
    public let isOpen: Bool
    /// Whether the file has an incomplete commit: an app is committing now, or was terminated while
    /// committing. The previous commit is read.
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
    /// A part of the file that could not be read, and was left out in a salvage.
    public struct Damage: Sendable, Hashable {
        /// The class of the damaged part; nil if not known.
        public let className: String?
        /// The property of the damaged part.
        public let property: String?
        /// Its offset in the decrypted file.
        public let offset: Int
        /// The kind of damage.
        public let reason: String
    }

    /// How many objects the file has, by class, according to its own counts.
    public let objectCounts: [String: Int]
    /// Strings that were not valid UTF-8; U+FFFD replaces their invalid bytes.
    public let repairedTexts: Int
    /// Elements of sets that became equal: dates that differ by less than the precision of `Date`,
    /// about a tenth of a microsecond today. And entries of dictionaries whose keys became equal,
    /// because they were not valid UTF-8.
    public let mergedElements: Int
    /// Embedded objects that were left out: those without a parent, which Realm may leave behind,
    /// with their own embedded objects; in a salvage also those with several parents, and those of
    /// objects that were left out.
    public let droppedOrphans: Int
    /// Links that became nil, or were left out of lists and sets: those in an ``AnyRealmValue`` to
    /// an object that does not exist, which Realm may leave behind; in a salvage all links to
    /// objects that do not exist, were left out, or are embedded ones with several parents.
    public let droppedLinks: Int
    /// Objects with a duplicate primary key, which were left out in a salvage.
    public let droppedDuplicates: Int
    /// Objects whose primary key could not be read, which were left out in a salvage.
    public let droppedUnkeyed: Int
    /// The parts that could not be read in a salvage: the first thousand.
    public let damages: [Damage]
    /// How many damages there are in all.
    public let damageCount: Int

    /// Whether everything in the file was imported unchanged.
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
