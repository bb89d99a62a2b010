import Storage

/// The location where an element of a managed collection, or the value of a property, was read.
@_documentation(visibility: internal)
public struct ElementPlace {
    /// The managed object.
    @usableFromInline package let owner: ObjectBase
    package let column: Int
    /// The index in the list or set, or of the key in the map, at the time of reading.
    package let position: Int

    package init(_ owner: ObjectBase, _ column: Int, position: Int = 0) {
        self.owner = owner
        self.column = column
        self.position = position
    }
}

@available(*, unavailable)
extension ElementPlace: Sendable {}

/// The place of a list or dictionary within an ``AnyRealmValue``. By identity, so that it stays
/// valid when elements are inserted before it.
struct NestedPlace {
    let root: ElementPlace
    /// The path of collections from the outermost one to this one.
    let path: [NestedID]

    /// A value of the property that may contain this place.
    private struct Candidate {
        let value: StoredValue
        let position: Int
        var key: String?
    }

    /// Whether both are one collection.
    func isSame(as other: NestedPlace) -> Bool {
        path == other.path && root.column == other.root.column
            && root.owner.isSameRow(as: other.root.owner)
    }

    /// The stored collection; nil if it was removed.
    var stored: StoredValue? { outermost.flatMap { Self.find(path[...], in: $0) } }

    /// The stored form of the outermost collection, with all of its contents; nil if it was
    /// removed.
    var outermost: StoredValue? { candidate?.value }

    /// Whether both collections have the same outermost one, and were read by the same accessor.
    func hasOutermost(of other: NestedPlace) -> Bool {
        path.first == other.path.first && root.column == other.root.column
            && root.owner === other.root.owner
    }

    /// The elements of the collection, in the version of a frozen owner; nil if it was removed.
    var frozenElements: LooseElements? {
        guard let context = root.owner.__context as? FrozenContext else { return nil }
        let account = context.handle.root.account
        switch stored?.collection?.elements {
        case .list(let values)?: return LooseElements(values, account: account)
        case .dictionary(let entries)?: return LooseElements(entries, account: account)
        case nil: return LooseElements([StoredValue](), account: account)
        }
    }

    private static func find(_ path: ArraySlice<NestedID>, in value: StoredValue) -> StoredValue? {
        guard let id = path.first, value.nestedID == id else { return nil }
        let rest = path.dropFirst()
        if rest.isEmpty { return value }
        for child in value.nestedValues {
            if let found = find(rest, in: child) { return found }
        }
        return nil
    }

    /// The value of the property, or the element of it, that has the outermost collection.
    private var candidate: Candidate? {
        let (owner, column) = (root.owner, root.column)
        guard owner._prepareRead(column) == .row else { return nil }
        let schema = owner.__model.columns[column]
        switch schema.container {
        case .none:
            let value = owner.__cluster.value(column, owner.__slot, schema)
            return value.nestedID == path.first ? Candidate(value: value, position: 0) : nil
        case .list, .set:
            let view = owner._sequence(column)
            return position(in: view).map { Candidate(value: view[$0], position: $0) }
        case .map:
            let view = owner._map(column)
            guard let index = position(in: view.values), case .string(let key) = view.keys[index]
            else { return nil }
            return Candidate(value: view.values[index], position: index, key: key)
        }
    }

    /// The present position of the outermost collection; its last position is tried first.
    private func position(in view: SequenceView) -> Int? {
        let count = view.count
        if root.position < count, view[root.position].nestedID == path.first {
            return root.position
        }
        return (0..<count).first { view[$0].nestedID == path.first }
    }

    /// The error of changing or writing a collection that was removed.
    var absence: RealmError {
        .invalidValue(
            "The list or dictionary within the value of a '\(root.owner.__model.className)' was "
                + "removed. Read it from its property again.")
    }

    /// Replaces the collection by `value`, which has its identity.
    func replace(with value: StoredValue, _ graph: GraphTarget) throws(RealmError) {
        guard let candidate, let new = Self.replacing(path[...], in: candidate.value, with: value)
        else { throw absence }
        try new.checkNesting()
        let (owner, column) = (root.owner, ColumnID(root.column))
        let tree = graph.graph.tree
        let id = owner.__model.classID
        if let key = candidate.key {
            tree.mapSet(new, forKey: key, id, owner.__key, column)
        } else if owner.__model.columns[root.column].container == .none {
            tree.set(new, id, owner.__key, column)
        } else {
            tree.listSet(new, at: candidate.position, id, owner.__key, column)
        }
    }

    private static func replacing(
        _ path: ArraySlice<NestedID>, in value: StoredValue, with new: StoredValue
    ) -> StoredValue? {
        guard let id = path.first, value.nestedID == id else { return nil }
        let rest = path.dropFirst()
        if rest.isEmpty { return new }
        switch value.collection?.elements {
        case .list(var values)?:
            for (index, child) in values.enumerated() {
                guard let changed = replacing(rest, in: child, with: new) else { continue }
                values[index] = changed
                return .list(id, values)
            }
        case .dictionary(var entries)?:
            for (index, entry) in entries.enumerated() {
                guard let changed = replacing(rest, in: entry.value, with: new) else { continue }
                entries[index].value = changed
                return .dictionary(id, entries)
            }
        case nil: break
        }
        return nil
    }
}

extension StoredValue {
    /// The identity of a collection within a mixed value.
    var nestedID: NestedID? { collection?.id }

    /// The values of a collection within a mixed value.
    fileprivate var nestedValues: [StoredValue] { collection?.elements.values ?? [] }

    /// The value, if a set may contain it.
    ///
    /// - Throws: ``RealmError/invalidValue(_:)`` for a collection.
    func checkedForSet() throws(RealmError) -> StoredValue {
        if nestedID == nil { return self }
        throw .invalidValue(
            "A MutableSet cannot hold a list or dictionary. Use a List of AnyRealmValue.")
    }

    /// - Throws: ``RealmError/invalidValue(_:)`` for collections nested beyond the limit.
    func checkNesting() throws(RealmError) {
        guard nesting <= Self.nestingMax else {
            throw .invalidValue(
                "Lists and dictionaries nest \(nesting) deep in a value, more than "
                    + "\(Self.nestingMax). Keep the inner ones in objects of their own.")
        }
    }
}
