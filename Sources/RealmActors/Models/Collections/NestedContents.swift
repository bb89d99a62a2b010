import Storage

/// The elements of a list or dictionary within an ``AnyRealmValue`` of a managed object.
///
/// Such a collection is stored as one value with all of its contents: reading and changing it takes
/// linear time.
class NestedContents<Contents> {
    let place: NestedPlace
    /// The contents that were read last, with their location.
    private var cached: (cluster: Cluster, slot: Int, generation: UInt64, contents: Contents)?

    init(_ place: NestedPlace) { self.place = place }

    /// The elements of a stored collection; none if it was removed.
    func decode(_ stored: StoredValue?) -> Contents {
        preconditionFailure("Every kind of collection decodes its own.")
    }

    /// The values among the elements.
    func values(_ contents: Contents) -> [AnyRealmValue] {
        preconditionFailure("Every kind of collection has its own.")
    }

    /// The stored form of `contents`.
    func encode(
        _ contents: Contents, _ encoding: inout NestedEncoding
    ) throws(RealmError) -> StoredValue {
        preconditionFailure("Every kind of collection encodes its own.")
    }

    final var contents: Contents {
        get {
            let owner = place.root.owner
            guard owner._prepareRead(place.root.column) == .row else { return decode(nil) }
            if let cached, cached.cluster == owner.__cluster, cached.slot == owner.__slot,
                cached.generation == owner.__generation
            {
                return cached.contents
            }
            let contents = decode(place.stored)
            // Inside a write, values change in place, and must be read again.
            let isConstant = owner._live.map { !$0.isInWrite } ?? true
            cached =
                isConstant
                ? (owner.__cluster, owner.__slot, owner.__generation, contents) : nil
            return contents
        }
        _modify {
            let former = contents
            var changed = former
            yield &changed
            write(changed, over: former)
        }
    }

    private final func write(_ contents: Contents, over former: Contents) {
        let (owner, column) = (place.root.owner, place.root.column)
        guard owner._prepareWrite(column) else { return }
        cached = nil
        owner._withGraph(column, .everything) { (graph) throws(RealmError) in
            var encoding = NestedEncoding(graph)
            encoding.prefer(values(former), in: values(contents))
            try place.replace(with: try encode(contents, &encoding), graph)
        }
        owner._finishWrite(column)
    }
}

/// The elements of a list within a value.
final class NestedListContents: NestedContents<[AnyRealmValue]> {
    override func decode(_ stored: StoredValue?) -> [AnyRealmValue] {
        guard case .list(_, let values)? = stored else { return [] }
        return values.map { AnyRealmValue($0, place.root, place.path) }
    }

    override func values(_ contents: [AnyRealmValue]) -> [AnyRealmValue] { contents }

    override func encode(
        _ contents: [AnyRealmValue], _ encoding: inout NestedEncoding
    ) throws(RealmError) -> StoredValue {
        try encoding.list(contents, place.path.last, within: place.path.dropLast())
    }
}

/// The entries of a dictionary within a value.
final class NestedDictionaryContents: NestedContents<[String: AnyRealmValue]> {
    override func decode(_ stored: StoredValue?) -> [String: AnyRealmValue] {
        guard case .dictionary(_, let entries)? = stored else { return [:] }
        return entries.dictionary { AnyRealmValue($0, place.root, place.path) }
    }

    override func values(_ contents: [String: AnyRealmValue]) -> [AnyRealmValue] {
        Array(contents.values)
    }

    override func encode(
        _ contents: [String: AnyRealmValue], _ encoding: inout NestedEncoding
    ) throws(RealmError) -> StoredValue {
        try encoding.dictionary(contents, place.path.last, within: place.path.dropLast())
    }
}

/// Encodes values, with collections in them.
///
/// A collection that stays in place keeps its identity, so that collections read before remain
/// valid.
struct NestedEncoding {
    private let graph: GraphTarget
    private var kept: Set<NestedID> = []
    /// The collections that keep an identity, for identities that several collections have.
    private var originals: [NestedID: ObjectIdentifier] = [:]
    /// The source that was read last.
    private var source: NestedSource?
    /// The nesting depth of the value that is being encoded.
    private var depth = 0

    init(_ graph: GraphTarget) { self.graph = graph }

