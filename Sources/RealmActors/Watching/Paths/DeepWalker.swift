import Storage

/// Finds the objects of a class from which forward links lead to touched rows, by walking backlinks
/// from these. Rows without such links cost nothing.
struct DeepWalker: Sendable {
    private let root: ClassID
    private let schema: StoreSchema
    private let distances: ClassDistances

    init(root: ClassID, schema: StoreSchema) {
        self.root = root
        self.schema = schema
        distances = ClassDistances(root: root, schema: schema, limit: WatchedPaths.depth)
    }

    /// The rows of the root class that were touched, or from which touched rows are reached.
    func modified(by marks: MergedMarks, in graph: some LinkGraph) -> Set<RowKey> {
        var seen: [ClassID: Set<RowKey>] = [:]
        var frontier: [ClassID: [RowKey]] = [:]
        for (id, marks) in marks.classes where distances.byClass[id] != nil {
            frontier[id] = Array(marks.touched.keys)
            seen[id] = Set(marks.touched.keys)
        }
        for level in 1...WatchedPaths.depth where !frontier.isEmpty {
            var next: [ClassID: [RowKey]] = [:]
            for (id, rows) in frontier {
                for link in schema.incoming(id) {
                    guard let distance = distances.byClass[link.origin],
                        distance + level <= WatchedPaths.depth
                    else { continue }
                    for row in rows {
                        graph.forEachOrigin(of: row, origin: link.origin, column: link.column) {
                            if seen[link.origin, default: []].insert($0).inserted {
                                next[link.origin, default: []].append($0)
                            }
                        }
                    }
                }
            }
            frontier = next
        }
        return seen[root] ?? []
    }
}
