/// Reads the objects of a class, a leaf at a time, in ascending order of their keys.
///
/// A batch retains the bytes of one leaf. Text, data and collections are read on demand, while the
/// cursor or one of its results is retained.
package struct RealmFileCursor {
    private let object: RealmFileClass
    private let properties: [RealmFileProperty]
    private let pass: RealmFilePass
    private var tree: RealmClusterTree
    /// The strings of enumerated columns, shared by all leaves so that each is read once.
    private var enumerations: [RealmColumnKey: RealmFileEnumeration] = [:]

    init(
        _ object: RealmFileClass, _ properties: [RealmFileProperty], _ pass: RealmFilePass
    ) {
        self.object = object
        self.properties = properties
        self.pass = pass
        // The objects of the class do not depend on the properties that are read.
        tree = RealmClusterTree(root: object.root, of: .objects, pass.reader.renewed())
    }

    /// The next objects; nil after the last ones. In a salvage, damaged leaves are skipped, and
    /// damaged columns are unreadable.
    package mutating func next() throws(RealmFileError) -> RealmFileBatch? {
        while true {
            let leaf: RealmClusterTree.Leaf
            do throws(RealmFileError) {
                guard let next = try tree.next() else { return nil }
                leaf = next
            } catch {
                try pass.skip(error, className: object.name, property: nil, keys: nil)
                continue
            }
            if !leaf.keys.isEmpty { return try batch(leaf) }
        }
    }

    private mutating func batch(_ leaf: RealmClusterTree.Leaf) throws(RealmFileError)
        -> RealmFileBatch
    {
        let range = leaf.keys[0]...leaf.keys[leaf.keys.count - 1]
        var columns: [RealmFileColumn] = []
        columns.reserveCapacity(properties.count)
        var held = 0
        for property in properties {
            do throws(RealmFileError) {
                let column = try column(of: property, leaf, range)
                held += column.heldBytes
                guard held <= pass.reader.limit else {
                    throw pass.reader.damaged(
                        leaf.node.offset, "the values of some objects are larger than the file")
                }
                columns.append(column)
            } catch {
                try pass.skip(
                    error, className: object.name, property: property.name, keys: range)
                columns.append(.unreadable(leaf.keys.count))
            }
        }
        return RealmFileBatch(
            keys: leaf.keys, properties: properties, columns: columns, className: object.name,
            offset: leaf.node.offset, pass: pass)
    }

    private mutating func column(
        of property: RealmFileProperty, _ leaf: RealmClusterTree.Leaf, _ keys: ClosedRange<Int64>
    ) throws(RealmFileError) -> RealmFileColumn {
        // Keys precede the columns.
        let index = 1 + property.column.leafIndex
        let ref = try pass.reader.ref(leaf.node, index, "the values of a column")
        let source = RealmFileSource(
            pass, className: object.name, property, keys,
            enumeration: try enumeration(of: property, keys))
        if let kind = property.collection {
            return .collection(
                try RealmFileCollections(
                    ref, of: property, kind, count: leaf.keys.count, source))
        }
        let type = RealmValueType(
            kind: property.kind, isNullable: property.isOptional, target: property.target)
        return try RealmLeafDecoder(
            type: type, place: .cluster(leaf.keys.count), source: source, depth: 0
        ).column(ref)
    }

    private mutating func enumeration(
        of property: RealmFileProperty, _ keys: ClosedRange<Int64>
    ) throws(RealmFileError) -> RealmFileEnumeration? {
        guard let ref = property.enumeration else { return nil }
        if let strings = enumerations[property.column] { return strings }
        let source = RealmFileSource(pass, className: object.name, property, keys)
        let type = RealmValueType(kind: .string, isNullable: property.isOptional, target: nil)
        let decoder = RealmLeafDecoder(type: type, place: .collection, source: source, depth: 0)
        let header = try pass.reader.header(ref, "an enumeration")
        let strings = RealmFileEnumeration(try decoder.texts(ref, header, ofStrings: true))
        enumerations[property.column] = strings
        return strings
    }
}
