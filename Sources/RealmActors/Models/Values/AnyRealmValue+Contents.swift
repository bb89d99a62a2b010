public import Foundation

extension AnyRealmValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// A list of the values.
    public init(arrayLiteral elements: AnyRealmValue...) { self = .fromArray(elements) }
    /// A dictionary of the values; the last one of equal keys wins.
    public init(dictionaryLiteral entries: (String, AnyRealmValue)...) {
        self = .fromDictionary(Dictionary(entries, uniquingKeysWith: { _, last in last }))
    }

    /// A list of the values.
    public static func fromArray(_ values: [AnyRealmValue]) -> AnyRealmValue {
        .list(List(values))
    }

    /// A dictionary of the values.
    public static func fromDictionary(_ values: [String: AnyRealmValue]) -> AnyRealmValue {
        .dictionary(Map(values))
    }
}

/// The contained value, if it is of the requested kind.
extension AnyRealmValue {
    /// The integer; nil for any other kind.
    public var intValue: Int? { if case .int(let value) = self { value } else { nil } }
    /// The boolean; nil for any other kind.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number of single precision; nil for any other kind.
    public var floatValue: Float? { if case .float(let value) = self { value } else { nil } }
    /// The number of double precision; nil for any other kind.
    public var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The string; nil for any other kind.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The bytes; nil for any other kind.
    public var dataValue: Data? { if case .data(let value) = self { value } else { nil } }
    /// The point in time; nil for any other kind.
    public var dateValue: Date? { if case .date(let value) = self { value } else { nil } }
    /// The UUID; nil for any other kind.
    public var uuidValue: UUID? { if case .uuid(let value) = self { value } else { nil } }
    /// The identifier; nil for any other kind.
    public var objectIdValue: ObjectId? {
        if case .objectId(let value) = self { value } else { nil }
    }
    /// The decimal number; nil for any other kind.
    public var decimal128Value: Decimal128? {
        if case .decimal128(let value) = self { value } else { nil }
    }
    /// The list; nil for any other kind.
    public var listValue: List<AnyRealmValue>? {
        if case .list(let value) = self { value } else { nil }
    }
    /// The dictionary; nil for any other kind.
    public var dictionaryValue: Map<String, AnyRealmValue>? {
        if case .dictionary(let value) = self { value } else { nil }
    }
    /// The contained value; nil for no value.
    var contents: Any? {
        switch self {
        case .none: nil
        case .int(let value): value
        case .bool(let value): value
        case .float(let value): value
        case .double(let value): value
        case .string(let value): value
        case .data(let value): value
        case .date(let value): value
        case .uuid(let value): value
        case .object(let value): value
        case .objectId(let value): value
        case .decimal128(let value): value
        case .list(let value): value
        case .dictionary(let value): value
        }
    }
    /// Whether it contains an object or a collection.
    var hasContents: Bool {
        switch self {
        case .object, .list, .dictionary: true
        case .none, .int, .bool, .float, .double, .string, .data, .date, .uuid, .objectId,
            .decimal128:
            false
        }
    }
    /// The place of the collection in it, if it was read from a managed object.
    var nestedPlace: NestedPlace? {
        if case .list(let list) = self { return list.place.nested }
        if case .dictionary(let map) = self { return map.place.nested }
        return nil
    }
    /// The value itself; with a copy of its collection, if that was read from an object, with which
    /// it would change and be deleted.
    var unmanagedCopy: AnyRealmValue {
        if let nested = nestedPlace {
            // As a whole, because finding each nested collection would search the whole value. A
            // removed collection has no contents to copy.
            return nested.stored.map { Self._element(StorableValue($0), nested.root.owner) } ?? self
        }
        if case .list(let list) = self, list.place.row != nil {
            return .fromArray(list.map(\.unmanagedCopy))
        }
        if case .dictionary(let map) = self, map.place.row != nil {
            return .fromDictionary(map.dictionary.mapValues(\.unmanagedCopy))
        }
        return self
    }
    /// The object when it is one of `type`; nil for any other.
    public func object<Model: Object>(_ type: Model.Type = Model.self) -> Model? {
        if case .object(let value) = self { value as? Model } else { nil }
    }
}

