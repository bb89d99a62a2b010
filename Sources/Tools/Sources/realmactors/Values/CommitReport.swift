import Foundation
import RealmActors

/// A commit as scripts read it.
struct CommitReport {
    struct Change {
        let className: String
        let inserted: [Entry]
        let modified: [Entry]
        let deleted: [Entry]
    }

    /// An object, by its internal number and, where that is known, by its primary key.
    struct Entry {
        let row: Int64
        let key: FrozenValue?
        let properties: [String]?
        let values: [String: FrozenValue]?
        let oldValues: [String: FrozenValue]?
    }

    let version: UInt64
    let time: String
    let author: String?
    /// The argument of `--since` to continue after the commit.
    let token: String
    let changes: [Change]

    /// - Parameter className: the class to report; nil for all.
    init(_ commit: RealmCommit, _ realm: Realm, className: String? = nil) throws {
        version = commit.version.rawValue
        time = DateText.text(commit.time)
        author = commit.author
        token = try TokenText.text(commit.token)
        let snapshot = realm.snapshot()
        changes = commit.changes.filter { className == nil || $0.className == className }
            .map { Change($0, snapshot) }
    }
}

extension CommitReport.Change {
    /// - Parameter limit: how many objects of each kind are listed.
    init(_ change: CommitChange<DynamicObject>, _ snapshot: Snapshot, limit: Int = .max) {
        className = change.className
        let key = snapshot.storedSchema.schema[change.className]?.primaryKeyProperty?.name
        func entry(
            _ reference: ObjectReference<DynamicObject>, _ properties: [String]?,
            _ values: [String: CommitValue], _ oldValues: [String: CommitValue]
        ) -> CommitReport.Entry {
            // The key of a deleted object is in its old values.
            let known = key.flatMap { name in
                values[name]?.frozen ?? oldValues[name]?.frozen
                    ?? snapshot.primaryKey(of: reference)
            }
            return CommitReport.Entry(
                row: reference.row, key: known, properties: properties,
                values: values.isEmpty ? nil : values.mapValues { $0.reported(snapshot) },
                oldValues: oldValues.isEmpty
                    ? nil : oldValues.mapValues { $0.reported(snapshot) })
        }
        inserted = change.insertions.prefix(limit).map { entry($0.reference, nil, $0.values, [:]) }
        modified = change.modifications.prefix(limit).map {
            entry($0.reference, $0.propertyNames, $0.newValues, $0.oldValues)
        }
        deleted = change.deletions.prefix(limit).map { entry($0.reference, nil, [:], $0.oldValues) }
    }
}

// The values as JSON, without unknown ones.

extension CommitReport {
    var value: FrozenValue {
        .record([
            "version": .int(Int(clamping: version)), "time": .string(time),
            "author": author.map { FrozenValue.string($0) }, "token": .string(token),
            "changes": .list(changes.map(\.value)),
        ])
    }
}

extension CommitReport.Change {
    var value: FrozenValue {
        .dictionary([
            "class": .string(className), "inserted": .list(inserted.map(\.value)),
            "modified": .list(modified.map(\.value)), "deleted": .list(deleted.map(\.value)),
        ])
    }
}

extension CommitReport.Entry {
    fileprivate var value: FrozenValue {
        .record([
            "row": .int(Int(row)), "key": key,
            "properties": properties.map { names in
                FrozenValue.list(names.map { FrozenValue.string($0) })
            },
            "values": values.map { FrozenValue.dictionary($0) },
            "oldValues": oldValues.map { FrozenValue.dictionary($0) },
        ])
    }
}

extension FrozenValue {
    fileprivate static func record(_ fields: [String: FrozenValue?]) -> FrozenValue {
        .dictionary(fields.compactMapValues { $0 })
    }
}

extension CommitValue {
    /// The value for a report; a link is the primary key of the object or, where there is none, its
    /// row.
    fileprivate func reported(_ snapshot: Snapshot) -> FrozenValue {
        switch self {
        case .value(let value): value
        case .object(let reference):
            snapshot.primaryKey(of: reference)
                ?? FrozenValue.dictionary(["row": .int(Int(reference.row))])
        case .list(let values): .list(values.map { $0.reported(snapshot) })
        case .dictionary(let values): .dictionary(values.mapValues { $0.reported(snapshot) })
        }
    }
}

extension Snapshot {
    /// The primary key of an object; nil when it has none, or is not there.
    func primaryKey(of reference: ObjectReference<DynamicObject>) -> FrozenValue? {
        guard let object = resolve(reference),
            let key = storedSchema.schema[object.className]?.primaryKeyProperty
        else { return nil }
        return try? object[key.name]
    }
}

/// Change tokens on the command line: as JSON has them, or the number of a version.
enum TokenText {
    static func text(_ token: ChangeToken) throws -> String {
        try JSONText.encoder().encode(token).base64EncodedString()
    }

    static func token(_ text: String, _ realm: Realm) throws -> ChangeToken {
        if let number = UInt64(text) {
            guard number <= realm.latestVersion.rawValue else {
                throw ToolError(
                    .notFound, "The newest version is \(realm.latestVersion), not \(number).")
            }
            return realm.changeToken(behind: Realm.Version(rawValue: number))
        }
        if let data = Data(base64Encoded: text),
            let token = try? JSONDecoder().decode(ChangeToken.self, from: data)
        {
            return token
        }
        throw ToolError(.badInput, "'\(text)' is neither a version nor a token of a commit.")
    }
}
