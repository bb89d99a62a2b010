import Storage

/// Stores, per object, a hash of the rows that the backlink properties on a key path lead to.
///
/// A removed link leaves no mark at the row it pointed to, so paths with backlinks compare hashes.
struct BacklinkHashes {
    /// The path up to its last backlink step; nil when it has none and nothing is stored.
    private let steps: ArraySlice<PathStep>?
    /// Those steps that depend on other rows than the object itself: all but a property at the
    /// beginning.
    private let dependencies: [PathStep]
    private var hashes: [RowKey: Int] = [:]

    init(_ path: WatchedPath) {
        let last = path.steps.lastIndex { step in
            if case .backlinks = step { true } else { false }
        }
        steps = last.map { path.steps[...$0] }
        var dependencies: [PathStep] = []
        for (depth, step) in (steps ?? []).enumerated() {
            if depth == 0, case .column = step { continue }
            dependencies.append(step)
        }
        self.dependencies = dependencies
    }

    /// Stores the present hashes of `roots`.
    mutating func reset(_ roots: some Sequence<RowKey>, in graph: some LinkGraph) {
        guard let steps else { return }
        hashes = [:]
        for root in roots { hashes[root] = Self.hash(root, steps, graph) }
    }

    /// The rows among `roots` whose hash has changed; stores the present hashes.
    mutating func update(
        _ roots: some Sequence<RowKey>, marks: MergedMarks, in graph: some LinkGraph
    ) -> Set<RowKey> {
        guard let steps else { return [] }
        let isUntouched =
            !marks.isEverything && dependencies.allSatisfy { !Self.isTouched($0, by: marks) }
        var changed: Set<RowKey> = []
        var present: [RowKey: Int] = [:]
        for root in roots {
            let before = hashes[root]
            if isUntouched, let before, !isRedirected(root, by: marks) {
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

    /// Whether the property of `step` was written in any row, or rows that have it were created or
    /// deleted.
    private static func isTouched(_ step: PathStep, by marks: MergedMarks) -> Bool {
        switch step {
        case .column(let column, let id), .backlinks(let id, let column):
            guard let marks = marks.classes[id] else { return false }
            if !marks.created.isEmpty || !marks.deleted.isEmpty { return true }
            return marks.touched.values.contains { $0.contains(column) }
        }
    }

    /// Whether the first property on the path was written, so that it may lead elsewhere.
    private func isRedirected(_ root: RowKey, by marks: MergedMarks) -> Bool {
        guard case .column(let column, let id)? = steps?.first else { return false }
        return marks.columns(of: root, in: id).contains(column)
    }

    private static func hash(
        _ root: RowKey, _ steps: ArraySlice<PathStep>, _ graph: some LinkGraph
    ) -> Int {
        var hasher = Hasher()
        var rows = [root]
        for step in steps {
            var next: [RowKey] = []
            for row in rows.once {
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
