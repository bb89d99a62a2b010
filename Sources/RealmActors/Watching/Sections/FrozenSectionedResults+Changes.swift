import Storage

/// A collection whose objects are in sections, which come and go as well.
///
/// The library conforms its types; do not declare other conformances.
public protocol SectionedCollection: ObservedCollection where Position == SectionPath {
    /// The sections that went with the change which this collection arrived with.
    var _deletedSections: [Int] { get }
    /// The sections that came with that change.
    var _insertedSections: [Int] { get }
}

extension CollectionChange where C: SectionedCollection {
    /// The sections that went, by their positions before, ascending. What stood in them is not
    /// among the deletions.
    public var deletedSections: [Int] {
        if case .update(let sections, _, _, _) = self { sections._deletedSections } else { [] }
    }

    /// The sections that came, by their positions now, ascending. What stands in them is among the
    /// insertions.
    public var insertedSections: [Int] {
        if case .update(let sections, _, _, _) = self { sections._insertedSections } else { [] }
    }
}

extension FrozenSectionedResults: SectionedCollection {
    /// Positions are places in sections.
    public typealias Position = SectionPath

    /// The sections that went with the change which these results arrived with.
    public var _deletedSections: [Int] { arrival?.deleted ?? [] }
    /// The sections that came with that change.
    public var _insertedSections: [Int] { arrival?.inserted ?? [] }

    /// Where what stood at `modifications` in the previous sections stands in these, to which the
    /// change led.
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
    /// The changes of what these sections stand for, beginning with the sections as they are when
    /// the first element is asked for.
    ///
    /// Key paths decide which objects count as modified, as for the results. An object whose key
    /// changes is deleted from its section and inserted into another, whatever the key paths.
    /// ``CollectionChange/deletedSections`` and ``CollectionChange/insertedSections`` tell which
    /// sections went and came: apply them between the deletions and the insertions. What stood in
    /// a section that went is not among the deletions, what stands in one that came is among the
    /// insertions. A section that changes its place among the others goes and comes.
    ///
    /// Of sections by code, objects are asked for their key again when they, or what they link to,
    /// were written, up to four links away.
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
    /// element is asked for. When no object has the key any more, the section is empty; the stream
    /// goes on, and tells when it fills again.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResultsSection> {
        ChangeStream(snapshot.hub) { () throws(RealmError) in
            CollectionProducer(SectionComparison(key, try sections.comparison(watched)))
        }
    }
}

extension SectionedResults: KeyPathChangeSource {
    /// The changes of what the sections stand for, as their frozen twin delivers them.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenSectionedResults<Key, Model>> {
        freeze()._changes(watched.failing(results.invalidation))
    }
}

extension ResultsSection: KeyPathChangeSource {
    /// The changes of the section, as its frozen twin delivers them.
    public func _changes(
        _ watched: WatchedKeyPaths<Model>
    ) -> CollectionChanges<FrozenResultsSection<Key, Model>> {
        freeze()._changes(watched.failing(invalidation))
    }
}
