import Storage

extension ValuePath {
    /// The same path for distinguishing its values: embedded objects differ by their contents, not
    /// by their row keys, which are all different.
    func distinguishing(in store: StoreSchema) -> ValuePath {
        var path = self
        path.embeddedClasses = endTarget.map { store.embeddedClasses(from: $0) } ?? []
        return path
    }

    /// The class of the objects that its links end in; nil if it does not end in links.
    private var endTarget: ClassID? {
        switch end {
        case .value(_, let schema), .elements(_, let schema):
            return schema.kind == .link ? schema.target : nil
        case .nested(let nested):
            return nested.kind == .link ? nested.schema.target : nil
        case .rows:
            if case .rows(.elements(_, _, let target))? = steps.last { return target }
            return nil
        }
    }

    /// A value of the path as it is distinguished from others.
    func distinguished(_ value: StoredValue, _ view: TreeView) -> StoredValue {
        guard let target = embeddedClasses.first, case .link(let key) = value else {
            return view.present(value)
        }
        return EmbeddedContents.value(of: key, target, view)
    }
}

extension StoreSchema {
    /// An embedded class, and those that its objects contain; none for any other class.
    fileprivate func embeddedClasses(from id: ClassID) -> [ClassID] {
        var found = self[id].isEmbedded ? [id] : []
        var next = 0
        while next < found.count {
            for column in self[found[next]].columns where !column.isRemoved {
                guard let target = column.target, self[target].isEmbedded,
                    !found.contains(target)
                else { continue }
                found.append(target)
            }
            next += 1
        }
        return found
    }
}

/// The properties of an embedded object, followed by those of each embedded object within it. A
/// loop, because recursion would exhaust the stack on a deep object.
private struct EmbeddedContents {
    private let view: TreeView
    private var values: [StoredValue] = []
    /// The objects whose properties are to be added, in order.
    private var pending: [(id: ClassID, key: RowKey)]

    private init(_ key: RowKey, _ id: ClassID, _ view: TreeView) {
        self.view = view
        pending = [(id, key)]
    }

    /// A value for the contents of an object, equal for equal contents.
    static func value(of key: RowKey, _ id: ClassID, _ view: TreeView) -> StoredValue {
        var contents = EmbeddedContents(key, id, view)
        var next = 0
        while next < contents.pending.count {
            contents.add(contents.pending[next].id, contents.pending[next].key)
            next += 1
        }
        return .list(NestedID(0), contents.values)
    }

    private mutating func add(_ id: ClassID, _ key: RowKey) {
        guard let row = view.classView(id).locate(key) else {
            values.append(.null)
            return
        }
        for (index, column) in view.schema[id].columns.enumerated() where !column.isRemoved {
            switch column.container {
            case .none: add(row.value(index, column), column)
            case .list, .set:
                let elements = row.cluster.sequence(index, row.slot, column)
                // Delimits the elements.
                values.append(.int(Int64(elements.count)))
                elements.forEach { add($0, column) }
            case .map:
                let map = row.cluster.map(index, row.slot, column)
                values.append(.int(Int64(map.count)))
                map.forEach { _, key, value in
                    values.append(.string(key))
                    add(value, column)
                }
            }
        }
    }

    private mutating func add(_ value: StoredValue, _ column: ColumnSchema) {
        guard case .link(let key) = value, let target = column.target,
            view.schema[target].isEmbedded
        else {
            values.append(view.present(value))
            return
        }
        values.append(.bool(true))
        pending.append((target, key))
    }
}
