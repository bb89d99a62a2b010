import RealmActors

/// The smallest object: one string, no key, no index.
final class StringObject: Object {
    @Persisted var string: String
}
