import Storage

/// Finds which of the objects a stream shows were modified, as its key paths define it.
struct ModificationFinder {
    private let root: ClassID
    private let schema: StoreSchema
    private let deep: DeepWalker?
    private var paths: [(walker: PathWalker, hashes: BacklinkHashes)]
    private let watchedClasses: Set<ClassID>

    init(root: ClassID, watched: WatchedPaths, schema: StoreSchema) {
        self.root = root
        self.schema = schema
        watchedClasses = watched.classes(root: root, schema: schema)
        switch watched {
        case .deep:
            deep = DeepWalker(root: root, schema: schema)
            paths = []
        case .paths(let watched):
            deep = nil
            paths = watched.map { (PathWalker(path: $0), BacklinkHashes($0)) }
        }
    }

    /// The classes whose commits can modify the objects.
    var watched: Set<ClassID> { watchedClasses }

    /// Starts over: modifications are found from this state on.
    mutating func reset(_ rows: some Sequence<RowKey>, in graph: some LinkGraph) {
        for index in paths.indices { paths[index].hashes.reset(rows, in: graph) }
    }

    /// The rows of the root class that the marks modify; `rows` are those that are shown. Nil when
    /// there were too many marks, so that every row may be modified.
    mutating func modified(
        _ rows: some Sequence<RowKey>, by marks: MergedMarks, in graph: some LinkGraph
    ) -> Set<RowKey>? {
        var modified = deep?.modified(by: marks, in: graph) ?? []
        // A key that was given to another object counts as a modification if no deletion is
        // reported.
        if let renewed = marks.classes[root]?.renewed { modified.formUnion(renewed) }
        for index in paths.indices {
            modified.formUnion(paths[index].walker.modified(by: marks, in: graph))
            modified.formUnion(paths[index].hashes.update(rows, marks: marks, in: graph))
        }
        return marks.isEverything ? nil : modified
    }

    /// The rows of the root class that were written, or from which forward links lead to written
    /// rows, regardless of the key paths: those that a sort may have moved. Empty when there were
    /// too many marks.
    func written(by marks: MergedMarks, in graph: some LinkGraph) -> Set<RowKey> {
        if marks.isEverything { return [] }
        return (deep ?? DeepWalker(root: root, schema: schema)).modified(by: marks, in: graph)
    }

    /// The names of the root properties through which one row was modified, in the order of the
    /// watched paths. Not for the deep default.
    mutating func modifiedNames(
        of row: RowKey, by marks: MergedMarks, in graph: some LinkGraph
    ) -> [String] {
        var names: [String] = []
        for index in paths.indices {
            let name = paths[index].walker.path.name
            // Always called, even if the marks suffice: it stores the present hashes.
            let shown = paths[index].hashes.update([row], marks: marks, in: graph)
            let isModified =
                shown.contains(row) || paths[index].walker.modifies(row, by: marks, in: graph)
            if isModified, !names.contains(name) { names.append(name) }
        }
        return names
    }
}
