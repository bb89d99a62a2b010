public import Foundation
import Storage

/// A value of any type that can be stored, including an object.
///
///     person.notes["seats"] = .int(4)
///     person.notes["tags"] = ["quick", 3, ["deep": true]]
///     person.notes["tags"]?.listValue?.append("late")
///
/// For `==`, numbers of different types are different values; queries, sorts and sets compare them
/// numerically. Lists and dictionaries nest up to 100 deep. Those read from a managed object are
/// live: changing them changes the object, and each change writes the whole value again. Storing
/// one copies it.
///
/// An object in it is live or unmanaged, so the type is not Sendable; ``FrozenValue`` is its
/// Sendable counterpart.
public enum AnyRealmValue: Hashable {
    /// No value.
    case none
    /// An integer.
    case int(Int)
    /// A boolean.
    case bool(Bool)
    /// A number of single precision.
    case float(Float)
    /// A number of double precision.
    case double(Double)
    /// A string.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// An object, live or unmanaged.
    case object(Object)
    /// An identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A list of such values.
    case list(List<AnyRealmValue>)
    /// A dictionary of such values.
    case dictionary(Map<String, AnyRealmValue>)
}

@available(*, unavailable)
extension AnyRealmValue: Sendable {}

extension AnyRealmValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
    /// No value.
    public init(nilLiteral: ()) { self = .none }
    /// An integer.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A double.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension AnyRealmValue: PersistedValue, ListElement, SetElement, MapValue, IndexableValue {
    /// A column of values that carry their type.
    public static var _shape: PropertyShape {
        var shape = PropertyShape(kind: .mixed, name: "AnyRealmValue")
        shape.isNullable = true
        return shape
    }

    /// No value.
    public static func _initial() -> AnyRealmValue { .none }

    /// Reads the column.
    public static func _read(_ object: ObjectBase, _ column: Int) -> AnyRealmValue {
        AnyRealmValue(
            object.__cluster.value(column, object.__slot, object.__model.columns[column]),
            ElementPlace(object, column))
    }

    /// Records the access and returns no value, or a string.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> AnyRealmValue {
        object._trace(column, into: nil)
        return object._tracedMark(String.self).map(AnyRealmValue.string) ?? AnyRealmValue.none
    }

    /// Replaces the value; a collection that was read from an object is copied.
    public static func _assigned(
        _ value: AnyRealmValue, over current: AnyRealmValue?
    ) -> AnyRealmValue? {
        // An explicit `.some`: `.none` would be that of the optional.
        .some(value.unmanagedCopy)
    }

    /// Writes the column of a live object, adding an object in the value.
    public static func _store(
        _ value: AnyRealmValue, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            // A collection that is in this place already keeps its identity, so that lists read
            // before remain valid.
            var encoding = NestedEncoding(graph)
            let stored = try encoding.value(value, within: [])
            try stored.checkNesting()
            object._set(stored, column, changes)
        }
    }

    /// False when there is something to write.
    public static func _insert(
        _ wrapper: UnsafeMutableRawPointer, _ row: RowTarget, _ column: Int
    ) -> Bool {
        // Unsafe: binding found a `Persisted<AnyRealmValue>` at this address of an object the
        // caller holds.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<AnyRealmValue>.self)
        return wrapper.pointee.unmanagedValue() == AnyRealmValue.none
    }

    /// Writes the value, adding an object in it.
    public static func _connect(
        _ wrapper: UnsafeMutableRawPointer, _ owner: ObjectBase, _ graph: GraphTarget
    ) throws(RealmError) {
        // Unsafe: binding found a `Persisted<AnyRealmValue>` at this address of `owner`.
        let wrapper = wrapper.assumingMemoryBound(to: Persisted<AnyRealmValue>.self)
        let value = wrapper.pointee.unmanagedValue()
        // A live object must not retain linked objects: cycles would leak.
        if value.hasContents { wrapper.pointee.value = nil }
        let stored = try _stored(value, graph).value
        graph.graph.set(stored, owner, graph.column, graph.changes)
    }

    /// Converts a value of the program.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> AnyRealmValue {
        guard let given = unwrapped(any) else { return .none }
        switch given {
        case let value as AnyRealmValue: return try conversion.own(value)
        case let object as Object: return try conversion.own(AnyRealmValue.object(object))
        case let value as String: return .string(value)
        case let value as Data: return .data(value)
        case let value as Date: return .date(value)
        case let value as UUID: return .uuid(value)
        case let value as ObjectId: return .objectId(value)
        case let value as Decimal128: return .decimal128(value)
        case let value as List<AnyRealmValue>: return try conversion.own(.list(value))
        case let value as Map<String, AnyRealmValue>: return try conversion.own(.dictionary(value))
        case let values as [Any]: return .list(List(try convert(values, conversion)))
        case let values as [String: Any]:
            let converted = try convert(Array(values.values), conversion)
            return .dictionary(
                Map(Dictionary(uniqueKeysWithValues: zip(values.keys, converted))))
        default: break
        }
        // By the exact type: numbers of JSON cast to every number type.
        if type(of: given) == Float.self, let value = given as? Float { return .float(value) }
        switch GivenNumber(given) {
        case .boolean(let value): return .bool(value)
        case .integer(let value): return .int(Int(value))
        case .real(let value): return .double(value)
        case nil: break
        }
        if let object = ValueConversion.source(given) as? Object {
            return try conversion.own(AnyRealmValue.object(object))
        }
        if let frozen = given as? any FrozenValueErasure {
            return try conversion.own(frozen.erasedValue)
        }
        throw conversion.mismatch(any, expected: "AnyRealmValue")
    }

    private static func convert(
        _ values: [Any], _ conversion: ValueConversion
    ) throws(RealmError) -> [AnyRealmValue] {
        var converted: [AnyRealmValue] = []
        try conversion.nesting { () throws(RealmError) in
            for value in values { converted.append(try _convert(value, conversion)) }
        }
        return converted
    }

    /// The value as the engine compares it.
    public var _storable: StorableValue {
        Self._storedDirectly(self) ?? StorableValue(.null)
    }
}

