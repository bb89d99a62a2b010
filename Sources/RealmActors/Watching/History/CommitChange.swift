/// The changes of a commit to one class.
///
/// ``RealmCommit/changes`` has one for each class, of dynamic objects;
/// ``RealmCommit/changes(of:)`` gives that of a model.
public struct CommitChange<Model: ObjectBase>: Sendable {
    /// The name of the class.
    public let className: String
    /// The inserted objects, in the order of their creation.
    public let insertions: [CommitInsertion<Model>]
    /// The objects that existed before and were written.
    public let modifications: [CommitModification<Model>]
    /// The deleted objects.
    public let deletions: [CommitDeletion<Model>]
}

/// An object that a commit inserted.
public struct CommitInsertion<Model: ObjectBase>: Sendable, Hashable {
    /// The object.
    public let reference: ObjectReference<Model>
    /// Its values, by the name of the property; empty when the commit was too large for the log to
    /// keep values (``RealmCommit/hasValues``).
    public let values: [String: CommitValue]
}

/// An object that a commit wrote.
public struct CommitModification<Model: ObjectBase>: Sendable, Hashable {
    /// The object.
    public let reference: ObjectReference<Model>
    /// The properties that were written, in the order of their columns. Writing an equal value
    /// counts.
    public let propertyNames: [String]
    /// The new values by the name of the property, without collections; empty when the commit was
    /// too large for the log to keep values (``RealmCommit/hasValues``).
    public let newValues: [String: CommitValue]
    /// The values before, of the same properties; empty when the commit has none
    /// (``RealmCommit/hasOldValues``).
    public let oldValues: [String: CommitValue]
}

/// An object that a commit deleted.
public struct CommitDeletion<Model: ObjectBase>: Sendable, Hashable {
    /// The object. It resolves in snapshots that were taken before.
    public let reference: ObjectReference<Model>
    /// All its values, by the name of the property, including collections; empty when the commit
    /// has no old values (``RealmCommit/hasOldValues``).
    public let oldValues: [String: CommitValue]
}
