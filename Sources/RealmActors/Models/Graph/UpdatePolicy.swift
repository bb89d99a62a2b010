/// What adding an object does when its primary key exists already.
public enum UpdatePolicy: Sendable {
    /// It throws ``RealmError/duplicatePrimaryKey(className:key:)``.
    case error
    /// Only what differs is written and reported.
    case modified
    /// Every property is written and reported.
    case all
}
