import Foundation
import Storage

/// The value or object at the end of a path, and the constants that fit it.
struct QueryTarget {
    let name: String
    let kind: ValueKind
    /// The class, for links.
    let target: ClassID?

    init(_ path: QueryPath, _ bound: ValuePath, _ parser: QueryParser) {
        name = path.steps.isEmpty ? "The object" : "'\(path.text)'"
        kind = bound.valueKind ?? .mixed
        switch bound.end {
        case .value(_, let schema), .elements(_, let schema): target = schema.target
        case .nested(let nested): target = nested.schema.target
        case .rows:
            if case .rows(let rows)? = bound.steps.last {
                target = rows.target
            } else {
                target = parser.classID
            }
        }
    }

    var kindName: String { kind.traits.phrase }

    /// A comparison with a constant.
    func compare(
        _ path: QueryPath, _ comparison: QueryComparison, _ constant: QueryConstant,
        at position: Int, _ parser: QueryParser
    ) throws(RealmError) -> QueryExpression {
        if case .object(let object) = constant, kind == .link {
            return .row(
                path, try row(object, at: position, parser), isEqual: comparison == .equal)
        }
        return .comparison(path, comparison, try value(constant, at: position, parser))
    }

    /// One of several constants that are not objects of links.
    func member(
        _ path: QueryPath, _ constants: [QueryConstant], at position: Int, _ parser: QueryParser
    ) throws(RealmError) -> QueryExpression {
        var values: [StoredValue] = []
        for constant in constants {
            values.append(try value(constant, at: position, parser))
        }
        return .member(path, values)
    }

    /// A constant in the stored form of the property.
    func value(
        _ constant: QueryConstant, at position: Int, _ parser: QueryParser
    ) throws(RealmError) -> StoredValue {
        switch constant {
        case .value(let value):
            if value.isNull { return .null }
            if let fitted = fitted(value) { return fitted }
        case .fraction(let exact, let nearest):
            let value = kind == .decimal ? StoredValue.decimal(exact.bits) : .double(nearest)
            if let fitted = fitted(value) { return fitted }
        case .object(let object):
            guard kind == .mixed else { break }
            let row = try row(object, at: position, parser)
            // No value equals an unmanaged object.
            guard parser.schema.mayHave(row) else { return .object(ClassID(-1), RowKey(-1)) }
            if let id = object.classID { return .object(id, row.key) }
        case .list, .area: break
        }
        throw parser.error(
            "\(name) is \(kindName), and cannot be compared with \(constant.text).", at: position)
    }

    /// A constant that the least, the greatest or the sum of the values is compared with.
    func aggregated(
        _ constant: QueryConstant, by aggregate: CollectionAggregate, at position: Int,
        _ parser: QueryParser
    ) throws(RealmError) -> StoredValue {
        // Averages of decimal numbers are the nearest doubles, their sums are decimal.
        let isDecimal = kind == .decimal && aggregate == .sum
        let found: StoredValue
        if !aggregate.isOneOfTheValues, kind.isNumber || kind == .mixed,
            let value = constant.single(amongDecimals: isDecimal),
            value.isNull || value.family == .number
        {
            found = value
        } else {
            found = try value(constant, at: position, parser)
        }
        return aggregate.comparand(found)
    }

    private func row(
        _ object: QueryObject, at position: Int, _ parser: QueryParser
    ) throws(RealmError) -> QueryRow {
        if let store = object.row.storeID, store != parser.schema.storeID {
            throw parser.error(
                "The object is of another realm, and cannot be compared with objects of this one.",
                at: position)
        }
        if let target, let id = object.classID, target != id, kind == .link {
            throw parser.error(
                "\(name) is an object of class '\(parser.schema.store[target].name)', and the "
                    + "argument one of class '\(object.className)'.", at: position)
        }
        return object.row
    }

