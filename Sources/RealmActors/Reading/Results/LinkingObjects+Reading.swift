import Storage

extension LinkingObjects {
    /// The realm of the object that is linked to; nil if it is unmanaged or invalidated.
    public var realm: Realm? { place.realm }
    /// Whether the linked object was deleted, or its realm was invalidated; there are no links
    /// then.
    public var isInvalidated: Bool { place.isInvalidated }
    /// Whether it belongs to a frozen object.
    public var isFrozen: Bool { place.isFrozen }

    /// The position of an object; nil when it does not link here. Objects are the same when they
    /// represent the same row. O(n).
    public func index(of object: Element) -> Int? {
        guard let links, let sought = Element._sought(object, in: links.owner) else { return nil }
        return (0..<links.range.count).first { .link(links.range[$0]) == sought.value }
    }

    /// The position of an object; nil when it does not link here. O(n).
    public func firstIndex(of object: Element) -> Int? { index(of: object) }

    /// The last position of an object, which is contained once for every link; nil when it does not
    /// link here. O(n).
    public func lastIndex(of object: Element) -> Int? {
        guard let links, let sought = Element._sought(object, in: links.owner) else { return nil }
        return (0..<links.range.count).last { .link(links.range[$0]) == sought.value }
    }

    /// Whether an object links here. O(n).
    public func contains(_ object: Element) -> Bool { index(of: object) != nil }

    /// The present links as frozen results; none when the object was deleted. The object must be
    /// managed.
    public func freeze() -> FrozenResults<Element> {
        let isInvalidated = isInvalidated
        let source = place.frozenSource
        let results = LinkingObjects(source.owner, source.column).frozenResults()
        return isInvalidated ? results.withoutRows : results
    }

    /// The error of change streams, if the realm was invalidated.
    var invalidation: RealmError? { place.managed?.owner._invalidation }
}

extension LinkingObjects: ObjectCollection {
    /// The objects as results; traps for an unmanaged object.
    public var _results: Results<Element> {
        guard let (owner, number) = place.managed, let context = owner._live,
            let inverse = owner.__model?.inverse(number),
            let model = owner._target(Element.self, number, context.models)
        else {
            preconditionFailure(
                "Only the links to a live object can be queried; a frozen one has FrozenResults.")
        }
        return Results(
            context: context, model: model,
            query: ResultsQuery(
                source: .backlinks(to: owner.__key, origin: model.classID, inverse.column),
                classID: model.classID),
            owner: owner)
    }
    /// Whether the links are those to a live object.
    public var _isLive: Bool { place.isLive }
    /// Whether the object that is linked to is live, or was live and was deleted.
    public var _isQueryable: Bool { place.isQueryable }
    /// The objects.
    public var _objects: [Element] { Array(IteratorSequence(makeIterator())) }
}

extension LinkingObjects: CustomStringConvertible {
    /// The objects with their positions, one under the other.
    public var description: String {
        CollectionDescription.text(
            of: "LinkingObjects<\(Element.self)>", count: count,
            enumerated().lazy.map { ("\($0)", $1) })
    }
}

extension CollectionIterator where Element: ObjectBase {
    /// Iterates over the objects that link somewhere.
    init(linking objects: LinkingObjects<Element>) {
        guard let links = objects.links else {
            self.init([])
            return
        }
        let keys = (0..<links.range.count).map { links.range[$0] }
        guard let context = links.owner._live, let model = context.models.binding(for: Element.self)
        else {
            self.init(keys.compactMap { links.owner._linked(Element.self, $0, links.number) })
            return
        }
        self.init(walk: LiveWalk(keys: keys, of: model, in: context))
    }
}
