/// The difference between two states of sectioned results.
struct SectionedChange<Key: Hashable & Sendable>: Sendable {
    /// The change of all rows; one that changed its section was deleted and inserted.
    let rows: PositionChange
    let before: SectionTable<Key>
    let after: SectionTable<Key>
    let arrival: SectionArrival
    /// Sections that changed their order: they are deleted and inserted.
    private let moved: Set<Int>
    private let deleted: Set<Int>

    /// `places` has the new positions of the previous sections; nil for those that no longer exist.
    init(
        rows: PositionChange, before: SectionTable<Key>, after: SectionTable<Key>, places: [Int?]
    ) {
        self.rows = rows
        self.before = before
        self.after = after
        let members = IncreasingSubsequence.members(
            of: places.compactMap(\.self), in: after.keys.indices
        ) {
            // A section that has gained or lost rows is more likely the one that moved.
            var changed = Set(rows.insertions.map { after.path(of: $0).section })
            for position in rows.deletions {
                if let place = places[before.path(of: position).section] { changed.insert(place) }
            }
            return changed
        }
        var arrival = SectionArrival()
        var moved: Set<Int> = []
        var kept: Set<Int> = []
        var survivors = 0
        for (section, place) in places.enumerated() {
            guard let place else {
                arrival.deleted.append(section)
                continue
            }
            if members?[survivors] ?? true {
                kept.insert(place)
            } else {
                arrival.deleted.append(section)
                moved.insert(place)
            }
            survivors += 1
        }
        arrival.inserted = after.keys.indices.filter { !kept.contains($0) }
        self.arrival = arrival
        self.moved = moved
        deleted = Set(arrival.deleted)
    }

    var isEmpty: Bool { rows.isEmpty && arrival == SectionArrival() }

    /// The deleted rows, except those of deleted sections.
    var deletions: [SectionPath] { former(rows.deletions) }

    /// The inserted rows, including those of inserted sections.
    var insertions: [SectionPath] {
        var paths = rows.insertions.map { after.path(of: $0) }
        if !moved.isEmpty {
            paths.removeAll { moved.contains($0.section) }
            for section in moved {
                let items = 0..<after.counts[section]
                paths += items.map { SectionPath(section: section, item: $0) }
            }
        }
        return paths.sorted()
    }

    /// The modified rows in sections that remain.
    var modifications: [SectionPath] { former(rows.modifications) }

    private func former(_ positions: [Int]) -> [SectionPath] {
        positions.map { before.path(of: $0) }.filter { !deleted.contains($0.section) }.sorted()
    }

    /// The change of the section with a key.
    func change(of key: Key) -> PositionChange {
        func items(_ positions: [Int], _ table: SectionTable<Key>) -> [Int] {
            let section = table.number(of: key)
            return positions.compactMap { position in
                let path = table.path(of: position)
                return path.section == section ? path.item : nil
            }
        }
        return PositionChange(
            deletions: items(rows.deletions, before), insertions: items(rows.insertions, after),
            modifications: items(rows.modifications, before))
    }
}
