import RealmActors
import Storage

extension Condition {
    /// Whether a ship meets the condition, in the most obvious way; in a subquery, a sailor.
    func holds(_ row: PlainRow, _ plain: PlainShips, isSailor: Bool = false) -> Bool {
        func any(_ place: Place, _ test: (PlainValue) -> Bool) -> Bool {
            let path = isSailor ? Array(place.property.path.dropFirst()) : place.property.path
            let values = plain.values(path, of: row)
            // A link to nobody behind a collection is no value at all.
            let isThrough = !isSailor && place.property == .crewFriendName
            let found = isThrough ? friends(row, plain) : values
            return found.contains(where: test) != place.isNone
        }
        switch self {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy { $0.holds(row, plain, isSailor: isSailor) }
        case .or(let parts): return parts.contains { $0.holds(row, plain, isSailor: isSailor) }
        case .not(let part): return !part.holds(row, plain, isSailor: isSailor)
        case .comparison(let place, let op, let constant):
            return any(place) { Self.compare($0, op, constant) }
        case .between(let place, let low, let high):
            return any(place) {
                Self.compare($0, .greaterOrEqual, low) && Self.compare($0, .lessOrEqual, high)
            }
        case .member(let place, let values):
            return any(place) { value in values.contains { Self.compare(value, .equal, $0) } }
        case .text(let place, let kind, let argument, let options):
            return any(place) { NaiveRow.text($0.stored, kind, argument, options) }
        case .texts(let place, let kind, let other, let options):
            let path = isSailor ? Array(other.path.dropFirst()) : other.path
            let argument = plain.values(path, of: row)[0].stored
            return any(place) { NaiveRow.texts($0.stored, kind, argument, options) }
        case .remainder(let place, let divisor, let numbers):
            return any(place) { value in
                guard case .int(let number) = value else { return false }
                let remainder = number % divisor
                switch numbers {
                case .listed(let listed): return listed.contains(remainder)
                case .within(let range): return range.contains(remainder)
                }
            }
        case .calculation(let a, let op, let b):
            return Self.compare(a.value(row, plain), op, b.value(row, plain))
        case .count(let collection, let op, let count):
            let name = collection.rawValue
            let found = row.links[name]?.count ?? row.elements[name]?.count ?? 0
            return Self.compare(.int(found), op, .int(count))
        case .aggregate(let place, let aggregate, let op, let constant):
            let values = plain.values(place.property.path, of: row).compactMap(\.number)
            return Self.compare(Self.reduce(values, aggregate), op, constant)
        case .key(let key, let op, let constant):
            let value = row.entries["cargo"]?[key].map { PlainValue.int($0) } ?? .null
            return Self.compare(value, op, .int(constant))
        case .subquery(let condition, let op, let count):
            let crew = (row.links["crew"] ?? []).map { plain.sailors[$0] }
            let found = crew.count { condition.holds($0, plain, isSailor: true) }
            return Self.compare(.int(found), op, .int(count))
        }
    }

    private func friends(_ row: PlainRow, _ plain: PlainShips) -> [PlainValue] {
        (row.links["crew"] ?? []).compactMap { index in
            plain.sailors[index].link["friend"].flatMap { plain.sailors[$0].values["name"] }
        }
    }

    private static func reduce(
        _ values: [Double], _ aggregate: CollectionAggregate
    ) -> PlainValue {
        let numbers = values.filter { !$0.isNaN }
        switch aggregate {
        case .minimum: return numbers.min().map { .double($0) } ?? .null
        case .maximum: return numbers.max().map { .double($0) } ?? .null
        case .sum: return .double(numbers.reduce(0, +))
        case .average:
            return numbers.isEmpty ? .null : .double(numbers.reduce(0, +) / Double(numbers.count))
        case .distinctCount: return .int(Set(numbers).count)
        }
    }

    static func compare(_ a: PlainValue, _ op: QueryComparison, _ b: PlainValue) -> Bool {
        if let x = a.number, let y = b.number {
            return op.holds(x, y)
        }
        return NaiveRow.compare(a.stored, op, b.stored)
    }
}

extension Condition.Calculation {
    /// Integers divided and multiplied as Swift does; nil of what is nil, NaN of what is not there.
    fileprivate func value(_ row: PlainRow, _ plain: PlainShips) -> PlainValue {
        switch self {
        case .constant(let value): return .int(value)
        case .property(let property): return plain.values(property.path, of: row)[0]
        case .pair(let left, let operation, let right):
            let (a, b) = (left.value(row, plain), right.value(row, plain))
            if a == .null || b == .null { return .null }
            guard case .int(let x) = a, case .int(let y) = b else { return .double(.nan) }
            switch operation {
            case .add: return .int(x + y)
            case .subtract: return .int(x - y)
            case .multiply: return .int(x * y)
            case .divide: return y == 0 ? .double(.nan) : .int(x / y)
            case .remainder: return y == 0 ? .double(.nan) : .int(x % y)
            }
        }
    }
}

extension PlainValue {
    fileprivate var stored: StoredValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .int(let value): .int(Int64(value))
        case .double(let value): .double(value)
        case .text(let value): .string(value)
        }
    }
}
