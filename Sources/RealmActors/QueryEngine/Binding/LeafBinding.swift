import Storage

/// Chooses the loop for a condition on one column.
enum LeafBinding {
    static func bind(_ column: Int, _ schema: ColumnSchema, _ test: ValueTest) -> RowPredicate {
        switch test {
        case .never: return .constant(false)
        case .search(let search):
            return .leaf(.search(SearchScan(search, in: SearchedTexts(column, schema))))
        case .not, .types: return general(column, schema, test)
        case .comparison(let comparison, let constant):
            return comparisonLeaf(column, schema, comparison, constant)
        case .member(let values):
            // Few values: a specialised loop for each is faster than hashing every row.
            guard values.count <= 4 else { return general(column, schema, test) }
            return .or(values.map { comparisonLeaf(column, schema, .equal, $0.value) })
        case .between(let low, let high, let includesUpper):
            return .and([
                comparisonLeaf(column, schema, .greaterOrEqual, low),
                comparisonLeaf(column, schema, includesUpper ? .lessOrEqual : .less, high),
            ])
        case .text(let matcher, let isNegated):
            guard schema.kind == .string || schema.kind == .data else {
                return general(column, schema, test)
            }
            return .leaf(
                .text(
                    TextScan(
                        column: column, matcher: matcher, isNegated: isNegated,
                        isNullable: schema.isNullable)))
        }
    }

    private static func general(
        _ column: Int, _ schema: ColumnSchema, _ test: ValueTest
    ) -> RowPredicate {
        // Whether a link in a value of any type leads to an object depends on the version.
        schema.kind == .mixed
            ? .anyValue(ValuePath(steps: [], end: .value(column: column, schema)), test)
            : .leaf(.values(ValueScan(column: column, schema: schema, test: test)))
    }

    private static func comparisonLeaf(
        _ column: Int, _ schema: ColumnSchema, _ comparison: QueryComparison,
        _ constant: StoredValue
    ) -> RowPredicate {
        if constant.isNull {
            guard schema.isNullable || schema.kind == .link, schema.kind != .mixed else {
                if schema.kind == .mixed {
                    return general(column, schema, .comparison(comparison, constant))
                }
                return .constant(comparison == .notEqual)
            }
            switch comparison {
            case .equal, .lessOrEqual, .greaterOrEqual:
                return .leaf(.nulls(NullScan(column: column, isNull: true)))
            case .notEqual: return .leaf(.nulls(NullScan(column: column, isNull: false)))
            case .less, .greater: return .constant(false)
            }
        }
        return valueLeaf(column, schema, comparison, constant.fitted(to: schema.kind))
            ?? general(column, schema, .comparison(comparison, constant))
    }

    /// The specialised loop where the constant is of the column's own kind; nil for the kinds that
    /// have none, which the general loop compares as well.
    private static func valueLeaf(
        _ column: Int, _ schema: ColumnSchema, _ comparison: QueryComparison,
        _ constant: StoredValue
    ) -> RowPredicate? {
        guard constant.kind == schema.kind else { return nil }
        let isNullable = schema.isNullable
        if case .int(let value) = constant {
            return .leaf(.integers(integers(column, isNullable, comparison, value)))
        }
        if case .bool(let value) = constant, !comparison.isOfOrder {
            if isNullable {
                return .leaf(.integers(integers(column, true, comparison, value ? 1 : 0)))
            }
            return .leaf(
                .booleans(
                    BoolScan(
                        column: column, value: value == (comparison == .equal), isNullable: false,
                        matchesNull: false)))
        }
        if case .link(let key) = constant, !comparison.isOfOrder {
            return .leaf(.integers(integers(column, true, comparison, key.rawValue)))
        }
        if case .float(let value) = constant {
            return .leaf(
                .floats(
                    FloatingScan(
                        column: column, comparison: comparison, constant: value,
                        isNullable: isNullable)))
        }
        if let value = constant.plainDouble {
            return .leaf(
                .doubles(
                    FloatingScan(
                        column: column, comparison: comparison, constant: value,
                        isNullable: isNullable)))
        }
        if case .string(let value) = constant {
            return .leaf(
                .strings(
                    StringScan(
                        column: column, comparison: comparison, constant: value,
                        isNullable: isNullable)))
        }
        return nil
    }

    private static func integers(
        _ column: Int, _ isNullable: Bool, _ comparison: QueryComparison, _ value: Int64
    ) -> IntegerScan {
        var low = Int64.min
        var high = Int64.max
        switch comparison {
        case .equal, .notEqual: (low, high) = (value, value)
        case .less: (low, high) = value == .min ? (1, 0) : (.min, value - 1)
        case .lessOrEqual: high = value
        case .greater: (low, high) = value == .max ? (1, 0) : (value + 1, .max)
        case .greaterOrEqual: low = value
        }
        return IntegerScan(
            column: column, low: low, high: high, isNegated: comparison == .notEqual,
            isNullable: isNullable, matchesNull: comparison == .notEqual)
    }
}

extension StoredValue {
    /// The number converted to another kind of column; a number that does not fit is not changed.
    func fitted(to kind: ValueKind) -> StoredValue {
        guard let target = kind.number, let number = numeric else { return self }
        let fitted: StoredValue? =
            switch target {
            case .int: number.integer.map { .int($0) }
            case .float: number.exactFloat.map { .float($0) }
            case .double: number.exactDouble.map { .double($0) }
            case .decimal: nil
            }
        return fitted ?? self
    }

    /// A number of seconds or a double, which columns of both keep alike.
    fileprivate var plainDouble: Double? {
        if case .double(let value) = self { return value }
        if case .date(let value) = self { return value }
        return nil
    }
}

extension NumericValue {
    fileprivate var exactFloat: Float? {
        switch self {
        case .int(let value): Float(exactly: value)
        case .float(let value): value
        case .double(let value): Float(exactly: value)
        case .decimal: nil
        }
    }

    fileprivate var exactDouble: Double? {
        switch self {
        case .int(let value): Double(exactly: value)
        case .float(let value): Double(value)
        case .double(let value): value
        case .decimal: nil
        }
    }
}
