import Storage

/// The object whose collection, or whose inverse, a watched query reads: the stream of the query
/// ends when the object is deleted, like that of the collection itself.
///
/// Distinguishes the object from a later one with the same row key: if the write that created it
/// was rolled back, another process or host may use its key.
struct ResultsOwner: Sendable {
    private let identity: RowIdentity
    private let classID: ClassID
    private let key: RowKey
    /// The version in which the stream was made.
    private let origin: VersionMoment
    /// Whether the object was created in `origin` or before, or was found since.
    private var isKnown: Bool
    /// Whether the row was absent before: the write that creates the object had not ended.
    private var wasAbsent = false
    /// Whether the object was deleted, or its row belonged to another one, in a version before.
    private var wasLost: Bool

    /// Nil for a query of a whole class, and if the models of `context` lack that of the object.
    init?(of query: ResultsQuery, in context: FrozenContext) {
        let view = context.view
        guard let owner = query.source.owner(in: view.schema),
            let model = context.models.linkedBinding(owner.classID)
        else { return nil }
        classID = owner.classID
        key = owner.key
        identity = RowIdentity(model, key, in: context)
        origin = context.root.moment
        // Keys ascend, so that an object below the next key that is not there was deleted.
        isKnown = key < view.classView(classID).nextKey
        wasLost = key == RowSource.goneOwner
    }

    /// The class of the object, whose commits matter.
    var watched: Set<ClassID> { [classID] }

    /// Whether the object was deleted, or its row belongs to another one, at `moment`, which is not
    /// before those of earlier calls, or at one of them.
    mutating func isLost(at moment: Snapshot) -> Bool {
        if wasLost { return true }
        guard moment.view.classView(classID).locate(key) != nil else {
            wasAbsent = true
            // No version before that of the write that creates the object has it.
            wasLost = isKnown && !moment.root.moment.precedes(origin)
            return wasLost
        }
        wasLost =
            identity.isTaken(at: moment) || wasAbsent && moment.root.moment.invalidates(origin)
        wasAbsent = false
        isKnown = true
        return wasLost
    }
}
