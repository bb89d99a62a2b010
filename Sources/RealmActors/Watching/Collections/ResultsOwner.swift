import Storage

/// Distinguishes the object whose collection a query reads from a later one with the same row key:
/// if the write that created it was rolled back, another process or host may use its key.
struct ResultsOwner: Sendable {
    private let identity: RowIdentity
    private let classID: ClassID
    private let key: RowKey
    /// The version in which the stream was made.
    private let origin: VersionMoment
    /// Whether the row was absent before: the write that creates the object had not ended.
    private var wasAbsent = false
    /// Whether the row belonged to another object in a version before.
    private var wasLost = false

    /// Nil for a query of a whole class, and if the version of `context` has no such object.
    init?(of query: ResultsQuery, in context: FrozenContext) {
        let view = context.view
        switch query.source {
        case .all: return nil
        case .collection(let owner, let row, _): (classID, key) = (owner, row)
        case .backlinks(let row, let origin, let column):
            guard let target = view.schema[origin].columns[column.rawValue].target else {
                return nil
            }
            (classID, key) = (target, row)
        }
        guard let model = context.models.linkedBinding(classID),
            view.classView(classID).locate(key) != nil
        else { return nil }
        identity = RowIdentity(model, key, in: context)
        origin = context.root.moment
    }

    /// Whether the row belongs to another object at `moment`, which is not before those of earlier
    /// calls, or did at one of them.
    mutating func isLost(at moment: Snapshot) -> Bool {
        if wasLost { return true }
        guard moment.view.classView(classID).locate(key) != nil else {
            wasAbsent = true
            return false
        }
        wasLost =
            identity.isTaken(at: moment) || wasAbsent && moment.root.moment.invalidates(origin)
        wasAbsent = false
        return wasLost
    }
}
