import RealmActors

/// What the tests of traits store.
final class ServiceItem: Object {
    @Persisted(primaryKey: true) var id = 0
}
