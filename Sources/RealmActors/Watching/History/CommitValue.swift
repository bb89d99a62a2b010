import Storage

/// A value that a commit wrote, as the log has it. Links are references, because the object may
/// have changed since, or was deleted.
public enum CommitValue: Hashable, Sendable {
    /// A value that is not a link and contains none.
    case value(FrozenValue)
    /// A link to an object.
    case object(ObjectReference<DynamicObject>)
    /// The elements of a list or set.
    case list([CommitValue])
    /// The entries of a map.
    case dictionary([String: CommitValue])

    /// The value when it is neither a link nor a collection; nil otherwise.
    public var frozen: FrozenValue? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension CommitValue {
    /// A stored value; `target` is the class of a link.
    init(_ stored: StoredValue, target: ClassID?, _ models: ModelMap) {
        switch stored {
        case .link(let key):
            self = target.map { .reference(models, $0, key) } ?? .value(.none)
        case .object(let id, let key):
            self = .reference(models, id, key)
        case .list(_, let values):
            self = .list(values.map { CommitValue($0, target: nil, models) })
        case .dictionary(_, let entries):
            self = .dictionary(entries.dictionary { CommitValue($0, target: nil, models) })
        default:
            self = .value(FrozenValue(scalar: stored) ?? .none)
        }
    }

    /// The contents of a column in a created row.
    init(_ logged: ColumnContents, target: ClassID?, _ models: ModelMap) {
        switch logged {
        case .value(let value): self.init(value, target: target, models)
        case .elements(let values):
            self = .list(values.map { CommitValue($0, target: target, models) })
        case .entries(let keys, let values):
            let pairs = zip(keys, values).map {
                ($0, CommitValue($1, target: target, models))
            }
            self = .dictionary(Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
        }
    }

    private static func reference(
        _ models: ModelMap, _ id: ClassID, _ key: RowKey
    ) -> CommitValue {
        .object(ObjectReference(storeID: models.storeID, classID: id, key: key))
    }
}
