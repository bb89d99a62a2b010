import RealmActors

extension Condition {
    /// Says the condition in the type-safe form.
    func typed(_ ship: Query<Ship>) -> Query<Bool> {
        switch self {
        case .constant(let value):
            // The form has no constants; what is never nil stands for them.
            return value ? ship.number >= 0 : ship.number < 0
        case .and(let parts):
            return parts.dropFirst().reduce(parts[0].typed(ship)) { $0 && $1.typed(ship) }
        case .or(let parts):
            return parts.dropFirst().reduce(parts[0].typed(ship)) { $0 || $1.typed(ship) }
        case .not(let part): return !part.typed(ship)
        case .comparison(let place, let op, let value):
            // Any of the elements is also meant where nothing is said.
            return place.elements(ship, op, value) ?? place.typed(ship).compare(op, value)
        case .between(let place, let low, let high): return place.typed(ship).between(low, high)
        case .member(let place, let values): return place.typed(ship).isOne(of: values)
        case .text(let place, let kind, let argument, let options):
            return place.typed(ship).text(kind, argument, options)
        case .texts(let place, let kind, let other, let options):
            return place.typed(ship).texts(
                kind, Condition.Place(property: other).typed(ship), options)
        case .remainder(let place, let divisor, let numbers):
            return place.typed(ship).remainder(by: divisor, isOneOf: numbers)
        case .calculation(let a, let op, let b):
            return TypedProperty.compare(a.typed(ship), op, b.typed(ship))
        case .count(let collection, let op, let count):
            let found: Query<Int> =
                switch collection {
                case .crew: ship.crew.count
                case .marks: ship.marks.count
                case .ports: ship.ports.count
                case .draughts: ship.draughts.count
                case .cargo: ship.cargo.count
                }
            return TypedProperty.int(found).compare(op, .int(count))
        case .aggregate(let place, let aggregate, let op, let value):
            return place.aggregate(aggregate, ship).compare(op, value)
        case .key(let key, let op, let value):
            return TypedProperty.int(ship.cargo[key]).compare(op, .int(value))
        case .subquery(let condition, let op, let count):
            return TypedProperty.int(condition.typed(ship).count).compare(op, .int(count))
        }
    }
}

extension Condition.Calculation {
    fileprivate func typed(_ ship: Query<Ship>) -> Query<Int> {
        switch self {
        case .constant, .property(.tons): return ship.number
        case .property(.number): return ship.number
        case .property(.captainAge): return ship.captain.age
        case .property(.friendAge): return ship.captain.friend.age
        case .property: return ship.masts
        case .pair(let left, let operation, .constant(let value)):
            let left = left.typed(ship)
            switch operation {
            case .add: return left + value
            case .subtract: return left - value
            case .multiply: return left * value
            case .divide: return left / value
            case .remainder: return left % value
            }
        case .pair(let left, _, let right): return left.typed(ship) + right.typed(ship)
        }
    }
}

/// A property in the type-safe form, of whichever type.
enum TypedProperty {
    case bool(Query<Bool>)
    case int(Query<Int>)
    case optionalInt(Query<Int?>)
    case double(Query<Double>)
    case optionalDouble(Query<Double?>)
    case text(Query<String>)
    case optionalText(Query<String?>)

    func compare(_ op: QueryComparison, _ value: PlainValue) -> Query<Bool> {
        switch (self, value) {
        case (.bool(let query), .bool(let value)): op == .equal ? query == value : query != value
        case (.int(let query), .int(let value)): Self.compare(query, op, value)
        case (.optionalInt(let query), .int(let value)): Self.compareOptional(query, op, value)
        case (.optionalInt(let query), .null): Self.compareOptional(query, op, nil)
        case (.double(let query), .double(let value)): Self.compare(query, op, value)
        case (.optionalDouble(let query), .double(let value)):
            Self.compareOptional(query, op, value)
        case (.optionalDouble(let query), .null): Self.compareOptional(query, op, nil)
        case (.text(let query), .text(let value)): Self.compare(query, op, value)
        case (.optionalText(let query), .text(let value)): Self.compareOptional(query, op, value)
        case (.optionalText(let query), .null): Self.compareOptional(query, op, nil)
        default: preconditionFailure("No \(self) is compared with \(value).")
        }
    }

