public import Foundation
import Storage

/// A value of any type that a property can have, an object included.
///
///     person.notes["seats"] = .int(4)
///
/// An object in it is live or unmanaged, so the type is not Sendable; ``FrozenValue`` is its twin.
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
    /// A text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// An object, live or unmanaged.
    case object(Object)
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
        _element(
            StorableValue(
                object.__cluster.value(column, object.__slot, object.__model.columns[column])),
            object)
    }

    /// Records the access.
    public static func _traced(_ object: ObjectBase, _ column: Int) -> AnyRealmValue {
        object._trace(column, into: nil)
        return .none
    }

    /// Replaces the value.
    public static func _assign(_ value: AnyRealmValue, to current: inout AnyRealmValue?) {
        // `none` written out would be the optional's.
        current = .some(value)
    }

    /// Writes the column of a live object, adding an object in the value.
    public static func _store(
        _ value: AnyRealmValue, in object: ObjectBase, column: Int, changes: ChangePolicy
    ) {
        object._withGraph(column, changes) { (graph) throws(RealmError) in
            object._set(try _stored(value, graph).value, column, changes)
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
        if case .object = value { wrapper.pointee.value = nil }
        let stored = try _stored(value, graph).value
        graph.graph.set(stored, owner, graph.column, graph.changes)
    }

    /// A value of whatever type a program gave.
    public static func _convert(
        _ any: Any, _ conversion: ValueConversion
    ) throws(RealmError) -> AnyRealmValue {
        guard let given = unwrapped(any) else { return .none }
        switch given {
        case let value as AnyRealmValue: return value
        case let object as Object: return .object(try conversion.exact(object))
        case let value as String: return .string(value)
        case let value as Data: return .data(value)
        case let value as Date: return .date(value)
        case let value as UUID: return .uuid(value)
        default: break
        }
        // Not by a cast: numbers of JSON cast to whatever is asked for.
        if type(of: given) == Float.self, let value = given as? Float { return .float(value) }
        switch GivenNumber(given) {
        case .boolean(let value): return .bool(value)
        case .integer(let value): return .int(Int(value))
        case .real(let value): return .double(value)
        case nil: throw conversion.mismatch(any, expected: "AnyRealmValue")
        }
    }

    /// The value as the engine compares it.
    public var _storable: StorableValue {
        Self._storedDirectly(self) ?? StorableValue(.null)
    }
}

extension AnyRealmValue: CollectionElement {
    /// What the schema says about the elements.
    public static var _elementShape: PropertyShape { _shape }

    /// Makes a value from its stored form.
    public static func _element(_ stored: StorableValue, _ owner: ObjectBase) -> AnyRealmValue {
        switch stored.value {
        case .null, .link: .none
        case .bool(let value): .bool(value)
        case .int(let value): .int(Int(value))
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(Date(timeIntervalSinceReferenceDate: value))
        case .uuid(let value): .uuid(value)
        case .object(let classID, let key):
            (owner._linked(classID, key) as? Object).map { .object($0) } ?? .none
        }
    }

    /// The stored form; adds an object in it.
    public static func _stored(
        _ element: AnyRealmValue, _ graph: GraphTarget
    ) throws(RealmError) -> StorableValue {
        guard case .object(let object) = element else {
            return _storedDirectly(element) ?? StorableValue(.null)
        }
        let key = try graph.graph.link(to: object)
        return StorableValue(.object(object.__model.classID, key))
    }

    /// The stored form, when nothing has to be added for it.
    public static func _storedDirectly(_ element: AnyRealmValue) -> StorableValue? {
        switch element {
        case .none: StorableValue(.null)
        case .int(let value): value._scalar
        case .bool(let value): value._scalar
        case .float(let value): value._scalar
        case .double(let value): value._scalar
        case .string(let value): value._scalar
        case .data(let value): value._scalar
        case .date(let value): value._scalar
        case .uuid(let value): value._scalar
        case .object(let object):
            object.__state == AccessorState.unmanaged
                ? nil : StorableValue(.object(object.__model.classID, object.__key))
        }
    }
}

extension ObjectBase {
    /// An accessor, of the same context, for a row of any class.
    final func _linked(_ classID: ClassID, _ key: RowKey) -> ObjectBase? {
        guard let model = __context?.models.binding(classID) else { return nil }
        if let frozen = __context as? FrozenContext { return frozen.object(model, key) }
        return _live.map { model.makeAccessor(live: $0, key) }
    }
}
