import RealmActors
import StorageHarness

/// Maintains copies of the results of a query by its streams, and compares them with the states of
/// the realm, until the last one.
struct FreightFollower: Sendable {
    let query: FreightQuery
    let states: FreightStates

    private func isLast(_ rows: FreightRows) -> Bool { rows[QueryRun.lastID] != nil }

    /// Maintains the identities of a query's objects.
    func follow(_ results: FrozenResults<Freight>, everyVersion: Bool) async throws {
        var ids: [Int] = []
        var before = FreightRows()
        var stream = results.changes()
        if everyVersion { stream = stream.buffering(.everyVersion(bufferLimit: 1000)) }
        for try await change in stream {
            let now = change.collection
            let rows = try await states.rows(now.snapshot.version)
            let expected = query.naive(rows).map(\.id)
            switch change {
            case .initial: ids = now.map(\.id)
            case .update(_, let deletions, let insertions, let modifications):
                let reported = Set(modifications.map { ids[$0] })
                for index in deletions.reversed() { ids.remove(at: index) }
                for index in insertions { ids.insert(now[index].id, at: index) }
                let came = Set(insertions.map { now[$0].id })
                for id in ids where rows[id] != before[id] && !reported.contains(id) {
                    if came.contains(id) { continue }
                    throw Violation("\(query.text): \(id) has changed without a notification")
                }
            }
            try query.require(now.map(\.id), expected, "stream at \(now.snapshot.version)")
            try query.require(ids, expected, "changes at \(now.snapshot.version)")
            before = rows
            if isLast(rows) { return }
        }
        throw Violation("\(query.text): the stream ended early")
    }

    // MARK: Sections

    private struct Section: Equatable, Sendable {
        let port: String
        var ids: [Int]
    }

    /// Maintains the identities of the objects in sections.
    func followSections(_ results: FrozenResults<Freight>) async throws {
        var sections: [Section] = []
        for try await change in results.sectioned(by: \.port).changes() {
            let now = change.collection
            let present = now.map { Section(port: $0.key, ids: $0.map(\.id)) }
            let rows = try await states.rows(now.snapshot.version)
            switch change {
            case .initial: sections = present
            case .update(_, let deletions, let insertions, _):
                for path in deletions.reversed() {
                    sections[path.section].ids.remove(at: path.item)
                }
                for section in change.deletedSections.reversed() {
                    sections.remove(at: section)
                }
                for section in change.insertedSections {
                    sections.insert(Section(port: now[section].key, ids: []), at: section)
                }
                for path in insertions {
                    sections[path.section].ids.insert(now[path].id, at: path.item)
                }
            }
            let expected = Self.sections(query.naive(rows))
            let version = now.snapshot.version
            try query.require(present, expected, "sections at \(version)")
            try query.require(sections, expected, "changes of sections at \(version)")
            if isLast(rows) { return }
        }
        throw Violation("\(query.text): the stream of sections ended early")
    }

    private static func sections(_ rows: [FreightRow]) -> [Section] {
        Dictionary(grouping: rows, by: \.port).sorted { $0.key < $1.key }.map { port, rows in
            Section(port: port, ids: rows.map(\.id))
        }
    }

    // MARK: Groups

    /// Grouped by a property with few values, one with more, or one of a linked object.
    func followGroups(_ results: FrozenResults<Freight>, number: Int) async throws {
        switch number {
        case 0: try await follow(results.grouped(by: \.port)) { row, _ in row.port }
        case 1: try await follow(results.grouped(by: \.code)) { row, _ in row.code }
        default:
            try await follow(results.grouped(by: \.next?.name)) { row, all in
                all[row.next]?.name
            }
        }
    }

    /// Compares the groups of a stream with the states of the realm; it must never go back to an
    /// earlier one.
    private func follow<Key>(
        _ groups: GroupedResults<Key, FrozenResults<Freight>>,
        by key: @Sendable (FreightRow, FreightRows) -> Key
    ) async throws {
        let stream = groups.changes(
            .count, .sum(of: \.seal), .min(of: \.weight), .max(of: \.weight),
            .average(of: \.weight), .distinctCount(of: \.code), .sum(of: \.code))
        var position = 0
        for try await groups in stream {
            let reported = Dictionary(
                uniqueKeysWithValues: groups.map { ("\($0.key)", FreightGroup($0.value)) })
            while true {
                let all = states.all
                let found = all[position...].firstIndex { measures($0.rows, key) == reported }
                if let found {
                    position = found
                    break
                }
                if let last = all.last, isLast(last.rows) {
                    throw Violation("\(query.text): no version has the groups \(reported)")
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            if let last = states.all.last, isLast(last.rows), measures(last.rows, key) == reported {
                return
            }
        }
        throw Violation("\(query.text): the stream of groups ended early")
    }

    private func measures<Key>(
        _ rows: FreightRows, _ key: (FreightRow, FreightRows) -> Key
    ) -> FreightGroups {
        FreightGroup.naive(query.naive(rows)) { key($0, rows) }
    }
}
