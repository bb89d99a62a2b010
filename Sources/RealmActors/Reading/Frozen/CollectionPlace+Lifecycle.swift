import Storage

extension CollectionPlace {
    /// The object that the collection belongs to, itself or within a value.
    private var holder: ObjectBase? { managed?.owner ?? nested?.root.owner }

    /// The realm of a live collection.
    var realm: Realm? { holder?.realm }

    /// Whether the object that the collection belongs to was deleted or invalidated.
    var isInvalidated: Bool {
        if let nested { return nested.root.owner.isInvalidated || nested.stored == nil }
        return managed?.owner.isInvalidated ?? false
    }

    /// Whether it belongs to a live object that exists.
    var isLive: Bool {
        guard let owner = managed?.owner else { return false }
        return !owner._wasInvalidated && owner.__state == AccessorState.live
    }

    /// Whether it belongs to a live object, or one that was live and was deleted: results follow
    /// both.
    var isQueryable: Bool { managed?.owner._live != nil }

    /// Whether it belongs to a frozen object.
    var isFrozen: Bool { holder?.__state == AccessorState.frozen }

    /// The frozen object that has the collection in the present version; if the object was deleted,
    /// a frozen object with its last values.
    var frozenSource: FrozenSource {
        guard let (owner, column) = managed ?? nested.map({ ($0.root.owner, $0.root.column) })
        else {
            preconditionFailure("Cannot freeze an unmanaged collection. Add its object first.")
        }
        let frozen = owner.__state == AccessorState.frozen ? owner : owner._frozenCounterpart
        let failure = owner._invalidation
        let place = nested.map { NestedPath($0) }
        if failure == nil, place == nil { return FrozenSource(owner: frozen, column: column) }
        let elements = place?.place(in: frozen, column).frozenElements
        return FrozenSource(
            owner: frozen, column: column,
            FrozenDetail(place: place, elements: elements, failure: failure))
    }

    /// The rows of a live collection of links, as results that follow it.
    func results<Model: ObjectBase>(_ type: Model.Type) -> Results<Model> {
        guard let (owner, column) = managed, let context = owner._live,
            let model = owner._target(type, column, context.models)
        else {
            preconditionFailure(
                "Only a collection of a live object can be queried: the elements of an unmanaged "
                    + "one are ordinary Swift values, and a frozen one has FrozenResults.")
        }
        return Results(
            context: context, model: model,
            query: ResultsQuery(collection: owner, column, of: model.classID), owner: owner)
    }
}

extension ResultsQuery {
    /// The rows in a collection of links.
    init(collection owner: ObjectBase, _ column: Int, of classID: ClassID) {
        self.init(
            source: .collection(owner: owner._classID, owner.__key, ColumnID(column)),
            classID: classID)
    }
}

extension List {
    /// The realm of the list's object; nil if the list is unmanaged or invalidated.
    public var realm: Realm? { place.realm }
    /// Whether the list's object was deleted, or its realm was invalidated. The list then has the
    /// elements that it last had.
    public var isInvalidated: Bool { place.isInvalidated }
    /// Whether the list belongs to a frozen object.
    public var isFrozen: Bool { place.isFrozen }
}

extension List where Element: ObjectBase {
    /// The present state of the list as an immutable value, also inside a write. Traps if the list
    /// is unmanaged; one whose object was deleted has the elements that it last had.
    public func freeze() -> FrozenList<Frozen<Element>> { FrozenList(place.frozenSource) }
}

extension List where Element: FrozenElement {
    /// The present state of the list as an immutable value, also inside a write. Traps if the list
    /// is unmanaged; one whose object was deleted has the elements that it last had.
    public func freeze() -> FrozenList<Element> { FrozenList(place.frozenSource) }
}

extension List where Element == AnyRealmValue {
    /// The present state of the list as an immutable value, also inside a write. Traps if the list
    /// is unmanaged; one whose object was deleted has the elements that it last had.
    public func freeze() -> FrozenList<FrozenValue> { FrozenList(place.frozenSource) }
}

extension MutableSet {
    /// The realm of the set's object; nil if the set is unmanaged or invalidated.
    public var realm: Realm? { place.realm }
    /// Whether the set's object was deleted, or its realm was invalidated. The set then has the
    /// elements that it last had.
    public var isInvalidated: Bool { place.isInvalidated }
    /// Whether the set belongs to a frozen object.
    public var isFrozen: Bool { place.isFrozen }
}

extension MutableSet where Element: Object {
    /// The present state of the set as an immutable value, also inside a write. Traps if the set is
    /// unmanaged; one whose object was deleted has the elements that it last had.
    public func freeze() -> FrozenSet<Frozen<Element>> { FrozenSet(place.frozenSource) }
}

extension MutableSet where Element: FrozenElement {
    /// The present state of the set as an immutable value, also inside a write. Traps if the set is
    /// unmanaged; one whose object was deleted has the elements that it last had.
    public func freeze() -> FrozenSet<Element> { FrozenSet(place.frozenSource) }
}

extension MutableSet where Element == AnyRealmValue {
    /// The present state of the set as an immutable value, also inside a write. Traps if the set is
    /// unmanaged; one whose object was deleted has the elements that it last had.
    public func freeze() -> FrozenSet<FrozenValue> { FrozenSet(place.frozenSource) }
}

extension Map {
    /// The realm of the map's object; nil if the map is unmanaged or invalidated.
    public var realm: Realm? { place.realm }
    /// Whether the map's object was deleted, or its realm was invalidated. The map then has the
    /// entries that it last had.
    public var isInvalidated: Bool { place.isInvalidated }
    /// Whether the map belongs to a frozen object.
    public var isFrozen: Bool { place.isFrozen }

    /// The present state of the map as an immutable value, also inside a write. Traps if the map is
    /// unmanaged; one whose object was deleted has the entries that it last had.
    public func freeze<Model: ObjectBase>() -> FrozenMap<Frozen<Model>?> where Value == Model? {
        FrozenMap(place.frozenSource)
    }
}

extension Map where Value: FrozenElement {
    /// The present state of the map as an immutable value, also inside a write. Traps if the map is
    /// unmanaged; one whose object was deleted has the entries that it last had.
    public func freeze() -> FrozenMap<Value> { FrozenMap(place.frozenSource) }
}

extension Map where Value == AnyRealmValue {
    /// The present state of the map as an immutable value, also inside a write. Traps if the map is
    /// unmanaged; one whose object was deleted has the entries that it last had.
    public func freeze() -> FrozenMap<FrozenValue> { FrozenMap(place.frozenSource) }
}

extension FrozenSource {
    /// The collection of a frozen object.
    init<Contents>(_ place: CollectionPlace<Contents>) {
        guard let row = place.managed else {
            preconditionFailure("A frozen object has managed collections only.")
        }
        self.init(owner: row.owner, column: row.column)
    }
}
