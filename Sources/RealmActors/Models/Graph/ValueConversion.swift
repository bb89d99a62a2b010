import Foundation
import Storage

/// Makes property values from what a program passes: dictionaries, arrays, JSON, objects. Opaque
/// outside the library.
@_documentation(visibility: internal)
public final class ValueConversion {
    /// Nil while values become unmanaged objects.
    let graph: ObjectGraph?
    let update: UpdatePolicy
    /// What finds the rows of frozen and of dynamic objects, while values are assigned to a live
    /// object.
    private(set) var thawing: ObjectGraph?
    /// Whether unmanaged objects of the program become those of the realm, instead of being copied.
    let adopts: Bool
    private var place: Place?
    private var depth = 0
    /// What unmanaged objects were made of objects of other classes, so that cycles end.
    private var copies: [CopySource: ObjectBase] = [:]
    /// Embedded objects that were made by name, each of which is to come into a parent.
    private var embedded: [(id: ClassID, row: RowKey)] = []

    /// The property that the conversion is at.
    private struct Place {
        let model: String
        let property: String
        /// What the store has for the property of a dynamic object, whose Swift type says less: the
        /// class that it links to, and which integers it takes.
        var target: ModelBinding?
        var integers = IntegerRange.unstated

        init(_ model: String, _ property: String) {
            (self.model, self.property) = (model, property)
        }

        init(_ property: DiscoveredProperty, of object: ObjectBase) {
            self.init(object._discovered.name, property.name)
            guard let column = object._dynamicColumn(property) else { return }
            target = column.target
            integers = column.integers
        }
    }

    /// Values nest this deep at most; what refers to itself would never end.
    private static let maximumDepth = 512

    private init(_ graph: ObjectGraph?, _ update: UpdatePolicy, adopts: Bool = false) {
        self.graph = graph
        self.update = update
        self.adopts = adopts
    }

    /// Makes unmanaged objects, for `init(value:)`.
    static func unmanaged() -> ValueConversion { ValueConversion(nil, .error) }

    /// Makes objects of a realm, for `create`.
    static func managed(_ graph: ObjectGraph, _ update: UpdatePolicy) -> ValueConversion {
        ValueConversion(graph, update)
    }

    /// Takes the unmanaged objects that it is given into a realm, as adding and assigning do.
    static func adopting(_ graph: ObjectGraph, _ update: UpdatePolicy) -> ValueConversion {
        ValueConversion(graph, update, adopts: true)
    }

    /// Assigns to `object`: the links of a live dynamic object are made of objects of its realm.
    static func assigning(to object: ObjectBase) -> ValueConversion {
        guard let context = object._live, context.isWritable else { return unmanaged() }
        if object is DynamicObject { return adopting(context.graph, .error) }
        let conversion = unmanaged()
        conversion.thawing = context.graph
        return conversion
    }

    /// Whether objects of a realm are made: no collection that is given is taken over.
    var isManaged: Bool { graph != nil }

    /// Notes an embedded object that has no parent yet.
    func noteEmbedded(_ id: ClassID, _ row: RowKey) { embedded.append((id, row)) }

    /// Deletes the embedded objects that an error has kept from coming into a parent. A program may
    /// catch it and continue.
    func deleteOrphans() {
        guard let graph, graph.liveContext.isWritable else { return }
        for (id, row) in embedded where !graph.hasParent(id, row) { graph.delete(id, [row]) }
        embedded = []
    }

    /// The error of a value that does not fit.
    func mismatch(_ any: Any, expected: String) -> RealmError {
        let name = place.map { "Property '\($0.model).\($0.property)'" } ?? "The value"
        guard let value = unwrapped(any) else {
            return .invalidValue("\(name) takes \(expected), and was given nil.")
        }
        let text = ObjectDescription.brief(value)
        return .invalidValue("\(name) takes \(expected), and was given \(type(of: value)): \(text)")
    }

