/// The state of a row after a commit.
package struct RowVersion: Sendable {
    package enum Change: Sendable {
        case inserted
        case modified([ColumnID])
        case deleted
    }

    package let name: VersionName
    package let author: String?
    /// Seconds since 1970.
    package let time: Double
    package let change: Change
    /// The contents of the row after the commit, by column; empty if it was deleted.
    package internal(set) var contents: [ColumnContents] = []
    /// The old contents of the written columns, or of all columns of a deleted row; without those
    /// that the log lacks.
    package internal(set) var replaced: [ColumnID: ColumnContents] = [:]
}

extension TransactionEngine {
    /// The versions of one row in the log, the oldest first, as far back as the log has old values.
    ///
    /// Blocks on the disk while it reads all of the log: not for the cooperative pool.
    ///
    /// Throws ``HistoryError``, and `CancellationError` when `monitor` is cancelled meanwhile.
    package func versions(
        ofRow key: RowKey, _ id: ClassID, _ monitor: ReadingMonitor
    ) throws -> [RowVersion] {
        let latest = self.latest
        let hold = HistoryHold(self)
        defer { withExtendedLifetime(hold) {} }
        var cursor = try HistoryCursor(oldestOf: self)
        var changes: [RowChange] = []
        while cursor.version < latest.version,
            let commits = try cursor.next(of: self, atLeast: 256)
        {
            try monitor.check()
            for commit in commits where commit.version <= latest.version {
                guard let entry = commit.classes.first(where: { $0.id == id }),
                    let change = RowChange(key.rawValue, entry, commit)
                else { continue }
                changes.append(change)
            }
        }
        let columns = latest.schema[id].columns
        let contents = try contents(ofRow: key, id, in: latest)
        return RowChange.versions(of: changes, endingWith: contents, columns)
    }

    /// The contents of a row, by column; empty if it does not exist.
    private func contents(
        ofRow key: RowKey, _ id: ClassID, in version: SnapshotRoot
    ) throws(HistoryError) -> [ColumnContents] {
        try HistoryError.translating { () throws(StorageError) in
            let columns = version.schema[id].columns
            let reading = try version.account.beginReading()
            var contents: [ColumnContents] = []
            if let row = version.view.classView(id).locate(key) {
                contents = columns.indices.map { ColumnContents(row, ColumnID($0), columns[$0]) }
            }
            try reading.requireAll()
            return contents
        }
    }
}

/// The logged change of a row by one commit.
private struct RowChange {
    /// The old state of a column.
    private enum Replaced {
        case value(StoredValue)
        case edit(CommitRecord.Elements)
        /// The log lacks it.
        case unknown
    }

    private var version: RowVersion
    private var columns: [(column: ColumnID, replaced: Replaced)] = []
    /// The contents of a deleted row; nil if the log lacks them.
    private var deleted: [ColumnContents]?

    /// Nil if the commit did not change the row.
    init?(_ key: Int64, _ entry: LoggedClass, _ commit: LoggedCommit) {
        let change: RowVersion.Change
        if entry.created.position(of: key) != nil {
            change = .inserted
        } else if let index = entry.deleted.position(of: key) {
            change = .deleted
            deleted = index < entry.deletedValues.count ? entry.deletedValues[index] : nil
        } else {
            for touched in entry.touched {
                guard let index = touched.rows.position(of: key) else { continue }
                columns.append((touched.column, Self.replaced(index, touched)))
            }
            if columns.isEmpty { return nil }
            change = .modified(columns.map(\.column))
        }
        version = RowVersion(
            name: VersionName(version: commit.version, life: commit.life), author: commit.author,
            time: commit.time, change: change)
    }

    private static func replaced(_ index: Int, _ touched: LoggedColumn) -> Replaced {
        if index < touched.oldValues.count { return .value(touched.oldValues[index]) }
        if index < touched.reversals.count { return .edit(touched.reversals[index]) }
        return .unknown
    }

    /// Derives the versions backwards from the last contents, as far as the log has old values.
    static func versions(
        of changes: [RowChange], endingWith last: [ColumnContents], _ columns: [ColumnSchema]
    ) -> [RowVersion] {
        var contents = last
        var versions: [RowVersion] = []
        for change in changes.reversed() {
            var version = change.version
            version.contents = contents
            let isWhole = change.revert(&contents, &version, columns)
            versions.append(version)
            if !isWhole { break }
        }
        return versions.reversed()
    }

    /// Reverts the contents of a row from after the commit to before; false if the log lacks old
    /// values.
    private func revert(
        _ contents: inout [ColumnContents], _ version: inout RowVersion,
        _ schema: [ColumnSchema]
    ) -> Bool {
        switch version.change {
        case .inserted: return false
        case .deleted:
            guard let deleted else { return false }
            for (column, was) in deleted.enumerated() { version.replaced[ColumnID(column)] = was }
            contents = deleted
            return true
        case .modified:
            var isWhole = true
            for (column, replaced) in columns {
                // Its contents were removed with the property.
                if column.rawValue < schema.count, schema[column.rawValue].isRemoved { continue }
                guard column.rawValue < contents.count,
                    let was = Self.taken(back: replaced, from: contents[column.rawValue])
                else {
                    isWhole = false
                    continue
                }
                contents[column.rawValue] = was
                version.replaced[column] = was
            }
            return isWhole
        }
    }

    private static func taken(
        back replaced: Replaced, from contents: ColumnContents
    ) -> ColumnContents? {
        switch replaced {
        case .value(let value): .value(value)
        case .edit(let elements): contents.edited(by: elements)
        case .unknown: nil
        }
    }
}

extension [Range<Int64>] {
    /// The number of keys in ascending ranges before `key`; nil if it is not among them.
    fileprivate func position(of key: Int64) -> Int? {
        var count = 0
        for range in self {
            if range.contains(key) { return count + Int(key - range.lowerBound) }
            if range.lowerBound > key { return nil }
            count += range.count
        }
        return nil
    }
}

extension ColumnContents {
    /// A collection after an edit; nil if the edit does not fit it.
    fileprivate func edited(by elements: CommitRecord.Elements) -> ColumnContents? {
        let (edit, new) = (elements.edit, elements.values)
        switch self {
        case .value: return nil
        case .elements(let values):
            guard elements.fit(values.count) else { return nil }
            return .elements(edit.applied(to: values, inserting: new, setting: new))
        case .entries(let keys, let values):
            guard elements.fit(values.count) else { return nil }
            return .entries(
                keys: edit.applied(to: keys, inserting: elements.keys, setting: nil),
                values: edit.applied(to: values, inserting: new, setting: new))
        }
    }
}

extension SequenceEdit {
    /// The result of an edit of elements; `setting` has the modified ones after the inserted ones.
    /// O(elements): shifting the others for each position would take quadratic time.
    fileprivate func applied<Element>(
        to old: [Element], inserting new: [Element], setting: [Element]?
    ) -> [Element] {
        var gone = deletions[...]
        let rest = old.indices.filter { index in
            guard gone.first == index else { return true }
            gone.removeFirst()
            return false
        }
        var kept = rest[...]
        var elements: [Element] = []
        for (index, element) in zip(insertions, new) {
            let next = kept.prefix(index - elements.count)
            elements += next.map { old[$0] }
            kept.removeFirst(next.count)
            elements.append(element)
        }
        elements += kept.map { old[$0] }
        guard let setting else { return elements }
        for (index, element) in zip(modifications, setting.dropFirst(insertions.count)) {
            elements[index] = element
        }
        return elements
    }
}
