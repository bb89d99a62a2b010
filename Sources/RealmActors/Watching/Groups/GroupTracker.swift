import Storage

/// Keeps the groups of a query as commits change them.
///
/// Where the query judges rows one by one, and no link leads to what is measured, a commit costs as
/// much as it has touched: counts and sums of integers subtract what a row has added. What cannot
/// be subtracted, such as the greatest value, is recomputed for the groups that were touched.
/// Everything else is evaluated again when it may have changed. No version is kept.
struct GroupTracker: Sendable {
    private let query: ResultsQuery
    private let path: ValuePath
    private let measures: [GroupMeasure]
    /// The classes that links lead to.
    private let linked: Set<ClassID>
    private let rule: RowRule?
    /// The measures that are sums of integers, and where those are.
    private let sums: [(measure: Int, column: Int, schema: ColumnSchema)]
    private(set) var table: GroupTable
    private var members: GroupMembers

    init(_ query: ResultsQuery, by path: ValuePath, _ measures: [GroupMeasure]) {
        self.query = query
        self.path = path
        self.measures = measures
        var linked: Set<ClassID> = []
        for path in [path] + measures.compactMap(\.path) { path.addClasses(to: &linked) }
        self.linked = linked
        rule = linked.isEmpty ? RowRule(query.unordered) : nil
        sums = measures.enumerated().compactMap { index, measure in
            measure.integerColumn.map { (index, $0.column, $0.schema) }
        }
        table = GroupTable(by: path, measures)
        members = GroupMembers(sums: sums.count)
    }

    var watched: Set<ClassID> { query.dependencies.union(linked) }

    /// Evaluates the query, and starts over from what it gives.
    mutating func reset(in view: TreeView) {
        var table = GroupTable(by: path, measures)
        var members = GroupMembers(sums: sums.count)
        let columns = sums.map { ($0.column, $0.schema) }
        query.forEachMask(view) { cluster, mask in
            table.add(cluster, mask, view) { slot, group in
                if rule == nil { return }
                let row = RowLocation(cluster: cluster, slot: slot)
                members.insert(row, group, columns)
            }
        }
        self.table = table
        self.members = members
    }

    /// Follows commits to the state of `view`.
    mutating func update(_ marks: MergedMarks, in view: TreeView) {
        guard let rule, rule.isQuicker(for: marks, among: members.count), !isSparse else {
            return reset(in: view)
        }
        guard let own = marks.classes[query.classID] else { return }
        var touched = Set(own.touched.keys)
        touched.formUnion(own.deleted)
        touched.formUnion(own.created.lazy.joined().map { RowKey($0) })
        let columns = sums.map { ($0.column, $0.schema) }
        var groups: Set<Int> = []
        for key in touched {
            if let gone = members.remove(key) {
                table.remove(gone.group, Array(zip(sums.map(\.measure), gone.values)))
                groups.insert(gone.group)
            }
            guard rule.includes(key, in: view),
                let row = view.classView(query.classID).locate(key)
            else { continue }
            let group = table.add(row.location, view)
            members.insert(row.location, group, columns)
            groups.insert(group)
        }
        workOut(groups, in: view)
    }

    /// Whether most groups that there were have no rows any more.
    private var isSparse: Bool {
        table.count > 64 + 2 * table.sizes.count { $0 > 0 }
    }

    /// Recomputes, for some groups, what cannot be subtracted.
    private mutating func workOut(_ groups: Set<Int>, in view: TreeView) {
        let columns = measures.indices.filter { !measures[$0].isReversible }
        if columns.isEmpty || groups.isEmpty { return }
        table.clear(columns, of: groups)
        var cursor = RowCursor(view.classView(query.classID))
        for (key, group) in members.rows(of: groups) {
            guard let row = cursor.locate(key) else { continue }
            table.add(row, to: group, columns, view)
        }
    }
}
