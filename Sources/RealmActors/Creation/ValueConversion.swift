import Foundation
import Storage

/// Makes property values of what a program gives: dictionaries, arrays, JSON, objects. Opaque
/// outside the library.
public final class ValueConversion {
    /// Nil while values become unmanaged objects.
    private let graph: ObjectGraph?
    private let update: UpdatePolicy
    /// Where the conversion is, for messages: `Person.dogs`.
    private var place: (model: String, property: String)?
    private var depth = 0
    /// The class that the dynamic property being assigned links to.
    private var dynamicTarget: ModelBinding?

    /// Values nest this deep at most; what refers to itself would never end.
    private static let maximumDepth = 512

    private init(_ graph: ObjectGraph?, _ update: UpdatePolicy) {
        self.graph = graph
        self.update = update
    }

    /// Makes unmanaged objects, for `init(value:)`.
    static func unmanaged() -> ValueConversion { ValueConversion(nil, .error) }

    /// Makes objects of a realm, for `create`.
    static func managed(_ graph: ObjectGraph, _ update: UpdatePolicy) -> ValueConversion {
        ValueConversion(graph, update)
    }

    /// Assigns to `object`: the links of a live dynamic object are made of objects of its realm.
    static func assigning(to object: ObjectBase) -> ValueConversion {
        guard object is DynamicObject, let context = object._live, context.isWritable else {
            return unmanaged()
        }
        return managed(context.graph, .error)
    }

    /// Whether objects of a realm are made, which never takes over what it is given.
    var isManaged: Bool { graph != nil }

    /// The error of a value that does not fit.
    func mismatch(_ any: Any, expected: String) -> RealmError {
        let name = place.map { "Property '\($0.model).\($0.property)'" } ?? "The value"
        guard let value = unwrapped(any) else {
            return .invalidValue("\(name) takes \(expected), and was given nil.")
        }
        let text = String(String(describing: value).prefix(80))
        return .invalidValue("\(name) takes \(expected), and was given \(type(of: value)): \(text)")
    }

    /// The elements of an array-like value; none for null.
    func elements(_ any: Any, expected: String) throws(RealmError) -> [Any] {
        guard let value = unwrapped(any) else { return [] }
        if let array = value as? [Any] { return array }
        // A string is a collection too, but no list.
        if !(value is String), !(value is Data), !(value is [String: Any]),
            let sequence = value as? any Sequence
        {
            return sequence.erased
        }
        throw mismatch(any, expected: expected)
    }

    /// The entries of a dictionary-like value; none for null.
    func entries(_ any: Any, expected: String) throws(RealmError) -> [String: Any] {
        guard let value = unwrapped(any) else { return [:] }
        if let entries = value as? [String: Any] { return entries }
        if let map = value as? any EntryCollection { return map.entries }
        throw mismatch(any, expected: expected)
    }

    /// An object of `type`: the one given, or one made of the values given.
    func object<Target: ObjectBase>(
        _ any: Any, as type: Target.Type
    ) throws(RealmError) -> Target {
        guard let value = unwrapped(any) else { throw mismatch(any, expected: "\(type)") }
        if type == DynamicObject.self, let target = dynamicTarget, let graph {
            // Unsafe: the types were found to be the same.
            return unsafeDowncast(try dynamicObject(value, target, graph), to: type)
        }
        if let source = value as? DynamicObject, let graph {
            guard let object = graph.typed(source, as: type) else {
                throw mismatch(any, expected: "\(type)")
            }
            return object
        }
        if let object = Self.source(value) {
            guard let exact = object as? Target, Swift.type(of: object) == type else {
                throw mismatch(any, expected: "\(type)")
            }
            return try graph?.own(exact, update) ?? exact
        }
        let saved = (place, dynamicTarget)
        depth += 1
        defer {
            (place, dynamicTarget) = saved
            depth -= 1
        }
        guard depth <= Self.maximumDepth else {
            throw .invalidValue("A value of '\(type)' nests too deeply; it may contain itself.")
        }
        if let graph, !(type is EmbeddedObject.Type) {
            return try graph.create(type, value, self, update)
        }
        let object = type.init()
        try assign(value, to: object)
        return object
    }

    /// A dynamic object of `target`: an accessor for the one given, or one made of
    /// the values given.
    private func dynamicObject(
        _ value: Any, _ target: ModelBinding, _ graph: ObjectGraph
    ) throws(RealmError) -> DynamicObject {
        guard let object = value as? ObjectBase else {
            let saved = (place, dynamicTarget)
            defer { (place, dynamicTarget) = saved }
            var made: DynamicObject?
            try nesting { () throws(RealmError) in
                made = try graph.createDynamic(target, value, self, update)
            }
            return made.unsafelyUnwrapped
        }
        guard object._discovered.name == target.className else {
            throw mismatch(value, expected: target.className)
        }
        return graph.dynamic(target, try graph.link(to: object))
    }

