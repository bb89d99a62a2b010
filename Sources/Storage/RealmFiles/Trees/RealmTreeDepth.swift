/// How deep trees may be. Those of Realm have three or four levels; more are a cycle.
enum RealmTreeDepth {
    static let max = 20
    /// Levels of collections in collections.
    static let collectionsMax = 100
}
