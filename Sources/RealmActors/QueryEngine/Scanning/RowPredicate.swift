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
    /// The same with the known set of rows that meet the condition.
    case linked(column: Int, RowKeySet, matchesNil: Bool)
    /// Any of the rows that a collection of links or a backlink leads to.
    case anyRow(RowSet, RowPredicate)
    /// The same with the known set of rows that meet the condition.
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
    /// Calculated values compared with each other.
    case operands(OperandComparison)
    /// The number of the rows at the end of a path, which are of a class, that meet a condition.
    case subquery(ValuePath, ClassID, RowPredicate, QueryComparison, Int64)
    /// A text operator between two properties.
    case texts(TextPair)
    /// The place of a row.
    case place(GeoColumns, GeoArea)
    /// After a place in an order.
    case behind(PagePosition)

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
        case .link, .linked, .anyRow, .anyLinked, .anyElement, .anyValue, .values, .count,
            .aggregate, .operands, .subquery, .texts, .place, .behind:
            narrowRowByRow(&mask, cluster, view)
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

    /// A separate function, so that the recursion over levels of conditions takes little stack.
    private func narrowRowByRow(
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
            ContainerElements.narrow(&mask, cluster, column, schema, view, test)
        case .anyValue(let path, let test):
            mask.filter(of: cluster) { row in path.contains(row, view) { test.matches($0) } }
        case .subquery(let path, let target, let condition, let comparison, let count):
            let rows = view.classView(target)
            mask.filter(of: cluster) { row in
                var matching: Int64 = 0
                _ = path.contains(row, view) { value in
                    guard case .link(let key) = value, let row = rows.locate(key) else {
                        return false
                    }
                    if condition.matches(row.location, view) { matching += 1 }
                    return false
                }
                return comparison.holds(matching, count)
            }
        case .values(let left, let comparison, let right):
            mask.filter(of: cluster) { row in
                left.contains(row, view) { a in
                    right.contains(row, view) { b in ValueTest.compare(a, comparison, b) }
                }
            }
        case .count(let path, let comparison, let count):
            mask.filter(of: cluster) { comparison.holds(Int64(path.count($0, view)), count) }
        case .aggregate(let path, let aggregate, let comparison, let constant):
            mask.filter(of: cluster) {
                ValueTest.compare(path.aggregate(aggregate, $0, view), comparison, constant)
            }
        case .operands(let comparison): comparison.narrow(&mask, cluster, view)
        case .texts(let pair): mask.filter(of: cluster) { pair.holds($0, view) }
        case .place(let columns, let area):
            mask.filter(of: cluster) { row in
                columns.point(row).map { area.shape.contains($0) } ?? false
            }
        case .behind(let position): position.narrow(&mask, cluster, view)
        case .constant, .and, .or, .not, .leaf: narrow(&mask, cluster, view)
        }
    }

    /// Whether one row matches.
    package func matches(_ row: RowLocation, _ view: TreeView) -> Bool {
        var mask = ClusterMask(slot: row.slot)
        narrow(&mask, row.cluster, view)
        return !mask.isEmpty
    }
}

extension RowPredicate {
    /// The least key of the rows that may match; nil for any.
    var firstKey: RowKey? {
        switch self {
        case .behind(let position): position.firstKey
        case .and(let parts): parts.lazy.compactMap(\.firstKey).max()
        case .constant, .or, .not, .leaf, .link, .linked, .anyRow, .anyLinked, .anyElement,
            .anyValue, .values, .count, .aggregate, .operands, .subquery, .texts, .place:
            nil
        }
    }
}

extension ClusterMask {
    /// Clears the bits of the rows of `cluster` for which `body` does not hold.
    @inline(__always)
    fileprivate mutating func filter(of cluster: Cluster, _ body: (RowLocation) -> Bool) {
        filter { body(RowLocation(cluster: cluster, slot: $0)) }
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
    case search(SearchScan)

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
        case .search(let scan): scan.narrow(&mask, cluster)
        }
    }
}
