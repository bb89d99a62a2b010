import Storage

/// Keeps the groups of a query as commits change them.
///
/// If the query is incremental and nothing is measured across links, a commit costs time linear in
/// what it touched: counts and sums of integers subtract what a row has added. Measures that cannot
/// be subtracted, such as a maximum, are recomputed for the touched groups. Otherwise the query is
/// evaluated again when its results may have changed. No version is kept.
struct GroupTracker: Sendable {
    private let query: ResultsQuery
    private let path: ValuePath
    private let measures: [GroupMeasure]
    /// The classes whose commits may change the groups.
    let watched: Set<ClassID>
    private let incremental: IncrementalQuery?
    /// The measures that are sums of integers, with their columns.
    private let sums: [(measure: Int, column: Int, schema: ColumnSchema)]
    private(set) var table: GroupTable
    private var members: GroupMembers

    init(_ query: ResultsQuery, by path: ValuePath, _ measures: [GroupMeasure]) {
        self.query = query
        self.path = path
        self.measures = measures
        var linked: Set<ClassID> = []
        for path in [path] + measures.compactMap(\.path) { path.addClasses(to: &linked) }
        watched = query.dependencies.union(linked)
        incremental = linked.isEmpty ? IncrementalQuery(query.unordered) : nil
        sums = measures.enumerated().compactMap { index, measure in
            measure.integerColumn.map { (index, $0.column, $0.schema) }
        }
        table = GroupTable(by: path, measures)
        members = GroupMembers(sums: sums.count)
    }

    /// Evaluates the query, and starts over from its results.
    mutating func reset(in view: TreeView) {
        var table = GroupTable(by: path, measures)
        var members = GroupMembers(sums: sums.count)
        let columns = sums.map { ($0.column, $0.schema) }
        query.forEachMask(view) { cluster, mask in
            table.add(cluster, mask, view) { slot, group in
                if incremental == nil { return }
                let row = RowLocation(cluster: cluster, slot: slot)
                members.insert(row, group, columns)
            }
        }
        self.table = table
        self.members = members
    }

    /// Applies commits, up to the state of `view`.
    mutating func update(_ marks: MergedMarks, in view: TreeView) {
        // The stream of an inverse is also notified of commits of the class of its object, which
        // need not change the groups.
        guard watched.contains(where: marks.touches) else { return }
        guard let incremental, incremental.isQuicker(for: marks, among: members.count), !isSparse
        else {
            return reset(in: view)
        }
        guard let own = marks.classes[query.classID] else { return }
        var touched = Set(own.touched.keys)
        touched.formUnion(own.deleted)
        touched.formUnion(own.created.lazy.joined().map { RowKey($0) })
        let columns = sums.map { ($0.column, $0.schema) }
        var groups: Set<Int> = []
        for key in touched {
            if let removed = members.remove(key) {
                table.remove(removed.group, Array(zip(sums.map(\.measure), removed.values)))
                groups.insert(removed.group)
            }
            guard incremental.includes(key, in: view),
                let row = view.classView(query.classID).locate(key)
            else { continue }
            let group = table.add(row.location, view)
            members.insert(row.location, group, columns)
            groups.insert(group)
        }
        workOut(groups, in: view)
    }

    /// Whether most groups are empty by now, or most of the values that were counted are removed.
    private var isSparse: Bool {
        table.count > 64 + 2 * table.sizes.count { $0 > 0 }
            || table.columns.contains(where: \.isSparse)
    }

    /// Recomputes the measures that cannot be subtracted, for some groups.
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
