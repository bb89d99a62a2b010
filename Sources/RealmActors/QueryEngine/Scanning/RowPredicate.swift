package import Storage

/// A query bound to a schema: columns instead of names, one specialised loop per leaf.
///
/// It is evaluated cluster by cluster: it clears the bits of the rows that do not match. Column
/// numbers are never reused, so that a predicate fits every version of its store.
package indirect enum RowPredicate: Sendable {
    case constant(Bool)
    case and([RowPredicate])
    case or([RowPredicate])
    case not(RowPredicate)
    case leaf(PredicateLeaf)
    /// The row that a to-one link points to.
    case link(LinkHop, RowPredicate, matchesNil: Bool)
    /// The same where the rows are known that meet the condition.
    case linked(column: Int, RowKeySet, matchesNil: Bool)
    /// Any of the rows that a collection of links or a backlink leads to.
    case anyRow(RowSet, RowPredicate)
    /// The same where the rows are known that meet the condition.
    case anyLinked(RowSet, RowKeySet)
    /// Any element of a collection of values.
    case anyElement(column: Int, ColumnSchema, ValueTest)
    /// Any of the values at the end of a path.
    case anyValue(ValuePath, ValueTest)
    /// Two columns of the same row, or values across links.
    case values(ValuePath, QueryComparison, ValuePath)
    /// The number of values at the end of a path.
    case count(ValuePath, QueryComparison, Int64)
    case aggregate(ValuePath, CollectionAggregate, QueryComparison, StoredValue)
    /// Any of the values of one operand compared with any of another's; with all of them if
    /// `isUniversal`.
    case operands(ValueOperand, QueryComparison, ValueOperand, isUniversal: Bool)
    /// The number of the rows at the end of a path, which are of a class, that meet a condition.
    case subquery(ValuePath, ClassID, RowPredicate, QueryComparison, Int64)
    /// A text operator between two properties.
    case texts(TextPair)
    /// The place that a row says.
    case place(GeoColumns, GeoArea)

    /// Clears the bits of the rows of `cluster` that do not match.
    package func narrow(_ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView) {
        switch self {
        case .constant(let value):
            if !value { mask.clear() }
        case .and(let parts):
            for part in parts {
                if mask.isEmpty { return }
                part.narrow(&mask, cluster, view)
            }
        case .or(let parts):
            narrowAny(parts, &mask, cluster, view)
        case .not(let part):
            var matching = mask
            part.narrow(&matching, cluster, view)
            mask.subtract(matching)
        case .leaf(let leaf):
            leaf.narrow(&mask, cluster)
        default:
            narrowAcrossRows(&mask, cluster, view)
        }
    }

    private func narrowAny(
        _ parts: [RowPredicate], _ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView
    ) {
        var rest = mask
        for part in parts {
            if rest.isEmpty { return }
            var matching = rest
            part.narrow(&matching, cluster, view)
            rest.subtract(matching)
        }
        mask.subtract(rest)
    }

    private func narrowAcrossRows(
        _ mask: inout ClusterMask, _ cluster: Cluster, _ view: TreeView
    ) {
        switch self {
        case .link(let hop, let inner, let matchesNil):
            hop.narrow(&mask, cluster, view, inner, matchesNil: matchesNil)
        case .linked(let column, let rows, let matchesNil):
            mask.filter { slot in
                cluster.link(column, slot).map { rows.contains($0) } ?? matchesNil
            }
        case .anyLinked(let set, let rows):
            mask.filter { set.contains(of: cluster, $0, view) { rows.contains($0) } }
        case .anyRow(let rows, let inner):
            let target = view.classView(rows.target)
            mask.filter { slot in
                rows.contains(of: cluster, slot, view) { key in
                    guard let row = target.locate(key) else { return false }
                    return inner.matches(row.location, view)
                }
            }
        case .anyElement(let column, let schema, let test):
            mask.filter { slot in
                ContainerElements.contains(cluster, column, slot, schema) {
                    test.matches(view.present($0))
                }
            }
        case .anyValue(let path, let test):
            mask.filter { slot in
                let row = RowLocation(cluster: cluster, slot: slot)
                return path.contains(row, view) { test.matches($0) }
            }
        case .subquery(let path, let target, let condition, let comparison, let count):
            let rows = view.classView(target)
            mask.filter { slot in
                var matching: Int64 = 0
                _ = path.contains(RowLocation(cluster: cluster, slot: slot), view) { value in
                    guard case .link(let key) = value, let row = rows.locate(key) else {
                        return false
                    }
                    if condition.matches(row.location, view) { matching += 1 }
                    return false
                }
                return comparison.holds(matching, count)
            }
        default:
            mask.filter { compareValues(RowLocation(cluster: cluster, slot: $0), view) }
        }
    }

    /// The comparisons that take the values of a row one by one.
    private func compareValues(_ row: RowLocation, _ view: TreeView) -> Bool {
        switch self {
        case .values(let left, let comparison, let right):
            left.contains(row, view) { a in
                right.contains(row, view) { b in ValueTest.compare(a, comparison, b) }
            }
        case .count(let path, let comparison, let count):
            comparison.holds(Int64(path.count(row, view)), count)
        case .aggregate(let path, let aggregate, let comparison, let constant):
            ValueTest.compare(path.aggregate(aggregate, row, view), comparison, constant)
        case .operands(let left, let comparison, let right, let isUniversal):
            isUniversal
                != left.contains(row, view) { a in
                    right.contains(row, view) { b in
                        ValueTest.compare(a, comparison, b) != isUniversal
                    }
                }
        case .texts(let pair): pair.holds(row, view)
        case .place(let columns, let area):
            columns.point(row).map { area.shape.contains($0) } ?? false
        default: false
        }
    }

    /// Whether one row matches.
    package func matches(_ row: RowLocation, _ view: TreeView) -> Bool {
        var mask = ClusterMask(slot: row.slot)
        narrow(&mask, row.cluster, view)
        return !mask.isEmpty
    }
}

/// The conditions on one column that have a loop of their own.
package enum PredicateLeaf: Sendable {
    case integers(IntegerScan)
    case floats(FloatingScan<Float>)
    case doubles(FloatingScan<Double>)
    case booleans(BoolScan)
    case strings(StringScan)
    case text(TextScan)
    case nulls(NullScan)
    case values(ValueScan)

    func narrow(_ mask: inout ClusterMask, _ cluster: Cluster) {
        switch self {
        case .integers(let scan): scan.narrow(&mask, cluster)
        case .floats(let scan): scan.narrow(&mask, cluster, cluster.floats(scan.column))
        case .doubles(let scan): scan.narrow(&mask, cluster, cluster.doubles(scan.column))
        case .booleans(let scan): scan.narrow(&mask, cluster)
        case .strings(let scan): scan.narrow(&mask, cluster)
        case .text(let scan): scan.narrow(&mask, cluster)
        case .nulls(let scan): scan.narrow(&mask, cluster)
        case .values(let scan): scan.narrow(&mask, cluster)
        }
    }
}
