package import Storage

/// A to-one link on a path.
package struct LinkHop: Sendable, Hashable {
    package let column: Int
    package let target: ClassID
}

/// Rows that a row leads to: the elements of a collection of links, or the rows that link to it.
package enum RowSet: Sendable, Hashable {
    case elements(column: Int, ColumnSchema, target: ClassID)
    case backlinks(origin: ClassID, ColumnID)

    /// The class of the rows.
    package var target: ClassID {
        switch self {
        case .elements(_, _, let target): target
        case .backlinks(let origin, _): origin
        }
    }

    /// Whether one of the rows passes `test`.
    func contains(
        of cluster: Cluster, _ slot: Int, _ view: TreeView, _ test: (RowKey) -> Bool
    ) -> Bool {
        switch self {
        case .elements(let column, let schema, _):
            return ContainerElements.contains(cluster, column, slot, schema) { element in
                if case .link(let key) = element { return test(key) }
                return false
            }
        case .backlinks(let origin, let column):
            let range = view.backlinks(to: cluster.key(slot), origin: origin, column: column)
            for index in 0..<range.count where test(range[index]) { return true }
            return false
        }
    }

    /// Whether one of the elements is null, as those of a map may be, and passes `test`.
    func containsNull(
        of cluster: Cluster, _ slot: Int, _ test: (StoredValue) -> Bool
    ) -> Bool {
        guard case .elements(let column, let schema, _) = self, schema.container == .map else {
            return false
        }
        return ContainerElements.contains(cluster, column, slot, schema) {
            $0.isNull && test($0)
        }
    }
}

/// The elements of a list, set or map, whichever a column has.
enum ContainerElements {
    static func contains(
        _ cluster: Cluster, _ column: Int, _ slot: Int, _ schema: ColumnSchema,
        _ test: (StoredValue) -> Bool
    ) -> Bool {
        elements(cluster, column, slot, schema).contains(where: test)
    }

    private static func elements(
        _ cluster: Cluster, _ column: Int, _ slot: Int, _ schema: ColumnSchema
    ) -> SequenceView {
        schema.container == .map
            ? cluster.map(column, slot, schema).values : cluster.sequence(column, slot, schema)
    }

    /// Keeps the rows with an element that passes `test`.
    static func narrow(
        _ mask: inout ClusterMask, _ cluster: Cluster, _ column: Int, _ schema: ColumnSchema,
        _ view: TreeView, _ test: ValueTest
    ) {
        if schema.elementKind == .string, let text = test.ofTexts {
            mask.filter { slot in
                elements(cluster, column, slot, schema).containsText { text.matches($0) }
            }
        } else {
            mask.filter { slot in
                elements(cluster, column, slot, schema).contains { test.matches(view.present($0)) }
            }
        }
    }

    static func count(
        _ cluster: Cluster, _ column: Int, _ slot: Int, _ schema: ColumnSchema
    ) -> Int {
        schema.container == .map
            ? cluster.map(column, slot, schema).count
            : cluster.sequence(column, slot, schema).count
    }
}

/// One step on the way from a row to values.
package enum ValueStep: Sendable, Hashable {
    case link(LinkHop)
    case rows(RowSet)
    /// One link of a collection of links.
    case entry(NestedColumn, target: ClassID)
}

