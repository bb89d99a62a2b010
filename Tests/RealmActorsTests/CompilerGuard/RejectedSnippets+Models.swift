extension Snippet {
    /// Models are not shared.
    static let sharedModels: [Snippet] = [
        .rejected(
            "a model in a Sendable struct", "Sendable",
            """
            struct Card: Sendable {
                let dog: Dog
            }
            """),
        .rejected(
            "a model as a global constant", "not concurrency-safe",
            """
            let everyonesDog = Dog()
            """),
        .rejected(
            "a model declared Sendable", "'Sendable'",
            """
            final class Cat: Object, Sendable {
                @Persisted var name: String
            }
            func play(_ cat: Cat) { Task.detached { cat.name = "Tom" } }
            """),
        .rejected(
            "a transaction that must be Sendable", "Sendable",
            """
            func needsSendable<T: Sendable>(_ value: T) {}
            func check(_ tx: WriteTransaction) { needsSendable(tx) }
            """),
        .rejected(
            "a live realm that must be Sendable", "Sendable",
            """
            func needsSendable<T: Sendable>(_ value: T) {}
            func check(_ live: LiveRealm) { needsSendable(live) }
            """),
    ]

    /// What cannot be stored does not compile.
    static let unsupportedModels: [Snippet] = [
        .rejected(
            "a URL", "PersistedValue",
            """
            final class Page: Object {
                @Persisted var address: URL
            }
            """),
        .rejected(
            "an unsigned number of 64 bits", "PersistedValue",
            """
            final class Page: Object {
                @Persisted var size: UInt64 = 0
            }
            """),
        .rejected(
            "an array", "declare a list instead",
            """
            final class Page: Object {
                @Persisted var words: [String] = []
            }
            """),
        .rejected(
            "an array without a default", "declare a list instead",
            """
            final class Page: Object {
                @Persisted var numbers: [Int]
            }
            """),
        .rejected(
            "a set", "declare a set instead, as in 'var ages: MutableSet<Int>'",
            """
            final class Page: Object {
                @Persisted var words: Set<String> = []
            }
            """),
        .rejected(
            "a dictionary", "declare a map instead",
            """
            final class Page: Object {
                @Persisted var words: [String: Int]
            }
            """),
        .rejected(
            "a link that is not optional", "a link to an object is optional",
            """
            final class Leash: Object {
                @Persisted var dog: Dog
            }
            """),
        .rejected(
            "a list of optional objects", "Dog?",
            """
            final class Pack: Object {
                @Persisted var dogs: List<Dog?>
            }
            """),
        .rejected(
            "a primary key of doubles", "'Double'",
            """
            final class Reading: Object {
                @Persisted(primaryKey: true) var value: Double
            }
            """),
        .rejected(
            "an index over an optional enum of doubles", "IndexableValue",
            """
            enum Weight: Double, PersistableEnum { case light = 0.5, heavy = 2.5 }
            final class Reading: Object {
                @Persisted(indexed: true) var weight: Weight?
            }
            """),
        .rejected(
            "an index over data", "'Data'",
            """
            final class Reading: Object {
                @Persisted(indexed: true) var bytes: Data
            }
            """),
        .rejected(
            "an embedded object added by itself", "'Address'",
            """
            func put(_ tx: WriteTransaction) throws { try tx.add(Address()) }
            """),
        .rejected(
            "objects of an embedded class", "'Address'",
            """
            func list(_ realm: Realm) -> Int { realm.objects(Address.self).count }
            """),
    ]
}