extension AnyRealmValue: CollectionElement {
    /// The schema shape of the elements.
    public static var _elementShape: PropertyShape { _shape }

    /// Makes a value from its stored form; collections in it are copies.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> AnyRealmValue {
        switch stored.value.collection?.elements {
        case .list(let values)?:
            .list(List(values.map { _element(StorableValue($0), owner) }))
        case .dictionary(let entries)?:
            .dictionary(
                Map(entries.dictionary { _element(StorableValue($0), owner) }))
        case nil: AnyRealmValue(stored.value, ElementPlace(owner, 0))
        }
    }

    /// Makes a value from its stored form; collections in it are live.
    public static func _element(_ stored: StorableValue, at place: ElementPlace) -> AnyRealmValue {
        AnyRealmValue(stored.value, place)
    }

    /// A stored value that was read at `place`, within the collections of `path`.
    init(_ stored: StoredValue, _ place: ElementPlace, _ path: [NestedID] = []) {
        switch stored {
        case .null, .link: self = .none
        case .bool(let value): self = .bool(value)
        case .int(let value): self = .int(Int(value))
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(Date(timeIntervalSinceReferenceDate: value))
        case .uuid(let value): self = .uuid(value)
        case .objectID(let value): self = .objectId(ObjectId(bits: value))
        case .decimal(let value): self = .decimal128(Decimal128(bits: value))
        case .object(let classID, let key):
            self = (place.owner._linked(classID, key) as? Object).map { .object($0) } ?? .none
        case .list(let id, _):
            let nested = NestedPlace(root: place, path: path + [id])
            self = .list(List(place: CollectionPlace(nested: NestedListContents(nested))))
        case .dictionary(let id, _):
            let nested = NestedPlace(root: place, path: path + [id])
            self = .dictionary(
                Map(place: CollectionPlace(nested: NestedDictionaryContents(nested))))
        }
    }

    /// The stored form; adds the objects in it.
    public static func _stored(
        _ element: AnyRealmValue, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue {
        var encoding = NestedEncoding(graph)
        let stored = try encoding.value(element, within: nil)
        try stored.checkNesting()
        return StorableValue(stored)
    }

    /// The stored form, when nothing has to be added for it.
    public static func _storedDirectly(_ element: AnyRealmValue) -> StorableValue? {
        switch element {
        case .none: return StorableValue(.null)
        case .int(let value): return value._scalar
        case .bool(let value): return value._scalar
        case .float(let value): return value._scalar
        case .double(let value): return value._scalar
        case .string(let value): return value._scalar
        case .data(let value): return value._scalar
        case .date(let value): return value._scalar
        case .uuid(let value): return value._scalar
        case .objectId(let value): return value._scalar
        case .decimal128(let value): return value._scalar
        case .object(let object):
            guard object.__state != AccessorState.unmanaged else { return nil }
            return StorableValue(.object(object.__model.classID, object.__key))
        case .list(let list):
            var values: [StoredValue] = []
            for value in list {
                guard let stored = _storedDirectly(value) else { return nil }
                values.append(stored.value)
            }
            return StorableValue(.list(.fresh(), values))
        case .dictionary(let map):
            var entries: [NestedEntry] = []
            for (key, value) in map.sorted(by: { NestedEntry.precedes($0.key, $1.key) }) {
                guard let stored = _storedDirectly(value) else { return nil }
                entries.append(NestedEntry(key: key, value: stored.value))
            }
            return StorableValue(.dictionary(.fresh(), entries))
        }
    }
}

extension ObjectBase {
    /// An accessor, of the same context, for a row of any class; nil if the row was deleted.
    /// Deletions do not remove links from values of any type.
    final func _linked(_ classID: ClassID, _ key: RowKey) -> ObjectBase? {
        guard let model = __context?.models.linkedBinding(classID, like: __model) else {
            return nil
        }
        if let frozen = __context as? FrozenContext { return frozen.object(model, key) }
        // A row of a commit that is not durable yet cannot be located yet.
        guard let live = _live, live.awaitsCommit || live.locate(classID, key) != nil else {
            return nil
        }
        return model.makeAccessor(live: live, key)
    }
}
