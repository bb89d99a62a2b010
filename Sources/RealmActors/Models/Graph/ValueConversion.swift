import Foundation
import Storage

/// Makes property values from values of the program: dictionaries, arrays, JSON, objects. Opaque
/// outside the library.
@_documentation(visibility: internal)
public final class ValueConversion {
    /// Nil while values become unmanaged objects.
    let graph: ObjectGraph?
    let update: UpdatePolicy
    /// Finds the rows of frozen and dynamic objects, while values are assigned to a live object.
    private(set) var thawing: ObjectGraph?
    /// Whether unmanaged objects of the program are added to the realm, instead of being copied.
    let adopts: Bool
    private var place: Place?
    private var depth = 0
    /// The unmanaged objects that were made from objects of other classes, so that cycles end.
    private var copies: [CopySource: ObjectBase] = [:]
    /// Embedded objects that were made by name and still need a parent.
    private var embedded: [(id: ClassID, row: RowKey)] = []

    /// The property that is being converted.
    private struct Place {
        let model: String
        let property: String
        /// For the property of a dynamic object, the linked class and the range of integers from
        /// the store, which the Swift type does not have.
        var target: ModelBinding?
        var integers = IntegerRange.unstated
        /// Whether only the column of the property is known, and not its Swift type.
        var isDynamic = false

        init(_ model: String, _ property: String) {
            (self.model, self.property) = (model, property)
        }

        init(_ property: DiscoveredProperty, of object: ObjectBase) {
            self.init(object._discovered.name, property.name)
            guard let column = object._dynamicColumn(property) else { return }
            target = column.target
            integers = column.integers
            isDynamic = true
        }
    }

    /// The maximum nesting, for values that contain themselves.
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

    /// Adds the given unmanaged objects to a realm, for `add` and assignments.
    static func adopting(_ graph: ObjectGraph, _ update: UpdatePolicy) -> ValueConversion {
        ValueConversion(graph, update, adopts: true)
    }

    /// Assigns to `object`; links of a live dynamic object become links to objects of its realm.
    static func assigning(to object: ObjectBase) -> ValueConversion {
        guard let context = object._live, context.isWritable else { return unmanaged() }
        if object is DynamicObject { return adopting(context.graph, .error) }
        let conversion = unmanaged()
        conversion.thawing = context.graph
        return conversion
    }

    /// Whether objects of a realm are made, so that given collections are copied.
    var isManaged: Bool { graph != nil }

    /// Notes an embedded object that has no parent yet.
    func noteEmbedded(_ id: ClassID, _ row: RowKey) { embedded.append((id, row)) }

    /// Deletes embedded objects that an error has left without a parent. A program may catch it and
    /// continue.
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

    /// What is stored of an enum or a custom type, for a property whose Swift type is not known;
    /// nil for other values and properties.
    func stored(_ any: Any) -> Any? {
        guard place?.isDynamic == true, let value = unwrapped(any),
            value is any PersistableEnum || value is any FailableCustomPersistable
        else { return nil }
        return plain(value)
    }

    /// Throws if `value` is an integer that does not fit into the assigned property, although it
    /// fits into the Swift type.
    func check(_ value: some PersistableScalar, given any: Any) throws(RealmError) {
        // Most properties have no such range; they skip the conversion to the stored form.
        guard let range = place?.integers, range != .unstated,
            case .int(let number) = value._scalar.value, !range.bounds.contains(number)
        else { return }
        throw mismatch(any, expected: range.described)
    }

    /// The elements of an array-like value; none for null.
    func elements(_ any: Any, expected: String) throws(RealmError) -> [Any] {
        guard let value = unwrapped(any) else { return [] }
        if let array = value as? [Any] { return array }
        // A string is a collection too, but not a list.
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

    /// Throws the read error of a collection's store: the store that is written does not know of
    /// failures of another.
    private static func requireReadable(_ value: Any) throws(RealmError) {
        try (value as? any StoreCollection)?.requireReadable()
    }

    /// An object of `type`: the given one, or one made from the given values.
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
            // An object of another class is copied, by the names of its properties.
            if source._wasInvalidated { throw source._invalidated }
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
        // Not for an embedded object: given twice, it is copied twice.
        if object is EmbeddedObject, let source { copies[source] = nil }
        return object
    }

    /// A dynamic object of `target`: an accessor for the given one, or one made from the given
    /// values.
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

    /// Whether an object is copied by the names of its properties: one that has a parent already,
    /// and a frozen one without a row of `target`.
    private func isCopiedByName(
        _ object: ObjectBase, _ target: ModelBinding, _ graph: ObjectGraph
    ) -> Bool {
        if object.__state == AccessorState.unmanaged { return false }
        if object._isEmbedded { return true }
        guard object.__state == AccessorState.frozen else { return false }
        return !object._isInStore(of: graph.models)
            || graph.models.binding(for: Swift.type(of: object))?.classID != target.classID
    }

    /// Converts the contents of a collection, to a limited depth.
    func nesting(_ body: () throws(RealmError) -> Void) throws(RealmError) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else {
            throw .invalidValue("A value nests too deeply; it may contain itself.")
        }
        try body()
    }

    /// The object for a given one: itself, or the copy that `create` makes.
    func own<Target: ObjectBase>(_ source: Target) throws(RealmError) -> Target {
        if source.__state == AccessorState.frozen, let row = thawing?.present(source) { return row }
        guard let graph, !adopts || source.__state != AccessorState.unmanaged else { return source }
        return try graph.own(source, update)
    }

    /// Assigns the given values to the properties of `object`; absent ones keep their values.
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
        // The store that is written does not know of read failures of another.
        try unwrapped(any).flatMap(Self.source)?._requireReadable()
    }

    /// Fills `object`, which is unmanaged and new, with the given values. If an object of another
    /// class leads back to itself, so does its copy.
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

    /// The given value of one property, if there is one.
    func value(
        _ any: Any, of property: DiscoveredProperty, in model: DiscoveredModel
    ) throws(RealmError) -> Any? {
        try Self.values(any, for: model, self).first { $0.0.name == property.name }?.1
    }

    /// The given key in its stored form; `integers` is the range of an integer key.
    func key(
        _ any: Any, _ property: DiscoveredProperty, _ model: DiscoveredModel,
        integers: IntegerRange = .unstated
    ) throws(RealmError) -> StorableValue {
        let saved = place
        defer { place = saved }
        var key = Place(model.name, property.name)
        key.integers = integers
        key.isDynamic = model.type == DynamicObject.self
        place = key
        return try property.type._storable(any, self)
    }

    /// The given object, itself or from a frozen value.
    static func source(_ value: Any) -> ObjectBase? {
        value as? ObjectBase ?? (value as? any FrozenErasure)?.erasedObject
    }
}

@available(*, unavailable)
extension ValueConversion: Sendable {}

extension PersistedValue {
    /// The stored form of a value of the program.
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
