/// The maximum depth of trees. Those of Realm have three or four levels; more indicates a cycle.
enum RealmTreeDepth {
    static let max = 20
    /// The maximum nesting of collections.
    static let collectionsMax = 100
}