    /// Throws when `value` is an integer that the property being assigned does not take, although
    /// its Swift type does.
    func check(_ value: some PersistableScalar, given any: Any) throws(RealmError) {
        // Most properties say nothing: then the value is not put into the engine's form for this.
        guard let range = place?.integers, range != .unstated,
            case .int(let number) = value._scalar.value, !range.bounds.contains(number)
        else { return }
        throw mismatch(any, expected: range.described)
    }

    /// The elements of an array-like value; none for null.
    func elements(_ any: Any, expected: String) throws(RealmError) -> [Any] {
        guard let value = unwrapped(any) else { return [] }
        if let array = value as? [Any] { return array }
        // A string is a collection too, but no list.
        if !(value is String), !(value is Data), !(value is [String: Any]),
            let sequence = value as? any Sequence
        {
            let elements = sequence.erased
            try Self.requireReadable(value)
            return elements
        }
        throw mismatch(any, expected: expected)
    }

    /// The entries of a dictionary-like value; none for null.
    func entries(_ any: Any, expected: String) throws(RealmError) -> [String: Any] {
        guard let value = unwrapped(any) else { return [:] }
        if let entries = value as? [String: Any] { return entries }
        if let map = value as? any EntryCollection {
            let entries = map.entries
            try Self.requireReadable(value)
            return Dictionary(
                entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        throw mismatch(any, expected: expected)
    }

    /// Throws why elements of a collection are missing: the store that is written does not know
    /// what could not be read of another.
    private static func requireReadable(_ value: Any) throws(RealmError) {
        try (value as? any StoreCollection)?.requireReadable()
    }

    /// An object of `type`: the one given, or one made of the values given.
    func object<Target: ObjectBase>(
        _ any: Any, as type: Target.Type
    ) throws(RealmError) -> Target {
        guard let value = unwrapped(any) else { throw mismatch(any, expected: "\(type)") }
        if type == DynamicObject.self, let target = place?.target, let graph {
            // Unsafe: the types were found to be the same.
            return unsafeDowncast(try dynamicObject(value, target, graph), to: type)
        }
        if let source = Self.source(value) {
            if let source = source as? DynamicObject,
                let object = (graph ?? thawing)?.typed(source, as: type)
            {
                return object
            }
            if let exact = source as? Target, Swift.type(of: source) == type {
                return try own(exact)
            }
            // One of another class is copied, by the names of its properties.
            if source._hasGone { throw source._invalidated }
        }
        let saved = place
        depth += 1
        defer {
            place = saved
            depth -= 1
        }
        guard depth <= Self.maximumDepth else {
            throw .invalidValue("A value of '\(type)' nests too deeply; it may contain itself.")
        }
        if let graph, !(type is EmbeddedObject.Type) {
            return try graph.create(type, value, self, update)
        }
        let source = Self.source(value).map { CopySource($0) }
        if let source, let copy = copies[source] as? Target { return copy }
        let object = type.init()
        if let source { copies[source] = object }
        try assign(value, to: object)
        // One that is embedded has one parent: where it is given twice, it is copied twice.
        if object is EmbeddedObject, let source { copies[source] = nil }
        return object
    }

    /// A dynamic object of `target`: an accessor for the one given, or one made of
    /// the values given.
    private func dynamicObject(
        _ value: Any, _ target: ModelBinding, _ graph: ObjectGraph
    ) throws(RealmError) -> DynamicObject {
        let source = Self.source(value)
        if let source = source as? DynamicObject,
            let row = graph.thawed(source, by: target) as? DynamicObject
        {
            return row
        }
        guard let object = source, !isCopiedByName(object, target, graph) else {
            let saved = place
            defer { place = saved }
            var made: DynamicObject?
            try nesting { () throws(RealmError) in
                made = try graph.createDynamic(target, value, self, update)
            }
            return made.unsafelyUnwrapped
        }
        guard object._discovered.name == target.className else {
            throw mismatch(value, expected: target.className)
        }
        let linked = try object is DynamicObject ? object : own(object)
        return graph.dynamic(target, try graph.link(to: linked))
    }

    /// Whether the values of an object are read by their names: of one that is embedded already,
    /// and of a frozen one that represents no row of `target`.
    private func isCopiedByName(
        _ object: ObjectBase, _ target: ModelBinding, _ graph: ObjectGraph
    ) -> Bool {
        if object.__state == AccessorState.unmanaged { return false }
        if object._isEmbedded { return true }
        guard object.__state == AccessorState.frozen else { return false }
        return !object._isInStore(of: graph.models)
            || graph.models.binding(for: Swift.type(of: object))?.classID != target.classID
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

    /// The object that corresponds to a given one: itself, or its copy where `create` makes one.
    func own<Target: ObjectBase>(_ source: Target) throws(RealmError) -> Target {
        if source.__state == AccessorState.frozen, let row = thawing?.present(source) { return row }
        guard let graph, !adopts || source.__state != AccessorState.unmanaged else { return source }
        return try graph.own(source, update)
    }

    /// Assigns the values given to the properties of `object`; those that are absent stay.
    func assign(
        _ any: Any, to object: ObjectBase, changes: ChangePolicy = .everything
    ) throws(RealmError) {
        let model = object._discovered
        let values = try Self.values(any, for: model, self)
        let saved = place
        defer { place = saved }
        // The key first: in a cycle the object may be added before the rest of its values.
        let ordered = values.filter(\.0.isPrimaryKey) + values.filter { !$0.0.isPrimaryKey }
        for (property, value) in ordered {
            if object.__state != AccessorState.unmanaged, property.isPrimaryKey { continue }
            place = Place(property, of: object)
            if changes == .differences,
                let embedded = object._embedded(property), let values = unwrapped(value),
                values as? ObjectBase !== embedded
            {
                try update(embedded, inPlace: values)
                continue
            }
            if changes == .differences, try updateEmbedded(value, of: property, in: object) {
                continue
            }
            let whole =
                changes == .differences ? try completed(value, of: property, in: object) : value
            try property.type._assignAny(
                defaulted(whole, of: property), to: object, at: property.place, self, changes)
        }
        // The store that is written does not know what could not be read of another.
        try unwrapped(any).flatMap(Self.source)?._requireReadable()
    }

    /// Makes `object`, which is unmanaged and has nothing yet, of the values given: where an object
    /// of another class leads back to itself, the one that is made of it does.
    func fill(_ object: ObjectBase, with any: Any) throws(RealmError) {
        if let source = unwrapped(any).flatMap(Self.source) { copies[CopySource(source)] = object }
        try assign(any, to: object)
    }

    /// Assigns a value to one property.
    func assign(
        _ any: Any, of property: DiscoveredProperty, to object: ObjectBase
    ) throws(RealmError) {
        let saved = place
        defer { place = saved }
        place = Place(property, of: object)
        try property.type._assignAny(
            defaulted(any, of: property), to: object, at: property.place, self, .everything)
    }

    /// The value that is given for one property, if it is.
    func value(
        _ any: Any, of property: DiscoveredProperty, in model: DiscoveredModel
    ) throws(RealmError) -> Any? {
        try Self.values(any, for: model, self).first { $0.0.name == property.name }?.1
    }

    /// The key that is given, in the form of the engine; `integers` are those that it can be.
    func key(
        _ any: Any, _ property: DiscoveredProperty, _ model: DiscoveredModel,
        integers: IntegerRange = .unstated
    ) throws(RealmError) -> StorableValue {
        let saved = place
        defer { place = saved }
        var key = Place(model.name, property.name)
        key.integers = integers
        place = key
        return try property.type._storable(any, self)
    }

    /// The object that is given, itself or as a frozen value.
    static func source(_ value: Any) -> ObjectBase? {
        value as? ObjectBase ?? (value as? any FrozenErasure)?.erasedObject
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
    final func _embedded(_ property: DiscoveredProperty) -> ObjectBase? {
        guard __state == AccessorState.live, property.shape.container == .none,
            property.shape.isEmbedded || _dynamicColumn(property)?.target?.isEmbedded == true
        else { return nil }
        return unwrapped(property.type._anyValue(self, at: property.place)) as? ObjectBase
    }
}

/// A frozen object whose class is not known.
protocol FrozenErasure {
    var erasedObject: ObjectBase { get }
}
