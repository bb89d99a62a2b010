import Storage

/// The input of aggregates by name without a query: the values of a property of the objects in an
/// unmanaged collection, or in one of a frozen object.
struct NamedValues {
    /// The stored kind of the property.
    let kind: ValueKind
    private let values: [StoredValue]

    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a name that leads to no property with such
    ///   an aggregate; the error when a node could not be read.
    init<Objects: ObjectCollection>(
        _ name: String, of collection: Objects, takesDates: Bool
    ) throws(RealmError) {
        let objects = collection._objects
        let dynamic = objects.first as? DynamicObject
        let model = dynamic?._discovered ?? DiscoveredModel.of(Objects.Model.self)
        let (links, end) = try Self.path(name, from: model)
        kind = end.shape.kind
        guard Self.canAggregate(kind, takesDates: takesDates) else {
            throw Self.refusal(name, of: model.name, takesDates: takesDates)
        }
        var values: [StoredValue] = []
        for object in objects {
            var owner: ObjectBase? = object
            for link in links { owner = owner.flatMap { link.linked(by: $0) } }
            if let owner { values.append(end.type.storedForm(in: owner, at: end.place)) }
        }
        self.values = values
        try collection.requireReadable()
    }

    /// Whether values of a kind have an aggregate. Dates have a minimum and a maximum only.
    static func canAggregate(_ kind: ValueKind, takesDates: Bool) -> Bool {
        kind.number != nil || kind == .mixed || takesDates && kind == .date
    }

    /// The error for a property without aggregates.
    static func refusal(
        _ name: String, of className: String, takesDates: Bool
    ) -> RealmError {
        .invalidKeyPath(
            "'\(name)' of class '\(className)' is not a number"
                + (takesDates ? " or a date." : "."))
    }

    private static func path(
        _ name: String, from model: DiscoveredModel
    ) throws(RealmError) -> (links: [DiscoveredProperty], end: DiscoveredProperty) {
        var next = model
        var links: [DiscoveredProperty] = []
        var names = name.split(separator: ".", omittingEmptySubsequences: false)[...]
        while let step = names.popFirst() {
            guard let property = next[String(step)], !property.shape.isCollection else { break }
            if names.isEmpty { return (links, property) }
            guard let target = property.shape.target else { break }
            links.append(property)
            next = DiscoveredModel.of(target)
        }
        throw .invalidKeyPath(
            "Key path '\(name)' of class '\(model.name)' does not lead to one value: aggregates "
                + "take properties that are no collections, reached through to-one links only.")
    }

    /// The sum and the number of the values.
    var total: AggregateTotal {
        var total = AggregateTotal()
        for value in values { total.add(value) }
        return total
    }

    /// The minimum or maximum of the values; links and collections within values of any type do not
    /// count.
    func extreme(_ isBetter: (StoredValue, StoredValue) -> Bool) -> FrozenValue {
        var extreme = StoredExtreme()
        for value in values where FrozenValue(scalar: value) != nil {
            extreme.add(value, isBetter)
        }
        return extreme.best.flatMap { FrozenValue(scalar: $0) } ?? FrozenValue.none
    }
}

extension DiscoveredProperty {
    /// The object that a link leads to, or the embedded object of a custom type.
    fileprivate func linked(by object: ObjectBase) -> ObjectBase? {
        let value = unwrapped(type._anyValue(object, at: place))
        if let linked = value as? ObjectBase { return linked }
        return (value as? any FailableCustomPersistable).flatMap { stored(of: $0) }
    }
}

private func stored(of value: some FailableCustomPersistable) -> ObjectBase? {
    value.persistableValue as? ObjectBase
}

extension PersistedValue {
    fileprivate static func storedForm(
        in object: ObjectBase, at place: WrapperPlace
    ) -> StoredValue {
        _value(object, at: place)._storable.value
    }
}