    /// Converts what is within a collection, to a limited depth.
    func nesting(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw .invalidValue("A value nests too deeply; it may contain itself.")
        }
        try body()
    }

    /// An object as it is; its copy where `create` makes one.
    func exact(_ object: Object) throws(RealmError) -> Object {
        try graph?.own(object, update) ?? object
    }

    /// Assigns the values given to the properties of `object`; those that are absent stay.
    func assign(
        _ any: Any, to object: ObjectBase, changes: ChangePolicy = .everything
    ) throws(RealmError) {
        let model = object._discovered
        let values = try Self.values(any, for: model, self)
        let saved = (place, dynamicTarget)
        defer { (place, dynamicTarget) = saved }
        // The key first: in a cycle the object may be added before the rest of its values.
        let ordered = values.filter(\.0.isPrimaryKey) + values.filter { !$0.0.isPrimaryKey }
        for (property, value) in ordered {
            if object.__state != AccessorState.unmanaged, property.isPrimaryKey { continue }
            place = (model.name, property.name)
            dynamicTarget = object._dynamicTarget(property)
            if changes == .differences,
                let embedded = object._embedded(property), let values = unwrapped(value),
                values as? ObjectBase !== embedded
            {
                try assign(values, to: embedded, changes: changes)
                continue
            }
            try property.type._assignAny(value, to: object, at: property.place, self, changes)
        }
    }

    /// Assigns a value to one property.
    func assign(
        _ any: Any, of property: DiscoveredProperty, to object: ObjectBase
    ) throws(RealmError) {
        let saved = (place, dynamicTarget)
        defer { (place, dynamicTarget) = saved }
        place = (object._discovered.name, property.name)
        dynamicTarget = object._dynamicTarget(property)
        try property.type._assignAny(any, to: object, at: property.place, self, .everything)
    }

    /// The value that is given for one property, if it is.
    func value(
        _ any: Any, of property: DiscoveredProperty, in model: DiscoveredModel
    ) throws(RealmError) -> Any? {
        try Self.values(any, for: model, self).first { $0.0.name == property.name }?.1
    }

    /// The key that is given, in the form of the engine.
    func key(
        _ any: Any, _ property: DiscoveredProperty, _ model: DiscoveredModel
    ) throws(RealmError) -> StorableValue {
        let saved = place
        defer { place = saved }
        place = (model.name, property.name)
        return try property.type._storable(any, self)
    }

    private static func values(
        _ any: Any, for model: DiscoveredModel, _ conversion: ValueConversion
    ) throws(RealmError) -> [(DiscoveredProperty, Any)] {
        guard let value = unwrapped(any) else {
            throw conversion.mismatch(any, expected: "values of '\(model.name)'")
        }
        let stored = model.properties.filter { $0.shape.role == .stored }
        if let object = source(value) { return properties(of: object, stored) }
        if let entries = value as? [String: Any] {
            return stored.compactMap { property in
                entries[property.name].map { (property, $0) }
            }
        }
        guard let array = value as? [Any] else {
            throw conversion.mismatch(any, expected: "values of '\(model.name)'")
        }
        guard array.count == stored.count else {
            throw .invalidValue(
                "An array for '\(model.name)' has one value per property (\(stored.count)), "
                    + "and this one has \(array.count).")
        }
        return Array(zip(stored, array))
    }

    /// The object that is given, itself or as a frozen value.
    static func source(_ value: Any) -> ObjectBase? {
        value as? ObjectBase ?? (value as? any FrozenErasure)?.erasedObject
    }

    /// Values that another object has under the same names.
    private static func properties(
        of object: ObjectBase, _ wanted: [DiscoveredProperty]
    ) -> [(DiscoveredProperty, Any)] {
        let model = object._discovered
        return wanted.compactMap { property in
            model[property.name].map { (property, $0.type._anyValue(object, at: $0.place)) }
        }
    }
}

@available(*, unavailable)
extension ValueConversion: Sendable {}

extension PersistedValue {
    /// What a program gave, in the form of the engine.
    static func _storable(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> StorableValue {
        try _convert(any, conversion)._storable
    }
}

extension Sequence {
    fileprivate var erased: [Any] { map { $0 } }
}

extension ObjectBase {
    /// The embedded object that a property of a live object has.
    final func _embedded(_ property: DiscoveredProperty) -> EmbeddedObject? {
        guard __state == AccessorState.live, property.shape.isEmbedded,
            property.shape.container == .none
        else { return nil }
        return unwrapped(property.type._anyValue(self, at: property.place)) as? EmbeddedObject
    }
}

/// A frozen object whose class is not known.
private protocol FrozenErasure {
    var erasedObject: ObjectBase { get }
}

extension Frozen: FrozenErasure {
    fileprivate var erasedObject: ObjectBase { object }
}