extension AnyRealmValue {
    /// Whether both are of one kind and equal; collections by their elements, and objects in them
    /// by their rows.
    public static func == (a: AnyRealmValue, b: AnyRealmValue) -> Bool {
        switch a {
        case .none: if case .none = b { return true }
        case .int(let a): if case .int(let b) = b { return a == b }
        case .bool(let a): if case .bool(let b) = b { return a == b }
        case .float(let a): if case .float(let b) = b { return a == b }
        case .double(let a): if case .double(let b) = b { return a == b }
        case .string(let a): if case .string(let b) = b { return a == b }
        case .data(let a): if case .data(let b) = b { return a == b }
        case .date(let a): if case .date(let b) = b { return a == b }
        case .uuid(let a): if case .uuid(let b) = b { return a == b }
        case .objectId(let a): if case .objectId(let b) = b { return a == b }
        case .decimal128(let a): if case .decimal128(let b) = b { return a == b }
        case .object(let a): if case .object(let b) = b { return a == b }
        case .list(let a):
            if case .list(let b) = b {
                return a.isSame(as: b) || a.elementsEqual(b, by: areEqualElements)
            }
        case .dictionary(let a):
            if case .dictionary(let b) = b {
                return a.isSame(as: b) || areEqual(a.dictionary, b.dictionary)
            }
        }
        return false
    }

    private static func areEqual(
        _ a: [String: AnyRealmValue], _ b: [String: AnyRealmValue]
    ) -> Bool {
        a.count == b.count
            && a.allSatisfy { entry in
                b[entry.key].map { areEqualElements(entry.value, $0) } ?? false
            }
    }

    /// Whether both are equal as elements: objects by their rows, because each read of a collection
    /// makes new accessors.
    private static func areEqualElements(_ a: AnyRealmValue, _ b: AnyRealmValue) -> Bool {
        if case .object(let a) = a, case .object(let b) = b { return a.isSameObject(as: b) }
        return a == b
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .none: hasher.combine(0)
        case .int(let value): hasher.combine(value)
        case .bool(let value): hasher.combine(value)
        case .float(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .data(let value): hasher.combine(value)
        case .date(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .objectId(let value): hasher.combine(value)
        case .decimal128(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        case .list(let value):
            hasher.combine(value.count)
            // Without objects: equal lists may have different accessors for the same rows.
            for element in value where !element.isObject { hasher.combine(element) }
        case .dictionary(let value): hasher.combine(Set(value.dictionary.keys))
        }
    }

    private var isObject: Bool { if case .object = self { true } else { false } }
}

/// An element of any type, detached from its object: a list or dictionary within a value that was
/// read from an object is copied.
func unmanagedCopy<Element>(of element: Element) -> Element {
    guard Element.self == AnyRealmValue.self,
        let copy = (element as? AnyRealmValue)?.unmanagedCopy as? Element
    else { return element }
    return copy
}

// If the collection itself is within a value, it is copied as a whole, because finding each nested
// collection would search that value.

extension List {
    /// The elements, detached from their object.
    var unmanagedElements: [Element] {
        if place.nested != nil, let list = self as? List<AnyRealmValue>,
            let copy = AnyRealmValue.list(list).unmanagedCopy.listValue as? List
        {
            return Array(copy)
        }
        return map { unmanagedCopy(of: $0) }
    }
}

extension Map where Key == String {
    /// The entries, detached from their object.
    var unmanagedEntries: [String: Value] {
        if place.nested != nil, let map = self as? Map<String, AnyRealmValue>,
            let copy = AnyRealmValue.dictionary(map).unmanagedCopy.dictionaryValue as? Map
        {
            return copy.dictionary
        }
        return dictionary.mapValues { unmanagedCopy(of: $0) }
    }
}

extension ObjectDescription {
    /// The text of a value of any type in a description.
    static func text(of value: AnyRealmValue, depth: Int) -> String {
        switch value {
        case .object(let object): name(of: object)
        case .list(let list): text(list, depth: depth)
        case .dictionary(let map): text(map, depth: depth)
        case .none: "nil"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): bounded(value, maximumText)
        case .data(let value): "\(value.count) total bytes"
        case .date(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .objectId(let value): "\(value)"
        case .decimal128(let value): "\(value)"
        }
    }
}
