import Storage
import Synchronization
import Testing

@testable import RealmActors

/// Compares the changes of a stream of sections with the present sections.
final class ExactSectionsWatcher<Key: Hashable & Sendable>: ExactWatching {
    typealias Sections = FrozenSectionedResults<Key, ExactDog>

    /// One section as it is shown.
    struct Section: Equatable, Sendable {
        var key: Key
        var elements: [ExactElement<Int>]
    }

    let name: String
    private let isDeep: Bool
    private let probe: StreamProbe<CollectionChange<Sections>>
    private let state = Mutex<[Section]?>(nil)
    private let fresh: @Sendable () -> Sections?

    init(
        _ name: String, _ changes: CollectionChanges<Sections>, isDeep: Bool = true,
        fresh: @escaping @Sendable () -> Sections?
    ) {
        self.name = name
        self.isDeep = isDeep
        self.fresh = fresh
        probe = StreamProbe(changes)
    }

    private static func sections(_ sections: Sections?) -> [Section] {
        sections?.map { section in
            Section(
                key: section.key,
                elements: section.map {
                    ExactElement($0.id, "\($0.age) \($0.name) \($0.weight ?? -1)")
                })
        } ?? []
    }

    private static func identities(_ sections: [Section]) -> [[Int]] {
        sections.map { $0.elements.map(\.id) }
    }

    func check() throws -> String? {
        try state.withLock { state in
            let present = Self.sections(fresh())
            guard let change = try probe.next() else {
                let old = state ?? []
                let isSame =
                    Self.identities(old) == Self.identities(present)
                    && (!isDeep || old == present)
                return isSame ? nil : "silent, though \(old) became \(present)"
            }
            let new = Self.sections(change.collection)
            defer { state = new }
            if new != present { return "\(new) for \(present)" }
            return state.flatMap { complaint(change, $0, new) }
        }
    }

    private func complaint(
        _ change: CollectionChange<Sections>, _ old: [Section], _ new: [Section]
    ) -> String? {
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
            return "begins again"
        }
        let positions = [deletions, insertions, modifications]
        if positions.contains(where: { $0 != $0.sorted() }) { return "unordered: \(change)" }
        if !Set(deletions).isDisjoint(with: modifications) { return "both: \(change)" }
        if (deletions + modifications).contains(where: {
            change.deletedSections.contains($0.section)
        }) {
            return "tells rows of a section that went: \(change)"
        }
        var replayed = old
        for (before, after) in zip(modifications, change.newModifications) {
            replayed[before.section].elements[before.item] = new[after.section].elements[after.item]
        }
        for path in deletions.reversed() { replayed[path.section].elements.remove(at: path.item) }
        for section in change.deletedSections.reversed() { replayed.remove(at: section) }
        for section in change.insertedSections {
            replayed.insert(Section(key: new[section].key, elements: []), at: section)
        }
        for path in insertions {
            let element = new[path.section].elements[path.item]
            replayed[path.section].elements.insert(element, at: path.item)
        }
        let isSame = Self.identities(replayed) == Self.identities(new)
        if !isSame { return "\(replayed) instead of \(new)" }
        if replayed.map(\.key) != new.map(\.key) { return "other keys: \(change)" }
        if isDeep, replayed != new { return "a modification was not reported: \(change)" }
        return nil
    }
}

/// Sections of all kinds, of dogs and of an owner's dogs.
enum ExactSections {
    static func watchers(
        _ realm: Realm, _ owner: Frozen<ExactOwner>
    ) -> [any ExactWatching] {
        let all = realm.objects(ExactDog.self)
        return ofResults(realm, all) + ofLists(realm, owner)
            + [
                section(realm, all.sectioned(by: \.age), 3),
                section(realm, all.sectioned { $0.age % 3 }, 0),
            ]
    }

    private static func ofResults(
        _ realm: Realm, _ all: FrozenResults<ExactDog>
    ) -> [any ExactWatching] {
        let sorted = all.sorted(by: \.name)
        return [
            watcher("by an indexed property", realm, all.sectioned(by: \.age)),
            watcher("descending", realm, sorted.sectioned(by: \.age, ascending: false)),
            watcher("by nullable", realm, all.sectioned(by: \.weight)),
            watcher("across a link", realm, all.sectioned(by: \.owner?.name)),
            watcher("filtered", realm, all.where { $0.age > 2 }.sectioned(by: \.name)),
            watcher("limited", realm, sorted.limit(9).sectioned(by: \.age)),
            watcher("by code, unsorted", realm, all.sectioned { $0.age % 3 }),
            watcher("by code, sorted", realm, sorted.sectioned { $0.name.last }),
            watcher("by code across a link", realm, all.sectioned { $0.owner?.name ?? "" }),
            watcher(
                "with key paths", realm, all.sectioned(by: \.age), keyPaths: [\.name],
                isDeep: false),
        ]
    }

    private static func watcher<Key>(
        _ name: String, _ realm: Realm, _ sections: FrozenSectionedResults<Key, ExactDog>,
        keyPaths: [PartialKeyPath<ExactDog>] = [], isDeep: Bool = true
    ) -> ExactSectionsWatcher<Key> {
        ExactSectionsWatcher(
            "sections " + name, sections.changes(keyPaths: keyPaths), isDeep: isDeep
        ) {
            sections.evaluated(at: realm.snapshot())
        }
    }

    private static func ofLists(
        _ realm: Realm, _ owner: Frozen<ExactOwner>
    ) -> [any ExactWatching] {
        let reference = owner.reference
        @Sendable func now() -> Frozen<ExactOwner>? { realm.snapshot().resolve(reference) }
        return [
            ExactSectionsWatcher(
                "sections of a list", owner.dogs.sectioned(by: \.age).changes()
            ) {
                now()?.dogs.sectioned(by: \.age)
            },
            ExactSectionsWatcher(
                "sections of a list by code", owner.dogs.sectioned { $0.age % 2 }.changes()
            ) {
                now()?.dogs.sectioned { $0.age % 2 }
            },
            ExactSectionsWatcher(
                "sections of a set", owner.pack.sectioned(by: \.name).changes()
            ) {
                now()?.pack.sectioned(by: \.name)
            },
        ]
    }

    private static func section(
        _ realm: Realm, _ sections: FrozenSectionedResults<Int, ExactDog>, _ key: Int
    ) -> any ExactWatching {
        let section = FrozenResultsSection(
            sections, number: sections.table.number(of: key), key: key)
        return ExactWatcher("section \(key)", section.changes(), isDeep: true) { dogs in
            dogs.map { ExactElement($0.id, "\($0.age) \($0.name) \($0.weight ?? -1)") }
        } fresh: {
            sections.evaluated(at: $0).section(forKey: key)?.map(\.id)
        }
    }
}

extension FrozenSectionedResults {
    /// The same sections in another version, evaluated there.
    fileprivate func evaluated(at moment: Snapshot) -> FrozenSectionedResults {
        FrozenSectionedResults(results.evaluated(at: moment), keying)
    }
}