/// The path from a row to values, bound to a schema.
package struct ValuePath: Sendable, Hashable {
    /// The end of the path.
    package enum End: Sendable, Hashable {
        /// A value of the row, or its to-one link.
        case value(column: Int, ColumnSchema)
        /// The elements of a collection of values.
        case elements(column: Int, ColumnSchema)
        /// Parts of a collection, or of a value of any type.
        case nested(NestedColumn)
        /// The rows that the steps lead to.
        case rows
    }

    package let steps: [ValueStep]
    package let end: End
    /// The embedded classes by whose contents its values are distinguished: that of the values
    /// first.
    var embeddedClasses: [ClassID] = []
    /// Whether walking it ends once the task is cancelled, with values that are not used then.
    var isCancellable = false

    package init(steps: [ValueStep], end: End) {
        self.steps = steps
        self.end = end
    }

    /// The same, walked as far as `cancellation` allows.
    func walked(_ cancellation: EvaluationCancellation) -> ValuePath {
        var path = self
        path.isCancellable = cancellation.isCancellable
        return path
    }

    /// Whether the path leads through no collection, and so to at most one value.
    package var isSingle: Bool {
        switch end {
        case .elements: return false
        case .nested(let nested): if !nested.isSingle { return false }
        case .value, .rows: break
        }
        return !steps.contains { if case .rows = $0 { true } else { false } }
    }

    /// Whether one of the values passes `test`. A null link on the way counts as a null value.
    func contains(_ row: RowLocation, _ view: TreeView, _ test: (StoredValue) -> Bool) -> Bool {
        contains(row, view, from: 0, test)
    }

    private func contains(
        _ row: RowLocation, _ view: TreeView, from index: Int, _ test: (StoredValue) -> Bool
    ) -> Bool {
        guard index < steps.count else {
            switch end {
            case .value(let column, let schema):
                return test(view.present(row.cluster.value(column, row.slot, schema)))
            case .elements(let column, let schema):
                return ContainerElements.contains(row.cluster, column, row.slot, schema) {
                    test(view.present($0))
                }
            case .nested(let nested):
                // Every row that leads here has the part or lacks it.
                return nested.contains(row, reportsMissing: nested.isSingle) {
                    test(view.present($0))
                }
            case .rows:
                return test(.link(row.cluster.key(row.slot)))
            }
        }
        switch steps[index] {
        case .entry(let entry, let target):
            guard case .link(let key)? = entry.value(row),
                let next = view.classView(target).locate(key)
            else { return isSingle && test(.null) }
            return contains(next.location, view, from: index + 1, test)
        case .link(let hop):
            guard let key = row.cluster.link(hop.column, row.slot),
                let next = view.classView(hop.target).locate(key)
            else { return isSingle && test(.null) }
            return contains(next.location, view, from: index + 1, test)
        case .rows(let rows):
            // The number of paths multiplies with each collection: a single row may have more than
            // all others.
            if isCancellable, Task.isCancelled { return true }
            let target = view.classView(rows.target)
            let isFound = rows.contains(of: row.cluster, row.slot, view) { key in
                guard let next = target.locate(key) else { return false }
                return contains(next.location, view, from: index + 1, test)
            }
            if isFound { return true }
            // The value of a map's key may be nil, which ends the path.
            guard case .rows = end, index == steps.count - 1 else { return false }
            return rows.containsNull(of: row.cluster, row.slot, test)
        }
    }

    /// The number of values; links that are nil lead to none, and so do keys and positions that a
    /// collection lacks.
    func count(_ row: RowLocation, _ view: TreeView) -> Int {
        if case .elements(let column, let schema) = end, steps.isEmpty {
            return ContainerElements.count(row.cluster, column, row.slot, schema)
        }
        if case .rows = end, case .rows(let rows)? = steps.first, steps.count == 1 {
            switch rows {
            case .elements(let column, let schema, _):
                return ContainerElements.count(row.cluster, column, row.slot, schema)
            case .backlinks(let origin, let column):
                let key = row.cluster.key(row.slot)
                return view.backlinks(to: key, origin: origin, column: column).count
            }
        }
        let skipsNull =
            switch end {
            case .value(_, let schema): schema.kind == .link
            case .nested(let nested): nested.isSingle
            case .elements, .rows: false
            }
        var count = 0
        _ = contains(row, view) { value in
            if !skipsNull || !value.isNull { count += 1 }
            return false
        }
        return count
    }

    /// The values reduced to one: null when there are none, but for sums and counts, which are zero
    /// then.
    func aggregate(
        _ aggregate: CollectionAggregate, _ row: RowLocation, _ view: TreeView
    ) -> StoredValue {
        var best = StoredValue.null
        var total = AggregateTotal()
        var different: Set<ExactValue> = []
        _ = contains(row, view) { value in
            guard !value.isNull, !value.isNotANumber else { return false }
            switch aggregate {
            case .minimum: if best.isNull || value < best { best = value }
            case .maximum: if best.isNull || best < value { best = value }
            case .sum, .average: total.add(value)
            case .distinctCount: different.insert(ExactValue(distinguished(value, view)))
            }
            return false
        }
        switch aggregate {
        case .minimum, .maximum: return best
        case .sum: return total.sum
        case .average: return total.average.map { .double($0) } ?? .null
        case .distinctCount: return .int(Int64(different.count))
        }
    }

    /// The single value that the path leads to; nil where a link on the way is null.
    func value(_ row: RowLocation, _ view: TreeView) -> StoredValue? {
        guard case .value(let column, let schema) = end else { return nil }
        return row.following(steps[...], view)?.value(column, schema)
    }
}

extension RowLocation {
    /// The row that to-one links lead to; nil where one of them is null.
    func following(_ steps: ArraySlice<ValueStep>, _ view: TreeView) -> RowHold? {
        var row = RowHold(borrowing: self)
        for step in steps {
            guard case .link(let hop) = step, let key = row.cluster.link(hop.column, row.slot),
                let next = view.classView(hop.target).locate(key)
            else { return nil }
            row = next
        }
        return row
    }
}
