import Storage

/// The collections within one that is stored, by their identities: searching for each of them from
/// the outermost one would visit all that are beside it.
struct NestedSource {
    let place: NestedPlace
    private var collections: [NestedID: (parent: NestedID?, value: StoredValue)] = [:]

    /// Of the outermost collection that leads to `place`; nil when it is gone.
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

    /// The collection at the end of a path from the outermost one; nil when it is not there.
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
