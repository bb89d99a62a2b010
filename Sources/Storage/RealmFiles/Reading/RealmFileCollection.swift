/// A list, a set or a dictionary, which is read on demand.
package final class RealmFileCollection: Sendable {
    package let kind: RealmFileProperty.Collection
    let element: RealmValueType
    let hasIntegerKeys: Bool
    /// Nil if it is empty.
    let root: UInt64?
    /// Its nesting depth in collections.
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

    /// The elements of a list, in order, or of a set, in any order. Those of a dictionary are
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

    /// The number of elements or entries according to the file.
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

    /// Skips an element that the collection cannot have, in a salvage; otherwise it is an error.
    func omit(_ reason: String) throws(RealmFileError) {
        let offset = root.flatMap { Int(exactly: $0) } ?? 0
        try source.skip(source.pass.reader.damaged(offset, reason))
    }

    /// The type of the keys of a dictionary.
    var keyType: RealmValueType {
        RealmValueType(kind: hasIntegerKeys ? .int : .string, isNullable: false, target: nil)
    }
}
