import Storage

/// The last delivered state of sectioned results, and its difference from the next.
///
/// Only the keys of inserted objects, and of objects whose key may have changed, are computed.
struct SectionTracker<Key: Hashable & Sendable, Model: ObjectBase> {
    private let model: ModelBinding
    private let keying: SectionKeying<Key, Model>
    private var results: ResultsTracker
    /// Finds the objects whose key may have changed.
    private var finder: ModificationFinder
    /// The sections of the last delivered rows.
    private(set) var table = SectionTable<Key>()

    init(
        _ model: ModelBinding, _ keying: SectionKeying<Key, Model>, _ results: ResultsTracker,
        _ finder: ModificationFinder
    ) {
        self.model = model
        self.keying = keying
        self.results = results
        self.finder = finder
    }

    var watched: Set<ClassID> { results.watched.union(finder.watched) }

    /// The last delivered rows.
    var rows: KeyRope { results.rows }

    /// Evaluates the results, and starts over from them. `sections` divides them into sections.
    mutating func reset(
        in view: TreeView, _ sections: (KeyRope) -> FrozenSectionedResults<Key, Model>
    ) -> FrozenSectionedResults<Key, Model> {
        results.reset(in: view)
        finder.reset(rows, in: TreeGraph(view: view))
        let sections = sections(rows)
        table = sections.table
        return sections
    }

    /// The change from the state before to `moment`, which the marks led to.
    mutating func change(_ marks: MergedMarks, _ moment: Snapshot) -> SectionedChange<Key> {
        var change = results.change(marks, in: moment.view)
        moveRows(marks, moment, &change)
        let before = table
        var places: [Int?]?
        if !change.deletions.isEmpty || !change.insertions.isEmpty {
            let keys = keys(at: change.insertions, moment)
            let applied = table.applying(
                change.deletions, Array(zip(change.insertions, keys)).map { ($0, $1) })
            table = applied.table
            places = applied.places
        }
        return SectionedChange(
            rows: change, before: before, after: table,
            places: places ?? Array(before.keys.indices))
    }

    /// Adds to a change the rows that kept their position but not their section: each is deleted
    /// and inserted.
    private mutating func moveRows(
        _ marks: MergedMarks, _ moment: Snapshot, _ change: inout PositionChange
    ) {
        let graph = TreeGraph(view: moment.view)
        var candidates: [Int]
        if let touched = finder.modified(rows, by: marks, in: graph) {
            if touched.isEmpty { return }
            candidates = results.positions(of: touched, in: moment.view)
        } else {
            candidates = Array(0..<rows.count)
        }
        candidates.remove(ascending: change.insertions)
        let former = PositionChange.newPositions(
            of: candidates, deletions: change.insertions, insertions: change.deletions)
        var moved: (from: [Int], to: [Int]) = ([], [])
        for (index, key) in keys(at: candidates, moment).enumerated() {
            let section = table.path(of: former[index]).section
            if table.number(of: key) == section { continue }
            moved.from.append(former[index])
            moved.to.append(candidates[index])
        }
        if moved.from.isEmpty { return }
        change.deletions = (change.deletions + moved.from).sorted()
        change.insertions = (change.insertions + moved.to).sorted()
        change.modifications.remove(ascending: moved.from)
    }

    /// The keys of the rows at ascending positions, as they are now.
    private func keys(at positions: [Int], _ moment: Snapshot) -> [Key] {
        let context = moment.context
        return rows.keys(at: positions).map { row in
            // A row that cannot be read gets the key of an object without values.
            let object =
                context.object(model, row) ?? model.makeAccessor(frozen: context, row, .missing)
            // Unsafe: the model is that of `Model`.
            return keying.read(unsafeDowncast(object, to: Model.self))
        }
    }
}

extension [Int] {
    /// Removes ascending numbers from these, which ascend too.
    fileprivate mutating func remove(ascending numbers: [Int]) {
        if numbers.isEmpty || isEmpty { return }
        var rest = numbers[...]
        removeAll { number in
            while let first = rest.first, first < number { rest.removeFirst() }
            return rest.first == number
        }
    }
}
