import RealmActors

/// What is found by two properties at once, and ordered by one of them.
final class LedgerEntry: Object, IndexedModel {
    @Persisted var account: Int
    @Persisted var day: Int
    @Persisted var amount: Int

    static var indexes: [Index<LedgerEntry>] { [Index(\.account, \.day)] }
}
