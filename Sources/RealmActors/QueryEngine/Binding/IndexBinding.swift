import Storage

/// Determines the part of an index that a condition selects.
struct IndexBinding {
    let schema: any QuerySchema
    let classID: ClassID

    /// The part of an index that has the rows for which `expression` holds, and no others; nil when
    /// no index has exactly these.
    func seek(_ expression: QueryExpression) -> IndexSeek? {
        switch expression {
        case .comparison(let path, let comparison, let constant):
            return seek(path) { intervals($0, comparison, constant) }
        case .member(let path, let values):
            return seek(path) { column in
                var found: [IndexInterval] = []
                for value in values {
                    guard let equal = intervals(column, .equal, value) else { return nil }
                    found += equal
                }
                return found
            }
        case .between(let path, let low, let high, let includesUpper):
            return seek(path) { column in
                guard isComparable(column, low), isComparable(column, high) else { return nil }
                if low.isNotANumber || high.isNotANumber { return [] }
                return [
                    .range(from: .before(low), to: includesUpper ? .after(high) : .before(high))
                ]
            }
        case .text(let path, let kind, let argument, let options):
            guard options.isEmpty else { return nil }
            return seek(path) { text($0, kind, argument) }
        case .constant, .and, .or, .not, .columns, .row, .bytes, .texts, .count, .aggregate,
            .operands, .subquery, .geoWithin, .fullText, .refused:
            return nil
        }
    }

    /// The seek in the index that a path of one property has.
    private func seek(
        _ path: QueryPath, _ intervals: (ColumnSchema) -> [IndexInterval]?
    ) -> IndexSeek? {
        guard path.steps.count == 1, path.elements.isEmpty,
            case .column(let id)? = schema.property(path.steps[0], of: classID)
        else { return nil }
        let classSchema = schema.store[classID]
        let column = classSchema.columns[id.rawValue]
        guard column.isFoundByIndex || classSchema.isIndexPart(id) else { return nil }
        return intervals(column).map { IndexSeek(id, $0, hasIndex: column.isFoundByIndex) }
    }

    private func isComparable(_ column: ColumnSchema, _ value: StoredValue) -> Bool {
        column.kind == value.kind && column.kind.traits.isSoughtByPlace
    }

    private func intervals(
        _ column: ColumnSchema, _ comparison: QueryComparison, _ constant: StoredValue
    ) -> [IndexInterval]? {
        if constant.isNull {
            // Null equals null only, and orders with nothing.
            guard comparison.holdsForNull(against: .null) else {
                return comparison == .notEqual ? nil : []
            }
            return column.isNullable ? [.value(.null)] : []
        }
        guard comparison != .notEqual, isComparable(column, constant) else { return nil }
        if constant.isNotANumber { return [] }
        let first = IndexBound.first(of: column.kind)
        switch comparison {
        case .equal: return [.value(constant)]
        case .less: return [.range(from: first, to: .before(constant))]
        case .lessOrEqual: return [.range(from: first, to: .after(constant))]
        case .greater: return [.range(from: .after(constant), to: .end)]
        case .greaterOrEqual: return [.range(from: .before(constant), to: .end)]
        case .notEqual: return nil
        }
    }

    private func text(
        _ column: ColumnSchema, _ kind: TextOperator, _ argument: String?
    ) -> [IndexInterval]? {
        guard column.kind == .string else { return nil }
        switch kind {
        case .equals: return intervals(column, .equal, argument.map { .string($0) } ?? .null)
        case .beginsWith:
            guard let argument, !argument.isEmpty else { return [] }
            return [.range(from: .before(.string(argument)), to: .afterPrefix(.string(argument)))]
        case .contains, .endsWith, .notEquals, .like: return nil
        }
    }
}

extension QueryExpression {
    /// The path of a condition that an index could answer.
    var soughtPath: QueryPath? {
        switch self {
        case .comparison(let path, let comparison, _): return comparison == .notEqual ? nil : path
        case .member(let path, _), .between(let path, _, _, _): return path
        case .text(let path, let kind, _, let options):
            return options.isEmpty && (kind == .beginsWith || kind == .equals) ? path : nil
        case .constant, .and, .or, .not, .columns, .row, .bytes, .texts, .count, .aggregate,
            .operands, .subquery, .geoWithin, .fullText, .refused:
            return nil
        }
    }
}
