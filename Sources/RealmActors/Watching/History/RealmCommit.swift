public import Foundation
import Storage

/// One commit: its changes, author and time.
public struct RealmCommit: Sendable {
    private let logged: LoggedCommit
    private let models: ModelMap

    init(_ logged: LoggedCommit, _ models: ModelMap) {
        self.logged = logged.limited(to: models.storeSchema)
        self.models = models
    }

    /// The version that the commit made.
    public var version: Realm.Version { Realm.Version(logged.version) }

    /// The position after this commit: store it, and continue there with ``Realm/commits(since:)``.
    public var token: ChangeToken {
        ChangeToken(in: models.history, version: logged.version, life: logged.life)
    }

    /// The `author` of the write.
    public var author: String? { logged.author }

    /// When its transaction ended.
    public var time: Date { Date(timeIntervalSince1970: logged.time) }

    /// Whether the log has the new values. A commit of many megabytes writes them to the page files
    /// instead, where later commits change them: it reports objects and properties without values.
    public var hasValues: Bool { logged.hasValues }

    /// Whether the log has the previous values and those of deleted objects: for commits that were
    /// made with a ``Realm/Configuration/history`` of `.keep`, or while a task iterated
    /// ``Realm/commits(since:)``, unless ``hasValues`` is false. On a shared log only the history
    /// of the host that commits decides, so that the commit is the same on every host; on a full
    /// disk a host may keep its own deletions without the old values that the others get.
    public var hasOldValues: Bool { logged.hasOldValues }

    /// The names of the classes with changes.
    public var classNames: [String] {
        logged.classes.map { models.bindingInHistory($0.id).className }
    }

    /// The changes, by class.
    ///
    /// - Complexity: linear in what changed, on each access.
    public var changes: [CommitChange<DynamicObject>] {
        logged.classes.map { changes($0, as: DynamicObject.self) }
    }

    /// The changes of a class; nil when there are none.
    ///
    /// - Complexity: linear in what changed of the class, on each call.
    public func changes<Model: ObjectBase>(of type: Model.Type) -> CommitChange<Model>? {
        entry(of: type).map { changes($0, as: type) }
    }

    /// The objects of a class that were inserted.
    ///
    /// - Complexity: linear in what changed of the class, on each call.
    public func insertions<Model: ObjectBase>(of type: Model.Type) -> [CommitInsertion<Model>] {
        entry(of: type).map { insertions($0) } ?? []
    }

    /// The objects of a class that existed before and were written.
    ///
    /// - Complexity: linear in what changed of the class, on each call.
    public func modifications<Model: ObjectBase>(
        of type: Model.Type
    ) -> [CommitModification<Model>] {
        entry(of: type).map { modifications($0) } ?? []
    }

    /// The objects of a class that were deleted.
    ///
    /// - Complexity: linear in what changed of the class, on each call.
    public func deletions<Model: ObjectBase>(of type: Model.Type) -> [CommitDeletion<Model>] {
        entry(of: type).map { deletions($0) } ?? []
    }
}

/// What the log has of a modified row.
private struct ModifiedRow {
    var names: [String] = []
    var newValues: [String: CommitValue] = [:]
    var oldValues: [String: CommitValue] = [:]
}

extension RealmCommit {
    private func entry(of type: ObjectBase.Type) -> LoggedClass? {
        guard let id = models.binding(for: type)?.classID else { return nil }
        return logged.classes.first { $0.id == id }
    }

    private func changes<Model: ObjectBase>(
        _ entry: LoggedClass, as type: Model.Type
    ) -> CommitChange<Model> {
        CommitChange(
            className: models.bindingInHistory(entry.id).className, insertions: insertions(entry),
            modifications: modifications(entry), deletions: deletions(entry))
    }

    private func reference<Model>(_ id: ClassID, _ key: Int64) -> ObjectReference<Model> {
        ObjectReference(storeID: models.storeID, classID: id, key: RowKey(key))
    }

    private func insertions<Model>(_ entry: LoggedClass) -> [CommitInsertion<Model>] {
        let model = models.bindingInHistory(entry.id)
        let values = entry.createdValues.map { model.values($0, models) }
        return entry.created.joined().enumerated().map { index, key in
            CommitInsertion(
                reference: reference(entry.id, key),
                values: index < values.count ? values[index] : [:])
        }
    }

    private func modifications<Model>(_ entry: LoggedClass) -> [CommitModification<Model>] {
        let model = models.bindingInHistory(entry.id)
        var rows: [Int64: ModifiedRow] = [:]
        for touched in entry.touched {
            let column = touched.column.rawValue
            let (name, target) = (model.nameInHistory(column), model.columns[column].target)
            if name.isEmpty { continue }
            for (index, key) in touched.rows.joined().enumerated() {
                rows[key, default: ModifiedRow()].names.append(name)
                if index < touched.values.count {
                    rows[key]?.newValues[name] = CommitValue(
                        touched.values[index], target: target, models)
                }
                if index < touched.oldValues.count {
                    rows[key]?.oldValues[name] = CommitValue(
                        touched.oldValues[index], target: target, models)
                }
            }
        }
        return rows.sorted { $0.key < $1.key }.map { key, row in
            CommitModification(
                reference: reference(entry.id, key), propertyNames: row.names,
                newValues: row.newValues, oldValues: row.oldValues)
        }
    }

    private func deletions<Model>(_ entry: LoggedClass) -> [CommitDeletion<Model>] {
        let model = models.bindingInHistory(entry.id)
        let values = entry.deletedValues.map { model.values($0, models) }
        return entry.deleted.joined().enumerated().map { index, key in
            CommitDeletion(
                reference: reference(entry.id, key),
                oldValues: index < values.count ? values[index] : [:])
        }
    }
}

extension RealmCommit: CustomStringConvertible {
    /// The version, the author, and for each class the numbers of inserted, deleted and modified
    /// objects, with the properties.
    public var description: String {
        let classes = logged.classes.map { entry in
            let model = models.bindingInHistory(entry.id)
            let (created, deleted) = (Self.count(entry.created), Self.count(entry.deleted))
            let names = entry.touched.map { model.nameInHistory($0.column.rawValue) }
            let written = Self.count(ofAny: entry.touched.map(\.rows))
            var parts: [String] = []
            if created > 0 { parts.append("+\(created)") }
            if deleted > 0 { parts.append("-\(deleted)") }
            if written > 0 {
                let shown = names.prefix(8) + (names.count > 8 ? ["..."] : [])
                parts.append("~\(written) (\(shown.joined(separator: ", ")))")
            }
            return "\(model.className) \(parts.joined(separator: " "))"
        }
        let author = author.map { " by \(ObjectDescription.bounded($0, 100))" } ?? ""
        let changes = classes.isEmpty ? "nothing" : classes.joined(separator: "; ")
        return "RealmCommit(version \(version)\(author): \(changes))"
    }

    private static func count(_ keys: [Range<Int64>]) -> Int { keys.reduce(0) { $0 + $1.count } }

    /// The number of keys in the union of several lists of ranges.
    private static func count(ofAny lists: [[Range<Int64>]]) -> Int {
        var (count, end) = (0, Int64.zero)
        for keys in lists.joined().sorted(by: { $0.lowerBound < $1.lowerBound })
        where keys.upperBound > end {
            count += Int(keys.upperBound - max(keys.lowerBound, end))
            end = keys.upperBound
        }
        return count
    }
}
