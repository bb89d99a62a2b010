import Storage

/// The location of a collection's elements: a column of a managed object, or memory.
///
/// The collections are structs around it, with reference semantics: one for a managed property
/// needs no allocation, and an unmanaged collection becomes managed with its object.
struct CollectionPlace<Contents> {
    /// The managed object that has the collection as a property.
    private let owner: ObjectBase?
    private let column: Int
    /// The elements of an unmanaged collection.
    private let box: CollectionBox<Contents>?

    init(_ contents: Contents) {
        owner = nil
        column = -1
        box = CollectionBox(contents)
    }

    init(_ owner: ObjectBase, _ column: Int) {
        self.owner = owner
        self.column = column
        box = nil
    }

    /// A collection within an ``AnyRealmValue`` of a managed object.
    init(nested contents: NestedContents<Contents>) {
        owner = nil
        column = -1
        box = CollectionBox(nested: contents)
    }

    /// The place within a value of a managed object, if it is one.
    var nested: NestedPlace? { box?.nested?.place }

    /// The property of a managed object, if it is one.
    var managed: (owner: ObjectBase, column: Int)? {
        if let owner { return (owner, column) }
        if let box, let owner = box.owner { return (owner, box.column) }
        return nil
    }

    /// The elements of a collection that is unmanaged or within a value; nil for one that is the
    /// property of a managed object.
    var unmanaged: CollectionBox<Contents>? {
        guard let box, box.owner == nil else { return nil }
        return box
    }

    /// The row of a managed collection for reading; nil if it cannot be read.
    var row: (owner: ObjectBase, column: Int)? {
        guard let (owner, column) = managed, owner._prepareRead(column) == .row else { return nil }
        return (owner, column)
    }

    /// The stored elements of a managed list or set.
    var sequence: SequenceView? {
        row.map { $0.owner._sequence($0.column) }
    }

    /// The stored entries of a managed map.
    var map: MapView? {
        row.map { $0.owner._map($0.column) }
    }

    /// Whether both are the same property of the same row.
    func isSame(as owner: ObjectBase, _ column: Int) -> Bool {
        guard let mine = managed else { return false }
        return mine.column == column && mine.owner.isSameRow(as: owner)
    }

    /// Whether both are one collection: the same property of the same row, or the same memory.
    func isSame(as other: CollectionPlace) -> Bool {
        if let (owner, column) = other.managed { return isSame(as: owner, column) }
        if let nested, let there = other.nested { return nested.isSame(as: there) }
        return box === other.box && managed == nil
    }

    /// Lets a key path that is being traced continue from every position and key.
    func trace(_ accessor: ObjectBase) { box?.traced = accessor }

    /// Makes an unmanaged collection the property of a managed object.
    func adopt(_ owner: ObjectBase, _ column: Int, empty: Contents) {
        guard let box = unmanaged else { return }
        box.contents = empty
        box.owner = owner
        box.column = column
    }

    /// Changes a managed collection. An error of `body` fails the whole write, and so does a list
    /// that has fewer than `end` elements by then. `onlyAdding` skips the search for embedded
    /// objects to delete.
    func change(
        onlyAdding: Bool = false, upTo end: Int = 0, _ body: (Managed) throws(RealmError) -> Void
    ) {
        guard let (owner, column) = managed, owner._prepareWrite(column) else { return }
        owner._withGraph(column, .everything) { (graph) throws(RealmError) in
            let managed = Managed(owner: owner, column: ColumnID(column), target: graph)
            try managed.check(upTo: end)
            if onlyAdding { return try body(managed) }
            try managed.replacing { () throws(RealmError) in try body(managed) }
        }
        owner._finishWrite(column)
    }

    /// Changes a managed collection, and deletes the embedded objects that it removes: those at the
    /// positions that `removing` returns before the change.
    func change(
        upTo end: Int = 0, removing: (Managed) -> some Sequence<Int>,
        _ body: (Managed) throws(RealmError) -> Void
    ) {
        change(onlyAdding: true, upTo: end) { (managed) throws(RealmError) in
            guard let target = managed.embeddedTarget else { return try body(managed) }
            let removed = managed.rows(at: removing(managed))
            try body(managed)
            if !removed.isEmpty { managed.tree.delete(target, removed.sorted()) }
        }
    }

    /// A managed collection during a change.
    struct Managed {
        let owner: ObjectBase
        let column: ColumnID
        let target: GraphTarget

        var tree: WorkingTree { target.graph.tree }

        /// The stored form of an element. Throws for an integer that does not fit: collections of a
        /// dynamic object are of `Int`, even if the property has a narrower type.
        func stored<Element: CollectionElement>(
            _ element: Element
        ) throws(RealmError) -> StoredValue {
            let stored = try Element._stored(element, target).value
            guard case .int(let number) = stored else { return stored }
            let range = tree.schema[classID].columns[column.rawValue].integers
            if range.bounds.contains(number) { return stored }
            let model: ModelBinding = owner.__model
            let name = "\(model.className).\(model.property(column)?.name ?? "")"
            throw .invalidValue(
                "Property '\(name)' takes \(range.described), and was given \(number).")
        }

