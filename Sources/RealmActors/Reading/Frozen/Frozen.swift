import Storage

/// An object as it was in one version: immutable, Sendable, and readable on any isolation without
/// waiting.
///
/// Every property of the model can be read on it. Links are frozen objects, lists ``FrozenList``,
/// sets ``FrozenSet``, maps ``FrozenMap``, inverse links ``FrozenResults``, and ``AnyRealmValue``
/// is ``FrozenValue``. All of them show the same version, and hold it.
///
///     let rex: Frozen<Dog> = ...
///     rex.name; rex.owner?.name; rex[\.version]
///
/// ``subscript(_:)->Value`` reads a property whose name is that of a member of this type.
@dynamicMemberLookup
public struct Frozen<Model: ObjectBase>: Sendable {
    @usableFromInline package let accessor: FrozenReader<Model>

    @inlinable package var object: Model { accessor.reader }

    /// Takes a frozen accessor that nothing else moves to another row.
    @inlinable
    package init(frozen object: Model) { accessor = FrozenReader(object) }

    /// The value of a property.
    @inlinable
    public subscript<Value: Sendable>(dynamicMember keyPath: KeyPath<Model, Value>) -> Value {
        object[keyPath: keyPath]
    }

    /// The object that a property links to.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Target?>
    ) -> Frozen<Target>? {
        object[keyPath: keyPath].map { Frozen<Target>(frozen: $0) }
    }

    /// The objects of a list.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, List<Target>>
    ) -> FrozenList<Frozen<Target>> {
        FrozenList(object[keyPath: keyPath].place)
    }

    /// The values of a list.
    public subscript<Value: FrozenElement>(
        dynamicMember keyPath: KeyPath<Model, List<Value>>
    ) -> FrozenList<Value> {
        FrozenList(object[keyPath: keyPath].place)
    }

    /// The values of a list.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, List<AnyRealmValue>>
    ) -> FrozenList<FrozenValue> {
        FrozenList(object[keyPath: keyPath].place)
    }

    /// The objects of a set.
    public subscript<Target: Object>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Target>>
    ) -> FrozenSet<Frozen<Target>> {
        FrozenSet(object[keyPath: keyPath].place)
    }

    /// The values of a set.
    public subscript<Value: FrozenElement & SetElement>(
        dynamicMember keyPath: KeyPath<Model, MutableSet<Value>>
    ) -> FrozenSet<Value> {
        FrozenSet(object[keyPath: keyPath].place)
    }

    /// The values of a set.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, MutableSet<AnyRealmValue>>
    ) -> FrozenSet<FrozenValue> {
        FrozenSet(object[keyPath: keyPath].place)
    }

    /// The objects of a map.
    public subscript<Target: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, Map<String, Target?>>
    ) -> FrozenMap<Frozen<Target>?> {
        FrozenMap(object[keyPath: keyPath].place)
    }

    /// The values of a map.
    public subscript<Value: FrozenElement & MapValue>(
        dynamicMember keyPath: KeyPath<Model, Map<String, Value>>
    ) -> FrozenMap<Value> {
        FrozenMap(object[keyPath: keyPath].place)
    }

    /// The values of a map.
    public subscript(
        dynamicMember keyPath: KeyPath<Model, Map<String, AnyRealmValue>>
    ) -> FrozenMap<FrozenValue> {
        FrozenMap(object[keyPath: keyPath].place)
    }

    /// The objects that link here.
    public subscript<Origin: ObjectBase>(
        dynamicMember keyPath: KeyPath<Model, LinkingObjects<Origin>>
    ) -> FrozenResults<Origin> {
        object[keyPath: keyPath].frozenResults()
    }

    /// A value of any type.
    public subscript(dynamicMember keyPath: KeyPath<Model, AnyRealmValue>) -> FrozenValue {
        FrozenValue(object[keyPath: keyPath])
    }
}

extension Frozen {
    /// The property of the model, even if this type has a member of the same name.
    @inlinable
    public subscript<Value: Sendable>(_ keyPath: KeyPath<Model, Value>) -> Value {
        object[keyPath: keyPath]
    }

    /// The version that the object belongs to.
    public var snapshot: Snapshot { context.snapshot }

    /// The identity of the object, valid across versions and launches.
    public var reference: ObjectReference<Model> {
        ObjectReference(
            storeID: context.models.storeID, classID: object.__model.classID, key: object.__key,
            capture: object._lastCapture)
    }

    /// Calls `body` with the model object, so that its methods can be called. Only the Sendable
    /// result leaves it.
    ///
    /// - Throws: what `body` throws.
    public func withObject<Result: Sendable, Failure: Error>(
        _ body: (Model) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(object)
    }

    /// The context that the accessor reads from.
    package var context: FrozenContext {
        guard let context = object.__context as? FrozenContext else {
            preconditionFailure("A frozen object has a frozen context.")
        }
        return context
    }
}

extension Frozen: Equatable, Hashable {
    /// Whether both are the same row in the same version.
    public static func == (a: Frozen, b: Frozen) -> Bool {
        a.object.__key == b.object.__key && a.object.__model.classID == b.object.__model.classID
            && a.object._hasLostRow == b.object._hasLostRow
            && (a.context === b.context
                || a.context.root.name == b.context.root.name
                    && a.context.models.isOfSameStore(as: b.context.models))
    }

    /// Hashes the row.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(object.__key)
        hasher.combine(object.__model.classID)
    }
}

extension Frozen: Identifiable where Model: Identifiable {
    /// The model's own identity.
    public var id: Model.ID { object.id }
}

extension Frozen: CustomStringConvertible {
    /// The class and its properties.
    public var description: String { ObjectDescription.text(of: object) }
}

extension Optional where Wrapped: ObjectBase {
    /// The frozen form of a link that was read through a frozen accessor.
    package var frozenCounterpart: Frozen<Wrapped>? { map { Frozen(frozen: $0) } }
}

extension LinkingObjects {
    /// The links of a frozen accessor as results.
    func frozenResults() -> FrozenResults<Element> {
        guard let row = place.row, let context = row.owner.__context as? FrozenContext,
            let inverse = row.owner.__model.inverse(row.column)
        else { preconditionFailure("A frozen object has a frozen context.") }
        guard let model = row.owner._target(Element.self, row.column, context.models) else {
            preconditionFailure("The class that links here is not in the realm's objectTypes.")
        }
        let results = FrozenResults<Element>(
            context: context, model: model, backlinksTo: row.owner.__key, inverse.column)
        return row.owner._hasLostRow ? results.withoutRows : results
    }
}

extension Frozen: FrozenErasure {
    var erasedObject: ObjectBase { object }
}
