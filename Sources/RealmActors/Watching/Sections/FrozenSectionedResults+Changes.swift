import Storage

/// A collection whose objects are in sections, which are inserted and deleted as well.
///
/// The library conforms its types; do not declare other conformances.
public protocol SectionedCollection: ObservedCollection where Position == SectionPath {
    /// The sections that were deleted by the change that delivered this collection.
    var _deletedSections: [Int] { get }
    /// The sections that were inserted by that change.
    var _insertedSections: [Int] { get }
}

extension CollectionChange where C: SectionedCollection {
    /// The deleted sections, by their previous positions, ascending. Their objects are not among
    /// the deletions.
    public var deletedSections: [Int] {
        if case .update(let sections, _, _, _) = self { sections._deletedSections } else { [] }
    }

    /// The inserted sections, by their present positions, ascending. Their objects are among the
    /// insertions.
    public var insertedSections: [Int] {
        if case .update(let sections, _, _, _) = self { sections._insertedSections } else { [] }
    }
}

extension FrozenSectionedResults: SectionedCollection {
    /// Positions are places in sections.
    public typealias Position = SectionPath

    /// The sections that were deleted by the change that delivered these results.
    public var _deletedSections: [Int] { arrival?.deleted ?? [] }
    /// The sections that were inserted by that change.
    public var _insertedSections: [Int] { arrival?.inserted ?? [] }

    /// The positions in these sections of the objects that were at `modifications` in the previous
    /// ones, before the change that delivered these.
    public func newPositions(
        of modifications: [SectionPath], deletions: [SectionPath], insertions: [SectionPath]
    ) -> [SectionPath] {
        let deleted = Dictionary(grouping: deletions, by: \.section)
        let inserted = Dictionary(grouping: insertions, by: \.section)
        let modified = Dictionary(grouping: modifications, by: \.section)
        var paths: [SectionPath] = []
        let former = modified.keys.sorted()
        let sections = PositionChange.newPositions(
            of: former, deletions: _deletedSections, insertions: _insertedSections)
        for (before, section) in zip(former, sections) {
            let items = PositionChange.newPositions(
                of: modified[before, default: []].map(\.item),
                deletions: deleted[before, default: []].map(\.item),
                insertions: inserted[section, default: []].map(\.item))
            paths += items.map { SectionPath(section: section, item: $0) }
        }
        return paths
    }
}

extension FrozenSectionedResults: KeyPathChangeSource {
    /// The changes of these sections, beginning with the sections as they are when the first
    /// element is requested.
    ///
    /// Key paths decide which objects count as modified, as for the results. An object whose key
    /// changes is deleted from its section and inserted into another, regardless of the key paths.
    /// ``CollectionChange/deletedSections`` and ``CollectionChange/insertedSections`` are the
    /// sections that were deleted and inserted: apply them between the deletions and the
    /// insertions. The objects of a deleted section are not among the deletions, those of an
    /// inserted one are among the insertions. A section that moves among the others is deleted and
    /// inserted.
    ///
    /// If a closure computes the keys, it is called again for objects that were written, or that
    /// link to written ones, up to four links away.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenSectionedResults> {
        ChangeStream(snapshot.hub) { () throws(RealmError) in
            CollectionProducer(try comparison(watched))
        }
    }

    fileprivate func comparison(
        _ watched: WatchedKeyPaths<Model>
    ) throws(RealmError) -> SectionsComparison<Key, Model> {
        let (context, root) = (results.context, results.query.classID)
        let modifications = try context.finder(watched.names(), root: root)
        let keys = try context.finder(keying.path.map { [$0] } ?? [], root: root)
        return SectionsComparison(self, modifications, keys)
    }
}

extension FrozenResultsSection: ObservedCollection {
    /// Positions are indices in the section.
    public typealias Position = Int
}

extension FrozenResultsSection: KeyPathChangeSource {
    /// The changes of the section with this key, beginning with the section as it is when the first
    /// element is requested. When no object has the key any more, the section is empty; the stream
    /// continues, and reports when it has objects again.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResultsSection> {
        ChangeStream(snapshot.hub) { () throws(RealmError) in
            CollectionProducer(SectionComparison(key, try sections.comparison(watched)))
        }
    }
}

extension SectionedResults: KeyPathChangeSource {
    /// The changes of the sections, as their frozen counterpart delivers them.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenSectionedResults<Key, Model>> {
        freeze()._changes(watched.failing(results.invalidation))
    }
}

extension ResultsSection: KeyPathChangeSource {
    /// The changes of the section, as its frozen counterpart delivers them.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResultsSection<Key, Model>> {
        freeze()._changes(watched.failing(invalidation))
    }
}