        /// The stored form of an element that replaces the one at `place`, if there is one. A
        /// collection that the place contains already keeps its identity, so that lists and
        /// dictionaries read before remain valid.
        func stored<Element: CollectionElement>(
            _ element: Element, at place: @autoclosure () -> Int?
        ) throws(RealmError) -> StoredValue {
            guard Element.self == AnyRealmValue.self,
                let nested = (element as? AnyRealmValue)?.nestedPlace,
                nested.root.column == column.rawValue, nested.path.count == 1,
                nested.root.owner.isSameRow(as: owner), let position = place(),
                let row = tree.locate(classID, key)
            else { return try stored(element) }
            let current = values(row.location)[position]
            return current.nestedID == nested.path.last ? current : try stored(element)
        }

        /// Throws if positions below `end` no longer exist: an observer that was notified of the
        /// change may have removed elements.
        func check(upTo end: Int) throws(RealmError) {
            guard end > 0, owner.__observation != nil, let row = tree.locate(classID, key) else {
                return
            }
            let count = values(row.location).count
            guard count < end else { return }
            let model: ModelBinding = owner.__model
            let name = "\(model.className).\(model.property(column)?.name ?? "")"
            throw .invalidValue(
                "Position \(end - 1) of '\(name)' cannot be changed: an observer removed elements "
                    + "during the change, and \(count) are left. Do not remove elements in a "
                    + "notification of a change.")
        }

        /// Runs `body`, and deletes the embedded objects that it removed from the collection, even
        /// if it throws: they have no parent any more.
        func replacing(_ body: () throws(RealmError) -> Void) throws(RealmError) {
            guard let target = embeddedTarget else { return try body() }
            let before = embedded
            defer {
                let removed = before.subtracting(embedded)
                if !removed.isEmpty { tree.delete(target, removed.sorted()) }
            }
            try body()
        }

        /// Replaces the contents, and writes only differences.
        func writeDifferences(_ contents: ColumnContents) throws(RealmError) {
            try replacing { () throws(RealmError) in tree.write(contents, classID, key, column) }
        }

        /// The class of the elements if they are embedded.
        var embeddedTarget: ClassID? {
            let target = owner.__model.columns[column.rawValue].target
            return target.flatMap { tree.schema[$0].isEmbedded ? $0 : nil }
        }

        /// The rows that the elements at the given positions link to.
        func rows(at positions: some Sequence<Int>) -> Set<RowKey> {
            guard let row = tree.locate(classID, key) else { return [] }
            let view = values(row.location)
            var keys: Set<RowKey> = []
            for position in positions {
                if case .link(let key) = view[position] { keys.insert(key) }
            }
            return keys
        }

        /// The elements of a list or set, or the values of a map.
        private func values(_ row: RowLocation) -> SequenceView {
            let schema = owner.__model.columns[column.rawValue]
            return schema.container == .map
                ? row.cluster.map(column.rawValue, row.slot, schema).values
                : row.cluster.sequence(column.rawValue, row.slot, schema)
        }

        /// The position of a map's key; nil if it does not exist.
        func position(of entry: String) -> Int? {
            guard let row = tree.locate(classID, key) else { return nil }
            let schema = owner.__model.columns[column.rawValue]
            let (index, found) = row.cluster.map(column.rawValue, row.slot, schema).index(of: entry)
            return found ? index : nil
        }

        private var embedded: Set<RowKey> {
            guard let row = tree.locate(classID, key) else { return [] }
            var keys: Set<RowKey> = []
            values(row.location).forEach { if case .link(let key) = $0 { keys.insert(key) } }
            return keys
        }

        var classID: ClassID { owner.__model.classID }
        var key: RowKey { owner.__key }
    }
}

extension ObjectBase {
    /// Whether both are accessors for one row in one context. The key of one that was lost may
    /// belong to another row since.
    final func isSameRow(as other: ObjectBase) -> Bool {
        self === other
            || __context === other.__context && __key == other.__key && __model === other.__model
                && _hasLostRow == other._hasLostRow && _wasInvalidated == other._wasInvalidated
    }
}

/// The elements of a collection that is unmanaged, or within a value of a managed object.
final class CollectionBox<Contents> {
    /// The elements of an unmanaged collection; none for one within a value.
    private var stored: Contents
    let nested: NestedContents<Contents>?
    /// The object that the collection belongs to since it was added.
    var owner: ObjectBase?
    var column = -1
    /// While a key path is traced: the accessor of the element at every position and key.
    fileprivate(set) var traced: ObjectBase?

    init(_ contents: Contents) {
        stored = contents
        nested = nil
    }

    init(nested contents: NestedContents<Contents>) {
        nested = contents
        stored = contents.decode(nil)
    }

    var contents: Contents {
        get {
            if let nested { return nested.contents }
            return stored
        }
        _modify {
            if let nested {
                yield &nested.contents
            } else {
                yield &stored
            }
        }
    }
}