    static func compare<T: PersistableScalar & Comparable>(
        _ a: Query<T>, _ op: QueryComparison, _ b: T
    ) -> Query<Bool> {
        switch op {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    static func compare<T: PersistableScalar & Comparable>(
        _ a: Query<T>, _ op: QueryComparison, _ b: Query<T>
    ) -> Query<Bool> {
        switch op {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    private static func compareOptional<T: PersistableScalar & Comparable>(
        _ a: Query<T?>, _ op: QueryComparison, _ b: T?
    ) -> Query<Bool> {
        switch op {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    func isOne(of values: [PlainValue]) -> Query<Bool> {
        let integers = values.compactMap { if case .int(let value) = $0 { value } else { nil } }
        let reals = values.compactMap { if case .double(let value) = $0 { value } else { nil } }
        let texts = values.compactMap { if case .text(let value) = $0 { value } else { nil } }
        switch self {
        case .int(let query): return query.in(integers)
        case .optionalInt(let query): return query.in(integers.map { Optional($0) })
        case .double(let query): return query.in(reals)
        case .optionalDouble(let query): return query.in(reals.map { Optional($0) })
        case .text(let query): return query.in(texts)
        case .optionalText(let query): return query.in(texts.map { Optional($0) })
        case .bool: preconditionFailure("Truth values are no members.")
        }
    }

    func remainder(by divisor: Int, isOneOf numbers: Condition.Remainders) -> Query<Bool> {
        switch (self, numbers) {
        case (.int(let query), .listed(let listed)): (query % divisor).in(listed)
        case (.int(let query), .within(let range)): (query % divisor).contains(range)
        case (.optionalInt(let query), .listed(let listed)): (query % divisor).in(listed)
        case (.optionalInt(let query), .within(let range)): (query % divisor).contains(range)
        default: preconditionFailure("\(self) is no integer.")
        }
    }

    /// Ranges of Swift are never empty: what is none holds for no value.
    func between(_ low: PlainValue, _ high: PlainValue) -> Query<Bool> {
        switch (self, low, high) {
        case (.int(let query), .int(let low), .int(let high)) where low <= high:
            query.contains(low...high)
        case (.optionalInt(let query), .int(let low), .int(let high)) where low <= high:
            query.contains(low...high)
        case (.double(let query), .double(let low), .double(let high)) where low <= high:
            query.contains(low...high)
        case (.optionalDouble(let query), .double(let low), .double(let high)) where low <= high:
            query.contains(low...high)
        case (.text(let query), .text(let low), .text(let high)) where low <= high:
            query.contains(low...high)
        case (.optionalText(let query), .text(let low), .text(let high)) where low <= high:
            query.contains(low...high)
        default: isOne(of: [])
        }
    }

    func text(
        _ kind: TextOperator, _ argument: String, _ options: StringOptions
    ) -> Query<Bool> {
        switch self {
        case .text(let query): Self.text(query, kind, argument, options)
        case .optionalText(let query): Self.text(query, kind, argument, options)
        default: preconditionFailure("\(self) is no text.")
        }
    }

    func texts(
        _ kind: TextOperator, _ other: TypedProperty, _ options: StringOptions
    ) -> Query<Bool> {
        switch (self, other) {
        case (.text(let a), .text(let b)): Self.texts(a, kind, b, options)
        case (.text(let a), .optionalText(let b)): Self.texts(a, kind, b, options)
        case (.optionalText(let a), .text(let b)): Self.texts(a, kind, b, options)
        case (.optionalText(let a), .optionalText(let b)): Self.texts(a, kind, b, options)
        default: preconditionFailure("\(self) or \(other) is no text.")
        }
    }

    private static func texts<T: QueryText, U: QueryText>(
        _ a: Query<T>, _ kind: TextOperator, _ b: Query<U>, _ options: StringOptions
    ) -> Query<Bool> {
        switch kind {
        case .contains: a.contains(b, options: options)
        case .beginsWith: a.starts(with: b, options: options)
        case .endsWith: a.ends(with: b, options: options)
        case .equals: a.equals(b, options: options)
        case .notEquals: a.notEquals(b, options: options)
        case .like: a.like(b, caseInsensitive: options.contains(.caseInsensitive))
        }
    }

    private static func text<T: QueryText>(
        _ query: Query<T>, _ kind: TextOperator, _ argument: String, _ options: StringOptions
    ) -> Query<Bool> {
        switch kind {
        case .contains: query.contains(argument, options: options)
        case .beginsWith: query.starts(with: argument, options: options)
        case .endsWith: query.ends(with: argument, options: options)
        case .equals: query.equals(argument, options: options)
        case .notEquals: query.notEquals(argument, options: options)
        case .like: query.like(argument, caseInsensitive: options.contains(.caseInsensitive))
        }
    }
}

extension Condition.Place {
    /// A comparison of a collection of values with a value; nil for every other property.
    fileprivate func elements(
        _ ship: Query<Ship>, _ op: QueryComparison, _ value: PlainValue
    ) -> Query<Bool>? {
        if isNone { return nil }
        switch (property, value) {
        case (.marks, .int(let value)): return Self.compare(ship.marks, op, value)
        case (.ports, .text(let value)): return Self.compare(ship.ports, op, value)
        case (.cargo, .int(let value)): return Self.compare(ship.cargo, op, value)
        case (.draughts, .double(let value)): return Self.compareOptional(ship.draughts, op, value)
        case (.draughts, .null): return Self.compareOptional(ship.draughts, op, nil)
        default: return nil
        }
    }

    private static func compare<T: QueryCollection>(
        _ a: Query<T>, _ op: QueryComparison, _ b: T.QueryElement
    ) -> Query<Bool> where T.QueryElement: PersistableScalar & Comparable {
        switch op {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    private static func compareOptional<T: QueryCollection>(
        _ a: Query<T>, _ op: QueryComparison, _ b: T.QueryElement
    ) -> Query<Bool>
    where T.QueryElement: QueryOptional, T.QueryElement.QueryWrapped: Comparable {
        switch op {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }

    fileprivate func typed(_ ship: Query<Ship>) -> TypedProperty {
        let crew = isNone ? ship.crew.none : ship.crew
        return switch property {
        case .number: .int(ship.number)
        case .masts: .int(ship.masts)
        case .tons: .optionalInt(ship.tons)
        case .speed: .double(ship.speed)
        case .name: .text(ship.name)
        case .nickname: .optionalText(ship.nickname)
        case .fast: .bool(ship.fast)
        case .captainName: .text(ship.captain.name)
        case .captainAge: .int(ship.captain.age)
        case .captainPay: .optionalDouble(ship.captain.pay)
        case .friendAge: .int(ship.captain.friend.age)
        case .crewName: .text(crew.name)
        case .crewAge: .int(crew.age)
        case .crewPay: .optionalDouble(crew.pay)
        case .crewFriendName: .text(crew.friend.name)
        case .marks: .int(isNone ? ship.marks.none : ship.marks.any)
        case .ports: .text(isNone ? ship.ports.none : ship.ports.any)
        case .draughts: .optionalDouble(isNone ? ship.draughts.none : ship.draughts.any)
        case .cargo: .int(isNone ? ship.cargo.none : ship.cargo.values)
        }
    }

    fileprivate func aggregate(
        _ aggregate: CollectionAggregate, _ ship: Query<Ship>
    ) -> TypedProperty {
        switch property {
        case .crewAge: Self.aggregate(aggregate, ship.crew.age)
        case .crewPay:
            switch aggregate {
            case .minimum: .optionalDouble(ship.crew.pay.min)
            case .maximum: .optionalDouble(ship.crew.pay.max)
            case .sum: .optionalDouble(ship.crew.pay.sum)
            case .average: .optionalDouble(ship.crew.pay.avg)
            case .distinctCount: .int(ship.crew.pay.distinctCount)
            }
        case .draughts:
            switch aggregate {
            case .minimum: .optionalDouble(ship.draughts.min)
            case .maximum: .optionalDouble(ship.draughts.max)
            case .sum: .optionalDouble(ship.draughts.sum)
            case .average: .optionalDouble(ship.draughts.avg)
            case .distinctCount: .int(ship.draughts.distinctCount)
            }
        case .cargo:
            switch aggregate {
            case .minimum: .optionalInt(ship.cargo.min)
            case .maximum: .optionalInt(ship.cargo.max)
            case .sum: .int(ship.cargo.sum)
            case .average: .optionalDouble(ship.cargo.avg)
            case .distinctCount: .int(ship.cargo.distinctCount)
            }
        default:
            switch aggregate {
            case .minimum: .optionalInt(ship.marks.min)
            case .maximum: .optionalInt(ship.marks.max)
            case .sum: .int(ship.marks.sum)
            case .average: .optionalDouble(ship.marks.avg)
            case .distinctCount: .int(ship.marks.distinctCount)
            }
        }
    }

    private static func aggregate(
        _ aggregate: CollectionAggregate, _ query: Query<Int>
    ) -> TypedProperty {
        switch aggregate {
        case .minimum: .int(query.min)
        case .maximum: .int(query.max)
        case .sum: .int(query.sum)
        case .average: .optionalDouble(query.avg)
        case .distinctCount: .int(query.distinctCount)
        }
    }
}
