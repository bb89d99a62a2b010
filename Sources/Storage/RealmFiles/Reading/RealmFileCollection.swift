/// A list, a set or a dictionary, of which nothing is read before it is asked for.
package final class RealmFileCollection: Sendable {
    package let kind: RealmFileProperty.Collection
    let element: RealmValueType
    let hasIntegerKeys: Bool
    /// Nil when it is empty.
    let root: UInt64?
    /// How many collections it lies in.
    let depth: Int
    let source: RealmFileSource

    init(
        kind: RealmFileProperty.Collection, element: RealmValueType, hasIntegerKeys: Bool,
        root: UInt64?, depth: Int, source: RealmFileSource
    ) {
        self.kind = kind
        self.element = element
        self.hasIntegerKeys = hasIntegerKeys
        self.root = root
        self.depth = depth
        self.source = source
    }

    /// The elements of a list, in their order, or of a set, in any. Those of a dictionary are
    /// entries.
    package func elements() -> RealmFileElements {
        precondition(kind != .dictionary, "A dictionary has entries.")
        return RealmFileElements(root: root, element, source, depth: depth)
    }

    /// The entries of a dictionary, in any order.
    package func entries() -> RealmFileEntries {
        precondition(kind == .dictionary, "A list or a set has elements.")
        return RealmFileEntries(self)
    }

    /// How many elements or entries the file says there are.
    package func count() throws(RealmFileError) -> Int {
        guard var root else { return 0 }
        let reader = source.pass.reader
        var type = element
        if kind == .dictionary {
            if source.pass.format.hasDictionariesInClusters {
                return try RealmClusterTree.count(root, of: .entries, reader)
            }
            root = try reader.ref(try reader.refs(root, "a dictionary"), 0, "the keys")
            type = keyType
        }
        if let count = try RealmListTree.count(root, reader) { return count }
        return try RealmLeafDecoder(type: type, place: .collection, source: source, depth: depth)
            .column(root).count
    }

    /// Leaves out an element that the collection cannot have, in a salvage; else it is an error.
    func leaveOut(_ reason: String) throws(RealmFileError) {
        let offset = root.flatMap { Int(exactly: $0) } ?? 0
        try source.skip(source.pass.reader.damaged(offset, reason))
    }

    /// What the keys of a dictionary are.
    var keyType: RealmValueType {
        RealmValueType(kind: hasIntegerKeys ? .int : .string, isNullable: false, target: nil)
    }
}
