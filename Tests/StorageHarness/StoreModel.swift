import Foundation
package import Storage

/// A row as a plain value.
package struct ModelRow: Hashable, Sendable {
    var number: Int64
    var twin: Int64 = 0
    var text: String?
    var score: Double?
    var friend: RowKey?
    var children: [RowKey] = []
    var tags: Set<String> = []
    var extras: [String: StoredValue] = [:]
    var added: [Int64]

    init(number: Int64, width: Int) {
        self.number = number
        added = Array(repeating: 0, count: width - 1)
    }

    /// The row as a tree has it.
    init(_ location: RowLocation, _ columns: [ColumnSchema]) {
        typealias C = HarnessSchema.Column
        let (cluster, slot) = (location.cluster, location.slot)
        number = cluster.int(C.number, slot)
        twin = cluster.int(C.twin, slot)
        text = cluster.isNull(C.text, slot) ? nil : cluster.string(C.text, slot)
        score = cluster.isNull(C.score, slot) ? nil : cluster.double(C.score, slot)
        friend = cluster.link(C.friend, slot)
        added = (C.added..<columns.count).map { cluster.int($0, slot) }
        cluster.sequence(C.children, slot, columns[C.children]).forEachLink { children.append($0) }
        cluster.sequence(C.tags, slot, columns[C.tags]).forEach {
            if case .string(let tag) = $0 { tags.insert(tag) }
        }
        let map = cluster.map(C.extras, slot, columns[C.extras])
        for index in 0..<map.count { extras[map.keys.string(index)] = map.values[index] }
    }
}