    /// A value in the kind of the target: the UTF-8 bytes of a text that is given for bytes, the
    /// UUID that a text is given for, and the text of bytes in Base64 that are given for a text, as
    /// Realm writes some; else as it is.
    func spelled(_ value: StoredValue) -> StoredValue {
        if kind == .data, case .string(let text) = value { return .data(Data(text.utf8)) }
        if kind == .uuid, case .string(let text) = value, let id = UUID(canonical: text) {
            return .uuid(id)
        }
        if kind == .string, case .data(let bytes) = value,
            let text = String(validating: bytes, as: UTF8.self)
        {
            return .string(text)
        }
        return value
    }

    /// The value as the column has it; nil where it cannot have it. Numbers compare numerically,
    /// whatever kind they are of.
    private func fitted(_ given: StoredValue) -> StoredValue? {
        let value = spelled(given)
        if kind == .mixed { return value }
        if kind == .bool, case .int(let number) = value, number == 0 || number == 1 {
            return .bool(number == 1)
        }
        switch kind.number {
        case .float?:
            // A literal is rounded like the property's values: 0.1 is the nearest float.
            if case .double(let number) = value {
                return Float(number).isFinite ? .float(Float(number)) : value
            }
            if value.numeric != nil { return value.fitted(to: kind) }
        case .int?, .double?: if value.numeric != nil { return value.fitted(to: kind) }
        case .decimal?:
            if case .string(let text) = value { return Decimal128(text).map { .decimal($0.bits) } }
            if let number = value.asDecimal { return .decimal(number.bits) }
        case nil: break
        }
        return value.kind == kind && kind != .link ? value : nil
    }
}

extension QueryConstant {
    /// The text in messages.
    var text: String {
        switch self {
        case .value(let value): value.called
        case .fraction(let exact, _): "\(exact)"
        case .object(let object): "an object of class '\(object.className)'"
        case .list: "a list"
        case .area: "an area"
        }
    }
}

extension QueryParser {
    /// Refuses to compare links to different classes, of which only the keys of rows would be
    /// compared.
    func requireOneClass(
        _ left: QueryTerm, _ right: QueryTerm, at position: Int
    ) throws(RealmError) {
        guard case .path(let a) = left.kind, case .path(let b) = right.kind else { return }
        let targets = [
            QueryTarget(a, try bind(a, at: left.position), self).target,
            QueryTarget(b, try bind(b, at: right.position), self).target,
        ]
        if targets[0] != targets[1] {
            throw error(
                "A link is compared with an object, or with a link to objects of the same class.",
                at: position)
        }
    }

    /// Calculations are with numbers.
    func requireNumber(_ term: QueryTerm) throws(RealmError) {
        switch term.kind {
        case .constant(let constant):
            if let value = constant.single(), value.isNull || value.family == .number { return }
        case .count, .arithmetic, .datePart: return
        case .aggregate(let path, let aggregate):
            if !aggregate.isOneOfTheValues { return }
            if try isOfNumbers(path, at: term.position) { return }
        case .path(let path): if try isOfNumbers(path, at: term.position) { return }
        case .paths, .subquery, .type, .condition: break
        }
        throw error("Only numbers can be calculated with.", at: term.position)
    }

    /// Refuses the remainder of what is not an integer for all that is known.
    func requireInteger(_ term: QueryTerm) throws(RealmError) {
        let kind: ValueKind?
        if case .path(let path) = term.kind {
            kind = try bind(path, at: term.position).valueKind
        } else if let value = term.constant?.single() {
            kind = value.kind
        } else {
            return
        }
        if let kind, kind != .int, kind != .mixed {
            throw error("Only integers have a remainder.", at: term.position)
        }
    }

    private func isOfNumbers(
        _ path: QueryPath, at position: Int
    ) throws(RealmError) -> Bool {
        let kind = try bind(path, at: position).valueKind
        return kind?.isNumber ?? false || kind == .mixed
    }
}
