extension RealmFileSpec {
    /// The context of a table for creating its properties.
    struct Table {
        let offset: Int
        let primaryKey: RealmColumnKey?
        /// The target of each column, by its index in clusters.
        let targets: RealmNode?
        /// All existing tables.
        let known: Set<RealmFileTableKey>
    }

    /// The property at an index of the public columns.
    func property(
        at index: Int, of table: Table, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> RealmFileProperty {
        let key = keys[index]
        let isLinkList = key.type == RealmColumnKey.linkList
        guard let kind = isLinkList ? .link : RealmFileProperty.Kind(rawValue: key.type) else {
            throw reader.damaged(table.offset, "column \(index) has the unknown type \(key.type)")
        }
        let collection = try collection(of: key, index, table, reader)
        let attributes = RealmColumnAttributes(
            rawValue: Int(truncatingIfNeeded: attributes.integer(at: index)))
        let isPrimaryKey = key == table.primaryKey
        guard !isPrimaryKey || collection == nil && kind.canBePrimaryKey else {
            throw reader.damaged(
                table.offset, "column \(index) is of a type that no primary key has")
        }
        return RealmFileProperty(
            name: try names.name(at: index, reader),
            kind: kind,
            isOptional: Self.isOptional(key, kind, collection),
            collection: collection,
            isPrimaryKey: isPrimaryKey,
            isIndexed: isPrimaryKey || attributes.contains(.indexed),
            isFullText: attributes.contains(.fullText),
            isEnumerated: enumeration(at: index) != nil,
            target: kind == .link ? try target(of: key, table, reader) : nil,
            hasIntegerKeys: collection == .dictionary && types.integer(at: index) >> 16 == 0,
            column: key,
            enumeration: enumeration(at: index))
    }

    private func enumeration(at index: Int) -> UInt64? {
        guard case .ref(let ref) = enumerations?.element(at: index) else { return nil }
        return ref
    }

    private static func isOptional(
        _ key: RealmColumnKey, _ kind: RealmFileProperty.Kind,
        _ collection: RealmFileProperty.Collection?
    ) -> Bool {
        switch kind {
        case .mixed: true
        case .link: collection == nil || collection == .dictionary
        case .int, .bool, .string, .data, .date, .float, .double, .decimal, .objectID, .uuid:
            key.attributes.contains(.nullable)
        }
    }

    private func collection(
        of key: RealmColumnKey, _ index: Int, _ table: Table, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> RealmFileProperty.Collection? {
        var kinds: [RealmFileProperty.Collection] = []
        if key.attributes.contains(.list) || key.type == RealmColumnKey.linkList {
            kinds.append(.list)
        }
        if key.attributes.contains(.set) { kinds.append(.set) }
        if key.attributes.contains(.dictionary) { kinds.append(.dictionary) }
        guard kinds.count <= 1 else {
            throw reader.damaged(table.offset, "column \(index) is several kinds of collection")
        }
        return kinds.first
    }

    private func target(
        of key: RealmColumnKey, _ table: Table, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> RealmFileTableKey {
        guard let targets = table.targets, key.leafIndex < targets.count else {
            throw reader.damaged(table.offset, "the target of a column of links is not stated")
        }
        let number = targets.integer(at: key.leafIndex)
        let target = RealmFileTableKey(rawValue: UInt64(bitPattern: number))
        guard table.known.contains(target) else {
            throw reader.damaged(
                targets.offset, "a column of links leads to table \(number), which does not exist")
        }
        return target
    }
}