/// What a store holds, as plain values.
package struct StoreModel: Hashable, Sendable {
    /// See ``HarnessSchema``; 0 before the first schema is there.
    package var width = 0
    package var rows: [RowKey: ModelRow] = [:]

    package init(width: Int = 0) { self.width = width }

    /// The same after a migration.
    package var widened: StoreModel {
        var model = self
        model.width += 1
        for key in model.rows.keys { model.rows[key]?.added.append(0) }
        return model
    }

    /// What is different in `view`, rows, order, indexes and backlinks alike; nil when nothing is.
    package func problem(in view: TreeView) -> String? {
        guard view.schema == HarnessSchema.schema(width: width) else {
            return "the schema is not that of width \(width)"
        }
        guard width > 0 else { return nil }
        let items = view.classView(HarnessSchema.item)
        let columns = view.schema[HarnessSchema.item].columns
        guard items.count == rows.count else { return "\(items.count) rows, not \(rows.count)" }
        var seen = 0
        var previous: RowKey?
        var clusters = items.makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let key = cluster.key(slot)
                if let previous, previous >= key { return "row \(key) is out of order" }
                previous = key
                guard let row = rows[key] else { return "row \(key) should not be there" }
                let found = ModelRow(RowLocation(cluster: cluster, slot: slot), columns)
                if found != row { return "row \(key) is \(found), not \(row)" }
                guard items.position(of: key) == seen, items.key(at: seen) == key else {
                    return "row \(key) is not at \(seen)"
                }
                if items.find(.int(row.number)) != key { return "\(row.number) is not found" }
                seen += 1
            }
        }
        guard seen == rows.count else { return "\(seen) rows are seen, not \(rows.count)" }
        return indexProblem(items) ?? backlinkProblem(view)
    }

    /// The entries of the indexes of several columns: each row once, and in order.
    private func compositeProblem(_ items: ClassView, _ keys: [RowKey]) -> String? {
        for index in items.classSchema.composites {
            if items.classSchema.columns[index.rawValue].parts.isOfPlaces {
                if let problem = placeProblem(items, index) { return problem }
                continue
            }
            let parts = items.classSchema.columns[index.rawValue].parts.all
            func values(_ key: RowKey) -> [StoredValue] {
                guard let row = rows[key] else { return [] }
                return parts.map { part in
                    switch part.column.rawValue {
                    case HarnessSchema.Column.number: .int(row.number)
                    case HarnessSchema.Column.twin: .int(row.twin)
                    case HarnessSchema.Column.text:
                        row.text.map { text in
                            part.isCollated
                                ? .data(Data(CollationKey.bytes(of: text))) : .string(text)
                        } ?? .null
                    default: row.score.map { .double($0) } ?? .null
                    }
                }
            }
            var found: [RowKey] = []
            items.range(index, equalTo: []).forEach { found.append($0) }
            let tuples = found.map(values)
            func areInOrder(_ a: Int, _ b: Int) -> Bool {
                for (part, (x, y)) in zip(parts, zip(tuples[a], tuples[b])) {
                    if x < y { return !part.isDescending }
                    if y < x { return part.isDescending }
                }
                return found[a] < found[b]
            }
            // Each row once and every pair in order: to sort the rows took most of a campaign.
            let isRight =
                found.count == keys.count && Set(found) == Set(keys)
                && found.indices.dropFirst().allSatisfy { areInOrder($0 - 1, $0) }
            if !isRight { return "index \(index) has \(found)" }
        }
        return nil
    }

    /// The entries of the index of places: one for each row, in the cell that it says.
    private func placeProblem(_ items: ClassView, _ index: ColumnID) -> String? {
        var problem: String?
        var last: (key: UInt64, row: RowKey)?
        let all = items.range(index, keys: 0...UInt64.max)
        all.forEachEntry { key, row in
            let score = rows[row]?.score.flatMap { (-90...90).contains($0) ? $0 : nil }
            let cell = PlaceCell(key: key)
            let isRight =
                if let score, let cell {
                    cell.latitudes.contains(score) && cell.longitudes.contains(score)
                } else {
                    score == nil && cell == nil
                }
            if !isRight { problem = "the index of places has row \(row) elsewhere" }
            if let last, (last.key, last.row) >= (key, row) {
                problem = "the index of places descends at \(row)"
            }
            last = (key, row)
        }
        if all.count != rows.count { problem = "the index of places has \(all.count) entries" }
        return problem
    }

    private func indexProblem(_ items: ClassView) -> String? {
        typealias C = HarnessSchema.Column
        let keys = rows.keys.sorted()
        func compare<Value: Hashable>(
            _ column: Int, _ value: (ModelRow) -> Value, _ stored: (Value) -> StoredValue
        ) -> String? {
            var groups: [Value: [RowKey]] = [:]
            for key in keys {
                if let row = rows[key] { groups[value(row), default: []].append(key) }
            }
            for (value, expected) in groups {
                let found = items.rows(ColumnID(column), equalTo: stored(value))
                if found != expected { return "index \(column) has \(found) for \(value)" }
            }
            return nil
        }
        if let problem = compare(C.twin, { $0.twin }, { .int($0) }) { return problem }
        if let problem = compositeProblem(items, keys) { return problem }
        let text =
            width.isMultiple(of: 2)
            ? wordProblem(items, keys)
            : compare(C.text, { $0.text }, { $0.map { .string($0) } ?? .null })
        if let text { return text }
        for number in 0..<width - 1 {
            let problem = compare(C.added + number, { $0.added[number] }, { .int($0) })
            if let problem { return problem }
        }
        return nil
    }

    private func wordProblem(_ items: ClassView, _ keys: [RowKey]) -> String? {
        var words: [UInt64: [RowKey]] = [:]
        for key in keys {
            guard var text = rows[key]?.text else { continue }
            text.withUTF8 { bytes in
                TermScanner.forEach(in: UnsafeRawBufferPointer(bytes)) { term in
                    let word = TermKey(term.bytes).bits
                    if words[word]?.last != key { words[word, default: []].append(key) }
                }
            }
        }
        for (word, expected) in words {
            var found: [RowKey] = []
            items.range(ColumnID(HarnessSchema.Column.text), keys: word...word)
                .forEach { found.append($0) }
            if found != expected { return "the index of words has \(found) for \(word)" }
        }
        return nil
    }

    private func backlinkProblem(_ view: TreeView) -> String? {
        typealias C = HarnessSchema.Column
        var friends: [RowKey: [RowKey]] = [:]
        var parents: [RowKey: [RowKey]] = [:]
        for key in rows.keys.sorted() {
            guard let row = rows[key] else { continue }
            if let friend = row.friend { friends[friend, default: []].append(key) }
            for child in row.children { parents[child, default: []].append(key) }
        }
        for key in rows.keys {
            for (column, expected) in [(C.friend, friends[key]), (C.children, parents[key])] {
                var found: [RowKey] = []
                view.backlinks(to: key, origin: HarnessSchema.item, column: ColumnID(column))
                    .forEach { found.append($0) }
                if found != expected ?? [] { return "backlinks of \(key) are \(found)" }
            }
        }
        return nil
    }
}
