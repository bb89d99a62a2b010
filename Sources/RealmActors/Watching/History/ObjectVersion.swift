public import Foundation
import Storage

/// The state of an object after one commit: see ``Realm/versions(of:)-(Frozen<Model>)``.
public struct ObjectVersion<Model: ObjectBase>: Sendable {
    /// How a commit changed the object.
    public enum Change: Sendable, Hashable {
        /// It inserted the object.
        case inserted
        /// It wrote the properties with these names, in the order of their columns. Writing an
        /// equal value counts.
        case modified(propertyNames: [String])
        /// It deleted the object.
        case deleted
    }

    /// The version that the commit made, in which
    /// ``Realm/snapshot(asOf:label:)-(Realm.Version,_)`` shows the whole realm.
    public let version: Realm.Version
    /// The position after the commit.
    public let token: ChangeToken
    /// The `author` of the write.
    public let author: String?
    /// When its transaction ended.
    public let time: Date
    /// How it changed the object.
    public let change: Change
    /// All values of the object after the commit, by the names of properties; empty when it was
    /// deleted. A property that a later migration added has its default, and is absent if the
    /// object was deleted before that.
    public let values: [String: CommitValue]
    /// The previous values of the written properties, and of all properties of a deleted object.
    /// Values that the log does not have are absent; empty for an inserted object.
    public let oldValues: [String: CommitValue]
}

extension ObjectVersion {
    init(_ row: RowVersion, _ model: ModelBinding, _ models: ModelMap) {
        version = Realm.Version(row.name.version)
        token = ChangeToken(
            in: models.history, version: row.name.version, life: row.name.life)
        author = row.author
        time = Date(timeIntervalSince1970: row.time)
        values = model.values(row.contents, models)
        var old: [String: CommitValue] = [:]
        for (column, contents) in row.replaced where column.rawValue < model.columns.count {
            let name = model.nameInHistory(column.rawValue)
            if name.isEmpty { continue }
            old[name] = CommitValue(
                contents, target: model.columns[column.rawValue].target, models)
        }
        oldValues = old
        switch row.change {
        case .inserted: change = .inserted
        case .deleted: change = .deleted
        case .modified(let columns):
            let names = columns.filter { $0.rawValue < model.columns.count }
                .map { model.nameInHistory($0.rawValue) }
            change = .modified(propertyNames: names.filter { !$0.isEmpty })
        }
    }
}
