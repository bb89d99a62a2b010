import Storage

extension Frozen {
    /// The property with this name: links as frozen objects, embedded objects and maps as
    /// dictionaries, lists, sets and inverse links as lists. Beyond 64 levels of nesting, embedded
    /// objects are frozen objects, whose properties can be read by name in turn.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` when no persisted property has it.
    public subscript(name: String) -> FrozenValue {
        get throws(RealmError) {
            guard let property = object.__model.property(named: name) else {
                throw .unknownProperty(
                    name, of: object.__model.className,
                    among: object.__model.properties.map(\.name))
            }
            return FrozenValue.of(property, object, context, depth: 0)
        }
    }
}

extension Frozen where Model == DynamicObject {
    /// The name of the class.
    public var className: String { object.className }
}

extension FrozenValue {
    /// A stored value that is not a link.
    init(plain stored: StoredValue) {
        self.init(AnyRealmValue(stored, ElementPlace(ObjectBase(), -1)))
    }

    /// The depth to which embedded objects become dictionaries: each level takes stack.
    private static let depthMax = 64

    /// A property of a frozen accessor.
    fileprivate static func of(
        _ property: PropertyBinding, _ object: ObjectBase, _ context: FrozenContext, depth: Int
    ) -> FrozenValue {
        let column = property.column.rawValue
        if let origin = property.origin {
            if object._hasLostRow { return .list([]) }
            let rows = context.view.backlinks(
                to: object.__key, origin: origin, column: property.column)
            return .list(
                (0..<rows.count).map { linked(rows[$0], origin, object, context, depth) })
        }
        func element(_ stored: StoredValue) -> FrozenValue {
            guard case .link(let key) = stored, let target = property.schema.target else {
                return FrozenValue(stored, target: nil, context)
            }
            return linked(key, target, object, context, depth)
        }
        switch property.schema.container {
        case .none:
            return element(object.__cluster.value(column, object.__slot, property.schema))
        case .list, .set:
            var values: [FrozenValue] = []
            object._sequence(column).forEach { values.append(element($0)) }
            return .list(values)
        case .map:
            let map = object._map(column)
            let (keys, elements) = (map.keys, map.values)
            var values: [String: FrozenValue] = [:]
            // In reverse, so that the first of several keys that Swift takes as equal wins.
            for index in (0..<map.count).reversed() {
                values[keys.string(index)] = element(elements[index])
            }
            return .dictionary(values)
        }
    }

    private static func linked(
        _ key: RowKey, _ target: ClassID, _ owner: ObjectBase, _ context: FrozenContext,
        _ depth: Int
    ) -> FrozenValue {
        let models = context.models
        // A class that the realm was opened without still has its rows.
        let model = models.binding(target, like: owner.__model) ?? models.dynamicBinding(target)
        return linked(key, model, context, depth: depth)
    }

    /// The object of a row, an embedded one as a dictionary; ``none`` without the row.
    static func linked(
        _ key: RowKey, _ model: ModelBinding, _ context: FrozenContext, depth: Int
    ) -> FrozenValue {
        let isTooDeep = model.isEmbedded && depth >= depthMax
        let shown = isTooDeep ? context.models.dynamicBinding(model.classID) : model
        guard let object = context.object(shown, key) else { return .none }
        if let object = object as? Object, isTooDeep || !model.isEmbedded {
            return .object(Frozen<Object>(frozen: object))
        }
        var values: [String: FrozenValue] = [:]
        for property in model.properties where property.shape.role == .stored {
            values[property.name] = of(property, object, context, depth: depth + 1)
        }
        return .dictionary(values)
    }
}
