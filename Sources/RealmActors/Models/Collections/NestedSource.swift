import Storage

/// The collections within a stored one, by their identities: finding each from the outermost one
/// would visit all of its siblings.
struct NestedSource {
    let place: NestedPlace
    private var collections: [NestedID: (parent: NestedID?, value: StoredValue)] = [:]

    /// The source of the outermost collection of `place`; nil if it was removed.
    init?(_ place: NestedPlace) {
        guard let outermost = place.outermost else { return nil }
        self.place = place
        note(outermost, in: nil)
    }

    private mutating func note(_ value: StoredValue, in parent: NestedID?) {
        guard let collection = value.collection else { return }
        collections[collection.id] = (parent, value)
        for inner in collection.elements.values { note(inner, in: collection.id) }
    }

    /// The collection at the end of a path from the outermost one; nil if there is none.
    subscript(path: [NestedID]) -> StoredValue? {
        var last: (parent: NestedID?, value: StoredValue)?
        var parent: NestedID?
        for id in path {
            guard let found = collections[id], found.parent == parent else { return nil }
            last = found
            parent = id
        }
        return last?.value
    }
}
