/// The collections that a property has in a run of objects.
package final class RealmFileCollections: Sendable {
    let refs: RealmNode
    let kind: RealmFileProperty.Collection
    let element: RealmValueType
    let hasIntegerKeys: Bool
    let source: RealmFileSource

    /// The number of collections.
    package var count: Int { refs.count }

    /// The collection at an index below the count.
    package subscript(index: Int) -> RealmFileCollection {
        precondition(index < count)
        let root: UInt64?
        if case .ref(let ref) = refs.element(at: index) { root = ref } else { root = nil }
        return RealmFileCollection(
            kind: kind, element: element, hasIntegerKeys: hasIntegerKeys, root: root, depth: 0,
            source: source)
    }

    init(
        _ ref: UInt64, of property: RealmFileProperty,
        _ collection: RealmFileProperty.Collection, count: Int, _ source: RealmFileSource
    ) throws(RealmFileError) {
        let reader = source.pass.reader
        refs = try reader.refs(ref, "collections")
        try reader.check(refs, count: count, "a column of collections")
        for index in 0..<count {
            if case .tagged = refs.element(at: index) {
                throw reader.damaged(refs.offset, "collection \(index) is nowhere")
            }
        }
        kind = collection
        element = RealmValueType(
            kind: property.kind, isNullable: property.isOptional, target: property.target)
        hasIntegerKeys = property.hasIntegerKeys
        self.source = source
    }
}
