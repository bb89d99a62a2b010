import Storage

/// Remembers which rows the backlink properties on a key path showed, as a hash per object.
///
/// A link that is taken away leaves no mark at the row it pointed to, so for paths with backlinks
/// the difference is found by comparing.
struct PathFootprint {
    private let path: WatchedPath
    /// The path up to its last backlink step; nil when it has none and nothing is remembered.
    private let steps: ArraySlice<PathStep>?
    private let origins: Set<ClassID>
    private var hashes: [RowKey: Int] = [:]

    init(_ path: WatchedPath) {
        self.path = path
        var origins: Set<ClassID> = []
        var last: Int?
        for (depth, step) in path.steps.enumerated() {
            if case .backlinks(let origin, _) = step {
                origins.insert(origin)
                last = depth
            }
        }
        steps = last.map { path.steps[...$0] }
        self.origins = origins
    }

    /// Remembers the present state of `roots`.
    mutating func reset(_ roots: some Sequence<RowKey>, in graph: some LinkGraph) {
        guard let steps else { return }
        hashes = [:]
        for root in roots { hashes[root] = Self.hash(root, steps, graph) }
    }

    /// The rows among `roots` that show something else than they did; remembers the present state.
    mutating func update(
        _ roots: some Sequence<RowKey>, marks: MergedMarks, in graph: some LinkGraph
    ) -> Set<RowKey> {
        guard let steps else { return [] }
        let isUntouched = !marks.isEverything && origins.allSatisfy { marks.classes[$0] == nil }
        var changed: Set<RowKey> = []
        var present: [RowKey: Int] = [:]
        for root in roots {
            let before = hashes[root]
            if isUntouched, let before {
                present[root] = before
                continue
            }
            let hash = Self.hash(root, steps, graph)
            if let before, before != hash { changed.insert(root) }
            present[root] = hash
        }
        hashes = present
        return changed
    }

    private static func hash(
        _ root: RowKey, _ steps: ArraySlice<PathStep>, _ graph: some LinkGraph
    ) -> Int {
        var hasher = Hasher()
        var rows = [root]
        for step in steps {
            var next: [RowKey] = []
            for row in rows {
                switch step {
                case .column(let column, let id):
                    graph.forEachTarget(of: row, in: id, column: column) { next.append($0) }
                case .backlinks(let origin, let column):
                    graph.forEachOrigin(of: row, origin: origin, column: column) {
                        next.append($0)
                    }
                }
            }
            for row in next { hasher.combine(row) }
            hasher.combine(next.count)
            rows = next
        }
        return hasher.finalize()
    }
}
