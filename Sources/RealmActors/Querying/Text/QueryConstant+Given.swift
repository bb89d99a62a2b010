import Foundation
import Storage

// The arguments of query strings, and the constants in predicates of Foundation.

extension QueryConstant {
    /// The maximum number of elements of a list: an endless sequence must not block.
    private static let countMax = 1_000_000

    /// A constant from a value that the program passed; `depth` counts the enclosing lists.
    ///
    /// - Throws: the problem of the value.
    init(_ any: Any?, depth: Int = 0) throws(QueryArgumentProblem) {
        guard depth <= StoredValue.nestingMax else {
            throw QueryArgumentProblem(
                "a list that nests deeper than \(StoredValue.nestingMax) levels")
        }
        guard let any, let given = unwrapped(any) else {
            self = .null
            return
        }
        if let object = ValueConversion.source(given) {
            self = .object(QueryObject(object))
        } else if let shape = given as? any GeoShape {
            self = .area(GeoArea(shape: shape))
        } else if let value = given as? AnyRealmValue {
            try self.init(value)
        } else if let value = given as? any FailableCustomPersistable,
            value.persistableValue is EmbeddedObject
        {
            throw QueryArgumentProblem(
                "a value that is stored as an embedded object. Compare its properties, or use "
                    + "where")
        } else if let value = Self.scalar(given) {
            self = .value(value)
        } else if given is any RangeExpression {
            throw QueryArgumentProblem("a range, which is not a list. Use BETWEEN with two bounds")
        } else if given is [String: Any] || given is any EntryCollection {
            throw QueryArgumentProblem("a dictionary, with which nothing can be compared")
        } else if let elements = given as? any Sequence {
            self = .list(try Self.list(elements, depth: depth + 1))
        } else {
            throw QueryArgumentProblem(
                "a value of type '\(type(of: given))', which no property can have")
        }
    }

    private init(_ value: AnyRealmValue) throws(QueryArgumentProblem) {
        if case .object(let object) = value {
            self = .object(QueryObject(object))
        } else if let stored = value._comparable {
            self = .value(stored.value)
        } else {
            throw QueryArgumentProblem("a value that holds an unmanaged object")
        }
    }

    private static func list<Elements: Sequence>(
        _ elements: Elements, depth: Int
    ) throws(QueryArgumentProblem) -> [QueryConstant] {
        var constants: [QueryConstant] = []
        for element in elements {
            guard constants.count < countMax else {
                throw QueryArgumentProblem("more than \(countMax) values")
            }
            constants.append(try QueryConstant(element, depth: depth))
        }
        return constants
    }

    private static func scalar(_ given: Any) -> StoredValue? {
        // Checked first: an `NSNumber` casts to every number type.
        if type(of: given) is NSNumber.Type { return number(given) }
        if let value = given as? any PersistableScalar { return value._scalar.value }
        if let text = given as? Substring { return .string(String(text)) }
        if let text = given as? Character { return .string(String(text)) }
        if let value = given as? Decimal { return .decimal(Decimal128(value).bits) }
        return number(given) ?? bridged(given)
    }

    /// The value of an object of Foundation, as in JSON and property lists: casting to a protocol
    /// does not bridge it.
    private static func bridged(_ given: Any) -> StoredValue? {
        switch given {
        case let text as NSString: .string(String(describing: text))
        case let bytes as NSData: .data(Data(referencing: bytes))
        case let date as NSDate: .date(date.timeIntervalSinceReferenceDate)
        case let id as NSUUID: UUID(uuidString: id.uuidString).map { .uuid($0) }
        default: nil
        }
    }

    private static func number(_ given: Any) -> StoredValue? {
        switch GivenNumber(given) {
        case .boolean(let value): .bool(value)
        case .integer(let value): .int(value)
        case .real(let value): .double(value)
        case nil: nil
        }
    }
}

extension QueryObject {
    init(_ object: ObjectBase) {
        row = QueryRow(object)
        classID = object.__model?.classID
        className = object._discovered.name
    }
}
