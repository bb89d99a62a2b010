import Storage

extension LiveRealm {
    /// The live owner of a frozen collection; nil when it was deleted. Advances the realm to the
    /// collection's version first.
    fileprivate func owner(of source: FrozenSource) -> ObjectBase? {
        guard let frozen = source.owner.__context as? FrozenContext,
            frozen.models.isOfSameStore(as: context.models),
            let model = context.models.binding(source.owner._classID, like: source.owner.__model)
        else { return nil }
        catchUp(with: frozen.snapshot)
        if source.owner._hasLostRow || context.hasReused(keyOf: source.owner) { return nil }
        let object = model.makeAccessor(live: context, source.owner.__key)
        return object._relocate(context) ? object : nil
    }

    /// Moves to a version that is no older than that of `snapshot`.
    func catchUp(with snapshot: Snapshot) {
        let needed = snapshot.root.moment
        let isBehind = context.root.map { needed.isNewer(than: $0.moment) } ?? false
        if context.isInvalidated || isBehind { refresh() }
    }
}

extension FrozenResults {
    /// The same results as the live realm has them now; nil in a realm of another store. Advances
    /// the realm to this version first.
    public func thaw(in live: LiveRealm) -> Results<Model>? {
        let models = live.context.models
        // Dynamic objects of all classes have the same Swift type, so the class decides.
        let isDynamic = Model.self == DynamicObject.self
        guard context.models.isOfSameStore(as: models),
            let model = isDynamic
                ? models.binding(query.classID, like: plan.model) : models.binding(for: Model.self)
        else { return nil }
        live.catchUp(with: snapshot)
        guard let former, let owner = models.linkedBinding(former._classID) else {
            return Results(context: live.context, model: model, query: query)
        }
        // The key of the object whose collection is read may belong to another object by now.
        let isLost = live.context.hasReused(keyOf: former)
        let object = owner.makeAccessor(live: live.context, former.__key)
        // Located now: if it is not there, its key may belong to another object later.
        _ = object._relocate(live.context)
        return Results(
            context: live.context, model: model, query: isLost ? query.withoutRows : query,
            owner: object)
    }

    /// The object whose collection, or whose inverse, the query reads, without its row; nil for a
    /// query of a class.
    private var former: ObjectBase? {
        guard let (classID, key) = query.source.owner(in: context.view.schema) else { return nil }
        return context.models.linkedBinding(classID)?.makeAccessor(frozen: context, key)
    }
}

extension FrozenList {
    /// The list as the live realm has it now; nil when its object was deleted.
    public func thaw<Model: ObjectBase>(in live: LiveRealm) -> List<Model>?
    where Element == Frozen<Model> {
        live.owner(of: source).map { List(place: CollectionPlace($0, source.column)) }
    }

    /// The list as the live realm has it now; nil when its object was deleted.
    public func thaw(in live: LiveRealm) -> List<Element>? where Element: ListElement {
        live.owner(of: source).map { List(place: CollectionPlace($0, source.column)) }
    }

    /// The list as the live realm has it now; nil when it was deleted.
    public func thaw(in live: LiveRealm) -> List<AnyRealmValue>? where Element == FrozenValue {
        guard let owner = live.owner(of: source) else { return nil }
        guard let path = source.detail?.place else {
            return List(place: CollectionPlace(owner, source.column))
        }
        let place = path.place(in: owner, source.column)
        guard case .list? = place.stored else { return nil }
        return List(place: CollectionPlace(nested: NestedListContents(place)))
    }
}

extension FrozenSet {
    /// The set as the live realm has it now; nil when its object was deleted.
    public func thaw<Model: Object>(in live: LiveRealm) -> MutableSet<Model>?
    where Element == Frozen<Model> {
        live.owner(of: source).map { MutableSet(place: CollectionPlace($0, source.column)) }
    }

    /// The set as the live realm has it now; nil when its object was deleted.
    public func thaw(in live: LiveRealm) -> MutableSet<Element>? where Element: SetElement {
        live.owner(of: source).map { MutableSet(place: CollectionPlace($0, source.column)) }
    }

    /// The set as the live realm has it now; nil when its object was deleted.
    public func thaw(in live: LiveRealm) -> MutableSet<AnyRealmValue>?
    where Element == FrozenValue {
        live.owner(of: source).map { MutableSet(place: CollectionPlace($0, source.column)) }
    }
}

extension FrozenMap {
    /// The map as the live realm has it now; nil when its object was deleted.
    public func thaw<Model: ObjectBase>(in live: LiveRealm) -> Map<String, Model?>?
    where Value == Frozen<Model>? {
        live.owner(of: source).map { Map(place: CollectionPlace($0, source.column)) }
    }

    /// The map as the live realm has it now; nil when its object was deleted.
    public func thaw(in live: LiveRealm) -> Map<String, Value>? where Value: MapValue {
        live.owner(of: source).map { Map(place: CollectionPlace($0, source.column)) }
    }

    /// The map as the live realm has it now; nil when it was deleted.
    public func thaw(in live: LiveRealm) -> Map<String, AnyRealmValue>?
    where Value == FrozenValue {
        guard let owner = live.owner(of: source) else { return nil }
        guard let path = source.detail?.place else {
            return Map(place: CollectionPlace(owner, source.column))
        }
        let place = path.place(in: owner, source.column)
        guard case .dictionary? = place.stored else { return nil }
        return Map(place: CollectionPlace(nested: NestedDictionaryContents(place)))
    }
}