    /// Lets those collections of `values` keep their identities that are among `former`, which were
    /// read for this change; others of `values` may be copies of them.
    mutating func prefer(_ former: [AnyRealmValue], in values: [AnyRealmValue]) {
        let read = Set(former.compactMap { $0.nestedContents.map { ObjectIdentifier($0) } })
        if read.isEmpty { return }
        for value in values {
            guard let contents = value.nestedContents, let id = value.nestedPlace?.path.last,
                read.contains(ObjectIdentifier(contents))
            else { continue }
            originals[id] = ObjectIdentifier(contents)
        }
    }

    /// The stored form of a value within the collections of `path`; nil for one that is new.
    mutating func value(
        _ value: AnyRealmValue, within path: [NestedID]?
    ) throws(RealmError) -> StoredValue {
        if case .list(let list) = value {
            let present = try contents(of: list.place)
            let values = present ?? Array(list)
            return try self.list(values, identity(list.place, path), within: path)
        }
        if case .dictionary(let map) = value {
            let present = try contents(of: map.place)
            let entries = present ?? map.dictionary
            return try dictionary(entries, identity(map.place, path), within: path)
        }
        if case .object(let object) = value {
            let key = try graph.graph.link(to: object)
            return .object(object.__model.classID, key)
        }
        return AnyRealmValue._storedDirectly(value)?.value ?? .null
    }

    mutating func list(
        _ values: [AnyRealmValue], _ id: NestedID?, within path: [NestedID]?
    ) throws(RealmError) -> StoredValue {
        try enter()
        defer { depth -= 1 }
        let inner = Self.inner(path, id)
        var stored: [StoredValue] = []
        for element in values { stored.append(try value(element, within: inner)) }
        return .list(id ?? .fresh(), stored)
    }

    mutating func dictionary(
        _ entries: [String: AnyRealmValue], _ id: NestedID?, within path: [NestedID]?
    ) throws(RealmError) -> StoredValue {
        try enter()
        defer { depth -= 1 }
        let inner = Self.inner(path, id)
        var stored: [NestedEntry] = []
        for (key, element) in entries.sorted(by: { NestedEntry.precedes($0.key, $1.key) }) {
            try Map<String, AnyRealmValue>.check(key)
            stored.append(NestedEntry(key: key, value: try value(element, within: inner)))
        }
        return .dictionary(id ?? .fresh(), stored)
    }

    /// The contents of a collection within a value of an object; nil for any other collection. The
    /// outermost one is read once for all collections in it.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` when it was removed.
    private mutating func contents<Contents>(
        of collection: CollectionPlace<Contents>
    ) throws(RealmError) -> Contents? {
        guard let nested = collection.unmanaged?.nested else { return nil }
        let place = nested.place
        let isRead = source.map { $0.place.hasOutermost(of: place) } ?? false
        if !isRead { source = NestedSource(place) }
        guard let stored = source?[place.path] else { throw place.absence }
        return nested.decode(stored)
    }

    /// Limits the depth: an unmanaged collection may contain itself.
    private mutating func enter() throws(RealmError) {
        guard depth < StoredValue.nestingMax else { throw StoredValue.nestsTooDeep }
        depth += 1
    }

    private static func inner(_ path: [NestedID]?, _ id: NestedID?) -> [NestedID]? {
        guard let path, let id else { return nil }
        return path + [id]
    }

    /// The identity that a collection keeps, if it is in this place already and no earlier copy of
    /// it keeps it.
    private mutating func identity<Contents>(
        _ collection: CollectionPlace<Contents>, _ path: [NestedID]?
    ) -> NestedID? {
        guard let path, let contents = collection.unmanaged?.nested,
            let id = contents.place.path.last, contents.place.root.column == graph.column,
            contents.place.path.dropLast().elementsEqual(path),
            originals[id].map({ $0 == ObjectIdentifier(contents) }) ?? true,
            kept.insert(id).inserted
        else { return nil }
        return id
    }
}

extension AnyRealmValue {
    /// The contents of the collection, when it was read from a managed object.
    fileprivate var nestedContents: AnyObject? {
        if case .list(let list) = self { return list.place.unmanaged?.nested }
        if case .dictionary(let map) = self { return map.place.unmanaged?.nested }
        return nil
    }
}

extension StoredValue {
    /// The error for collections that nest too deep.
    static var nestsTooDeep: RealmError {
        .invalidValue(
            "Lists and dictionaries nest more than \(nestingMax) deep in a value, or one contains "
                + "itself. Keep the inner ones in objects of their own.")
    }
}

extension NestedID {
    /// An identity that no other collection has.
    static func fresh() -> NestedID { NestedID(.random(in: .min ... .max)) }
}
