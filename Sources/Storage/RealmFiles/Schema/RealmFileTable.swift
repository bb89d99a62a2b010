/// The array of a table, from which its class is made.
struct RealmFileTable {
    private static let elementsMin = 12

    let name: [UInt8]
    let node: RealmNode
    let key: RealmFileTableKey

    init(
        name: [UInt8], slot: Int, ref: UInt64, _ reader: RealmNodeReader
    ) throws(RealmFileError) {
        node = try reader.refs(ref, "a table")
        guard node.count >= Self.elementsMin else {
            throw reader.damaged(node.offset, "a table of \(node.count) elements")
        }
        guard case .tagged(let key) = node.element(at: 3), Int(key & 0xFFFF) == slot else {
            throw reader.damaged(node.offset, "the key of the table is not that of its place")
        }
        self.key = RealmFileTableKey(rawValue: key)
        self.name = name
    }

    /// The class, or its readable part: `skip` is called for each unreadable property, and may end
    /// the reading by throwing.
    func makeClass(
        known: Set<RealmFileTableKey>, _ reader: RealmNodeReader,
        skip: (RealmFileError, _ property: String?) throws(RealmFileError) -> Void
    ) throws(RealmFileError) -> RealmFileClass {
        let spec = try RealmFileSpec(try reader.ref(node, 0, "a spec"), reader)
        let table = RealmFileSpec.Table(
            offset: node.offset, primaryKey: primaryKey, targets: try targets(reader),
            known: known)
        if let key = primaryKey, !spec.keys.contains(key) {
            try skip(reader.damaged(node.offset, "the primary key is not one of the columns"), nil)
        }
        var properties: [RealmFileProperty] = []
        var names: Set<String> = []
        for index in 0..<spec.publicCount {
            do throws(RealmFileError) {
                let property = try spec.property(at: index, of: table, reader)
                guard names.insert(property.name).inserted else {
                    throw reader.damaged(
                        node.offset, "two columns have the name \(property.name)")
                }
                properties.append(property)
            } catch {
                try skip(error, try? spec.names.name(at: index, reader))
            }
        }
        guard let text = String(validating: name, as: UTF8.self) else {
            throw reader.damaged(node.offset, "the name of the table is not UTF-8")
        }
        guard text != RealmFileClass.prefix else {
            throw reader.damaged(node.offset, "the name of the class is empty")
        }
        let isClass = text.hasPrefix(RealmFileClass.prefix)
        let root = try reader.ref(node, 2, "the objects")
        return RealmFileClass(
            key: key,
            name: isClass ? String(text.dropFirst(RealmFileClass.prefix.count)) : text,
            isClass: isClass,
            kind: try kind(reader),
            properties: properties,
            count: try RealmClusterTree.count(root, of: .objects, reader),
            root: root)
    }

    private var primaryKey: RealmColumnKey? {
        guard case .tagged(let key) = node.element(at: 11) else { return nil }
        return RealmColumnKey(rawValue: Int64(key))
    }

    private func targets(_ reader: RealmNodeReader) throws(RealmFileError) -> RealmNode? {
        guard case .ref(let ref) = node.element(at: 7) else { return nil }
        return try reader.integers(ref, "the targets of links")
    }

    private func kind(_ reader: RealmNodeReader) throws(RealmFileError) -> RealmFileClass.Kind {
        guard case .tagged(let flags) = node.element(at: 12) else { return .object }
        switch flags & 3 {
        case 0: return .object
        case 1: return .embedded
        case 2: return .asymmetric
        default: throw reader.damaged(node.offset, "the table is of an unknown kind")
        }
    }
}
