import Storage

/// The last delivered state of one list, and its difference from the next.
///
/// The edits that commits recorded give the exact change, even among equal elements. If some are
/// missing, the elements are compared.
struct SequenceTracker: ContentsTracker {
    private let owner: ClassID
    private let sequence: SequenceID
    private let isList: Bool
    private(set) var shown: [StoredValue] = []
    /// For lists of objects: what modifies an element in place.
    private var finder: ModificationFinder?

    init(_ reader: OwnedReader, _ finder: ModificationFinder?) {
        owner = reader.model.classID
        sequence = SequenceID(key: reader.key, column: ColumnID(reader.column))
        isList = reader.model.columns[reader.column].container == .list
        self.finder = finder
    }

    var watched: Set<ClassID> { finder?.watched ?? [] }

    mutating func reset(_ elements: [StoredValue], in graph: some LinkGraph) {
        shown = elements
        finder?.reset(Self.rows(elements), in: graph)
    }

    mutating func update(
        _ elements: [StoredValue], marks: MergedMarks, in graph: some LinkGraph
    ) -> PositionChange {
        let before = shown
        let modified = modified(among: elements, by: marks, in: graph)
        if let change = edited(to: elements, modified, by: marks) { return change }
        let change = PositionDiff.between(
            before.map { ComparedValue($0) }, elements.map { ComparedValue($0) },
            isModified: { modified.contains($0.value) })
        return isList ? change.replacing() : change
    }

    mutating func modify(by marks: MergedMarks, in graph: some LinkGraph) -> PositionChange {
        let modified = modified(among: shown, by: marks, in: graph)
        var change = PositionChange()
        if modified.rows?.isEmpty != true {
            change.modifications = shown.indices.filter { modified.contains(shown[$0]) }
        }
        return change
    }

    /// The present elements that are objects which the marks modify.
    mutating func modified(
        among elements: [StoredValue], by marks: MergedMarks, in graph: some LinkGraph
    ) -> ModifiedElements {
        if finder == nil { return ModifiedElements(rows: []) }
        return ModifiedElements(
            rows: finder?.modified(Self.rows(elements), by: marks, in: graph))
    }

    /// The change to `elements` by the recorded edits, after which they are the last delivered
    /// state. Nil when some edits are missing.
    mutating func edited(
        to elements: [StoredValue], _ modified: ModifiedElements, by marks: MergedMarks
    ) -> PositionChange? {
        defer { shown = elements }
        guard let script = script(marks), script.count == elements.count else { return nil }
        return script.change { modified.contains(elements[$0]) }
    }

    mutating func clear() -> [Int] {
        defer { shown = [] }
        return Array(shown.indices)
    }

    private func script(_ marks: MergedMarks) -> SequenceScript? {
        if marks.isEverything || marks.classes[owner]?.lacksEdits == true { return nil }
        var script = SequenceScript(count: shown.count)
        for edit in marks.classes[owner]?.sequenceEdits[sequence] ?? [] {
            guard script.apply(edit) else { return nil }
        }
        return script
    }

    private static func rows(_ elements: [StoredValue]) -> some Sequence<RowKey> {
        elements.lazy.compactMap { if case .link(let key) = $0 { key } else { nil } }
    }
}

/// The elements that are modified objects.
struct ModifiedElements {
    /// The objects; nil when every one may have been modified.
    let rows: Set<RowKey>?

    func contains(_ element: StoredValue) -> Bool {
        guard case .link(let key) = element else { return false }
        return rows?.contains(key) ?? true
    }
}
