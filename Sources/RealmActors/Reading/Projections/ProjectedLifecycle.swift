/// The state of the object that a projected collection belongs to.
struct ProjectedLifecycle {
    let realm: () -> Realm?
    let isInvalidated: () -> Bool
    /// The object, if it is managed.
    let owner: () -> ObjectBase?
    /// The collection of the frozen object of this moment; nil if it is unmanaged.
    let objects: () -> FrozenSource?

    init<Contents>(_ place: CollectionPlace<Contents>) {
        realm = { place.realm }
        isInvalidated = { place.isInvalidated }
        owner = { place.managed?.owner }
        objects = { place.managed == nil ? nil : place.frozenSource }
    }

    init(frozen source: FrozenSource) {
        realm = { nil }
        isInvalidated = { false }
        owner = { source.owner }
        objects = { source }
    }
}
