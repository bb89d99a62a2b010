public import Foundation
package import Storage

/// The Sendable twin of ``AnyRealmValue``: what it reads as on a frozen object, and what streams
/// report.
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
    /// A text.
    case string(String)
    /// Bytes.
    case data(Data)
    /// A point in time.
    case date(Date)
    /// A UUID.
    case uuid(UUID)
    /// An object, frozen.
    case object(Frozen<Object>)
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
    /// The twin of a value that was read through a frozen accessor.
    init(_ value: AnyRealmValue) {
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
        }
    }

    /// A stored value; `target` is the class of a link.
    package init(_ stored: StoredValue, target: ClassID?, _ context: FrozenContext) {
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
        case .link(let key):
            self = target.map { FrozenValue.object(in: context, $0, key) } ?? .none
        case .object(let classID, let key):
            self = FrozenValue.object(in: context, classID, key)
        }
    }

    private static func object(
        in context: FrozenContext, _ classID: ClassID, _ key: RowKey
    ) -> FrozenValue {
        guard let model = context.models.binding(classID),
            let object = context.object(model, key) as? Object
        else { return .none }
        return .object(Frozen(frozen: object))
    }
}

extension FrozenValue: CustomStringConvertible {
    /// The value alone.
    public var description: String {
        switch self {
        case .none: "nil"
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .data(let value): "\(value.count) total bytes"
        case .date(let value): "\(value)"
        case .uuid(let value): "\(value)"
        case .object(let value): "\(value)"
        }
    }
}

extension FrozenValue: Encodable {
    /// Encodes the value alone.
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
        case .object(let value): try container.encode(value)
        }
    }
}
