/// A projection as it was in one version: immutable, Sendable, and readable on any isolation.
///
/// Every property of the projection can be read on it, in the types that ``Frozen`` has for a
/// model: links are frozen objects, lists ``FrozenList``, and a ``ProjectedCollection`` is a
/// ``FrozenProjectedCollection``.
///
///     let rex = dog.freeze()           // a FrozenProjection<DogProjection>
///     rex.title; rex.ownersNames.first
@dynamicMemberLookup
public struct FrozenProjection<P: ProjectionObservable>: Sendable {
    // A projection has no state but its object.
    private let accessor: FrozenReader<P>

    var projection: P { accessor.reader }

    /// A projection of a frozen object.
    public init(projecting object: Frozen<P.Root>) {
        accessor = FrozenReader(P(projecting: object.object))
    }

    /// The object that is projected.
    public var rootObject: Frozen<P.Root> { Frozen(frozen: projection.rootObject) }

    /// The value of a property.
    public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<P, Value>) -> Value {
        projection[keyPath: keyPath]
    }

    /// The object that a property links to.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<P, Target?>
    ) -> Frozen<Target>? {
        projection[keyPath: keyPath].frozenCounterpart
    }

    /// The values of a projected collection.
    public subscript<Value: Sendable>(
        dynamicMember keyPath: KeyPath<P, ProjectedCollection<Value>>
    ) -> FrozenProjectedCollection<Value> {
        FrozenProjectedCollection(frozen: projection[keyPath: keyPath])
    }

    /// The objects of a list.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<P, List<Target>>
    ) -> FrozenList<Frozen<Target>> {
        FrozenList(projection[keyPath: keyPath].place)
    }

    /// The values of a list.
    public subscript<Value: FrozenElement>(
        dynamicMember keyPath: KeyPath<P, List<Value>>
    ) -> FrozenList<Value> {
        FrozenList(projection[keyPath: keyPath].place)
    }

    /// The values of a list.
    public subscript(
        dynamicMember keyPath: KeyPath<P, List<AnyRealmValue>>
    ) -> FrozenList<FrozenValue> {
        FrozenList(projection[keyPath: keyPath].place)
    }

    /// The objects of a set.
    public subscript<Target: Object>(
        dynamicMember keyPath: KeyPath<P, MutableSet<Target>>
    ) -> FrozenSet<Frozen<Target>> {
        FrozenSet(projection[keyPath: keyPath].place)
    }

    /// The values of a set.
    public subscript<Value: FrozenElement & SetElement>(
        dynamicMember keyPath: KeyPath<P, MutableSet<Value>>
    ) -> FrozenSet<Value> {
        FrozenSet(projection[keyPath: keyPath].place)
    }

    /// The values of a set.
    public subscript(
        dynamicMember keyPath: KeyPath<P, MutableSet<AnyRealmValue>>
    ) -> FrozenSet<FrozenValue> {
        FrozenSet(projection[keyPath: keyPath].place)
    }

    /// The objects of a map.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<P, Map<String, Target?>>
    ) -> FrozenMap<Frozen<Target>?> {
        FrozenMap(projection[keyPath: keyPath].place)
    }

    /// The values of a map.
    public subscript<Value: FrozenElement & MapValue>(
        dynamicMember keyPath: KeyPath<P, Map<String, Value>>
    ) -> FrozenMap<Value> {
        FrozenMap(projection[keyPath: keyPath].place)
    }

    /// The values of a map.
    public subscript(
        dynamicMember keyPath: KeyPath<P, Map<String, AnyRealmValue>>
    ) -> FrozenMap<FrozenValue> {
        FrozenMap(projection[keyPath: keyPath].place)
    }

    /// The objects that link here.
    public subscript<Origin: ObjectBase>(
        dynamicMember keyPath: KeyPath<P, LinkingObjects<Origin>>
    ) -> FrozenResults<Origin> {
        projection[keyPath: keyPath].frozenResults()
    }

    /// A value of any type.
    public subscript(dynamicMember keyPath: KeyPath<P, AnyRealmValue>) -> FrozenValue {
        FrozenValue(projection[keyPath: keyPath])
    }
}

extension FrozenProjection {
    /// The property of the projection, even if this type has a member of the same name.
    public subscript<Value: Sendable>(_ keyPath: KeyPath<P, Value>) -> Value {
        projection[keyPath: keyPath]
    }

    /// The version that the projection belongs to.
    public var snapshot: Snapshot { rootObject.snapshot }

    /// The identity of the projected object, valid across versions and launches.
    public var reference: ObjectReference<P.Root> { rootObject.reference }

    /// Calls `body` with the projection, so that its methods can be called. Only the Sendable
    /// result leaves it.
    ///
    /// - Throws: what `body` throws.
    public func withProjection<Result: Sendable, Failure: Error>(
        _ body: (P) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(projection)
    }
}

extension FrozenProjection: Equatable, Hashable {
    /// Whether both project the same row in the same version.
    public static func == (a: FrozenProjection, b: FrozenProjection) -> Bool {
        a.rootObject == b.rootObject
    }

    /// Hashes the row.
    public func hash(into hasher: inout Hasher) { hasher.combine(rootObject) }
}

extension FrozenProjection: Identifiable where P: Identifiable {
    /// The projection's own identity.
    public var id: P.ID { projection.id }
}

extension FrozenProjection: CustomStringConvertible {
    /// The projection and its properties.
    public var description: String { ProjectionSchema.of(P.self).text(of: projection) }
}

extension FrozenProjection: Encodable {
    /// Encodes every projected property by its name, in the forms in which ``Frozen`` encodes.
    ///
    /// - Throws: `EncodingError` when links lead back to an object that is being encoded;
    ///   ``RealmError`` when the store could not be read.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NameKey.self)
        for property in ProjectionSchema.of(P.self).properties {
            let value = projection.rootObject[keyPath: property.keyPath.path]
            let key = NameKey(property.name)
            if let value = encodable(value as Any) {
                try container.encode(value, forKey: key)
            } else {
                try container.encodeNil(forKey: key)
            }
        }
        try projection.rootObject._requireReadable()
    }
}

extension ProjectedCollection: FrozenEncodable {
    var frozenEncodable: any Encodable { map { encodable($0) } }
}
