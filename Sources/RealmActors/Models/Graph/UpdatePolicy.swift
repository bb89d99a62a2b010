/// What happens when an added object's primary key exists already.
public enum UpdatePolicy: Sendable {
    /// It throws ``RealmError/duplicatePrimaryKey(className:key:)``.
    case error
    /// Only differences are written and reported.
    case modified
    /// Every property is written and reported.
    case all
}
