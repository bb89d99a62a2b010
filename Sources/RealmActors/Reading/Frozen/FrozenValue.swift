public import Foundation
package import Storage

/// The Sendable counterpart of ``AnyRealmValue``, in frozen objects and streams.
public enum FrozenValue: Hashable, Sendable {
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
    /// An object, frozen.
    case object(Frozen<Object>)
    /// An identifier.
    case objectId(ObjectId)
    /// A decimal number.
    case decimal128(Decimal128)
    /// A list of such values.
    case list([FrozenValue])
    /// A dictionary of such values.
    case dictionary([String: FrozenValue])
}

extension FrozenValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral,
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

extension FrozenValue {
    /// The frozen form of a value that was read through a frozen accessor.
    package init(_ value: AnyRealmValue) {
        switch value {
        case .none: self = .none
        case .int(let value): self = .int(value)
        case .bool(let value): self = .bool(value)
        case .float(let value): self = .float(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .data(let value): self = .data(value)
        case .date(let value): self = .date(value)
        case .uuid(let value): self = .uuid(value)
        case .object(let object): self = .object(Frozen(frozen: object))
        case .objectId(let value): self = .objectId(value)
        case .decimal128(let value): self = .decimal128(value)
        case .list(let list): self = .list(list.map { FrozenValue($0) })
        case .dictionary(let map):
            self = .dictionary(map.dictionary.mapValues { FrozenValue($0) })
        }
    }

    /// A stored value; `target` is the class of a link.
    package init(_ stored: StoredValue, target: ClassID?, _ context: FrozenContext) {
        switch stored {
        case .link(let key):
            self = target.map { FrozenValue.object(in: context, $0, key) } ?? .none
        case .object(let classID, let key):
            self = FrozenValue.object(in: context, classID, key)
        case .list(_, let values):
            self = .list(values.map { FrozenValue($0, target: nil, context) })
        case .dictionary(_, let entries):
            self = .dictionary(
                entries.dictionary { FrozenValue($0, target: nil, context) })
        default: self = FrozenValue(scalar: stored) ?? .none
        }
    }

    /// A stored value that is neither a link nor a collection; nil for these.
    init?(scalar stored: StoredValue) {
        switch stored {
        case .null: self = .none
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
        case .link, .object, .list, .dictionary: return nil
        }
    }

    private static func object(
        in context: FrozenContext, _ classID: ClassID, _ key: RowKey
    ) -> FrozenValue {
        guard let model = context.models.linkedBinding(classID) else { return .none }
        return linked(key, model, context, depth: 0)
    }
}

extension FrozenValue: Encodable {
    /// Encodes the value itself.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .none: try container.encodeNil()
        case .int(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .float(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .uuid(let value): try container.encode(value)
        case .object(let value): try container.encode(LinkedObject(object: value.object))
        case .objectId(let value): try container.encode(value)
        case .decimal128(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .dictionary(let entries): try container.encode(entries)
        }
    }
}

extension FrozenValue: FrozenElement {
    /// Makes a value from its stored form.
    public static func _frozen(_ stored: StorableValue, _ source: FrozenSource) -> FrozenValue {
        guard let model = source.owner.__model,
            let context = source.owner.__context as? FrozenContext
        else { return .none }
        return FrozenValue(stored.value, target: model.columns[source.column].target, context)
    }

    /// The stored form.
    public var _frozenStorable: StorableValue {
        switch self {
        case .none: StorableValue(.null)
        case .int(let value): value._scalar
        case .bool(let value): value._scalar
        case .float(let value): value._scalar
        case .double(let value): value._scalar
        case .string(let value): value._scalar
        case .data(let value): value._scalar
        case .date(let value): value._scalar
        case .uuid(let value): value._scalar
        case .object(let value):
            StorableValue(.object(value.object.__model.classID, value.object.__key))
        case .objectId(let value): value._scalar
        case .decimal128(let value): value._scalar
        case .list(let values):
            StorableValue(.list(.fresh(), values.map(\._frozenStorable.value)))
        case .dictionary(let entries):
            StorableValue(
                .dictionary(
                    .fresh(),
                    entries.sorted { NestedEntry.precedes($0.key, $1.key) }
                        .map { NestedEntry(key: $0.key, value: $0.value._frozenStorable.value) }))
        }
    }
}

extension FrozenValue: FrozenValueErasure {
    var erasedValue: AnyRealmValue {
        switch self {
        case .none: .none
        case .int(let value): .int(value)
        case .bool(let value): .bool(value)
        case .float(let value): .float(value)
        case .double(let value): .double(value)
        case .string(let value): .string(value)
        case .data(let value): .data(value)
        case .date(let value): .date(value)
        case .uuid(let value): .uuid(value)
        case .object(let value): .object(value.object)
        case .objectId(let value): .objectId(value)
        case .decimal128(let value): .decimal128(value)
        case .list(let values): .fromArray(values.map(\.erasedValue))
        case .dictionary(let entries): .fromDictionary(entries.mapValues(\.erasedValue))
        }
    }
}

extension FrozenValue: CustomStringConvertible {
    /// The value; an object by its primary key, a collection by its first elements.
    public var description: String { text(depth: 0) }
}

extension FrozenValue: BriefDescription {
    func text(depth: Int) -> String { ObjectDescription.text(of: self, depth: depth) }
}

extension ObjectDescription {
    /// The text of a frozen value in a description.
    fileprivate static func text(of value: FrozenValue, depth: Int) -> String {
        switch value {
        case .none: return "nil"
        case .int(let value): return "\(value)"
        case .bool(let value): return "\(value)"
        case .float(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let value): return bounded(value, maximumText)
        case .data(let value): return "\(value.count) total bytes"
        case .date(let value): return "\(value)"
        case .uuid(let value): return "\(value)"
        case .object(let value): return name(of: value.object)
        case .objectId(let value): return "\(value)"
        case .decimal128(let value): return "\(value)"
        case .list(let values):
            if depth >= maximumDepth { return "[\(values.count) elements]" }
            return listed(
                values.prefix(maximumElements).map { text(of: $0, depth: depth + 1) },
                of: values.count)
        case .dictionary(let entries):
            if depth >= maximumDepth { return "[\(entries.count) entries]" }
            let shown = entries.keys.sorted().prefix(maximumElements).map { key in
                let value = text(of: entries[key] ?? .none, depth: depth + 1)
                return "\(bounded(key, maximumBrief)): \(value)"
            }
            return listed(shown, of: entries.count)
        }
    }
}
