import RealmActors
import Storage
import StorageHarness

/// A watchable collection of any type.
struct Watchable: Sendable {
    /// Called by a consumer after each element.
    typealias Pause = @Sendable () async throws -> Void

    let name: String
    /// The current contents of the collection.
    let present: @Sendable () throws -> [String]
    /// Maintains a copy by changes until the last transaction is reported; returns the copy.
    let follow: @Sendable (Pause) async throws -> [String]

    private init<C: ObservedCollection & Collection>(
        _ name: String, _ collection: @escaping @Sendable () throws -> C,
        _ changes: @escaping @Sendable (C) -> CollectionChanges<C>,
        _ text: @escaping @Sendable (C.Element) -> String,
        isLast: @escaping @Sendable (C.Element) -> Bool
    ) where C.Position == Int {
        self.name = name
        present = { try collection().map(text) }
        follow = { pause in
            var copy = Replica<String>()
            var iterator = try changes(collection()).makeAsyncIterator()
            // A paused consumer holds no version: the change is released before.
            func takeNext() async throws -> Bool {
                guard let change = try await iterator.next() else { return false }
                try copy.apply(change, name, text)
                return !change.collection.contains(where: isLast)
            }
            while try await takeNext() { try await pause() }
            return copy.elements
        }
    }
}

extension Watchable {
    /// All watchable collections of a realm with one shelf.
    static func all(in realm: Realm) -> [Watchable] {
        [
            items("all", realm) { $0 },
            items("filtered", realm) { $0.where { $0.rank > 4 } },
            items("filtered across a link", realm) {
                $0.where { $0.shelf.name == "the last shelf" }
            },
            items("sorted by an index", realm) { $0.sorted(by: \.rank) },
            items("sorted", realm) { $0.sorted(by: \.name, ascending: false) },
            items("sorted by nullable", realm) { $0.sorted(by: \.weight) },
            items("sorted across a link", realm) { $0.sorted(by: \.shelf?.name) },
            items("filtered and sorted", realm) { $0.where { $0.rank < 60 }.sorted(by: \.name) },
            items("limited", realm) { $0.limit(7) },
            items("sorted and limited", realm) { $0.sorted(by: \.rank).limit(5) },
            items("distinct", realm) { $0.distinct(by: [\.rank]) },
            Watchable("a list of objects", { try shelf(realm).items }, { $0.changes() }, text) {
                $0.isLast
            },
            Watchable("a list of numbers", { try shelf(realm).numbers }, { $0.changes() }) {
                "\($0)"
            } isLast: {
                $0 == ShelfEdits.lastNumber
            },
        ]
    }

    private static func items(
        _ name: String, _ realm: Realm,
        _ query: @escaping @Sendable (FrozenResults<Item>) -> FrozenResults<Item>
    ) -> Watchable {
        Watchable(name, { query(realm.objects(Item.self)) }, { $0.changes() }, text) { $0.isLast }
    }

    private static func shelf(_ realm: Realm) throws -> Frozen<Shelf> {
        guard let shelf = realm.object(Shelf.self, forPrimaryKey: 0) else {
            throw Violation("the shelf is gone")
        }
        return shelf
    }

    @Sendable private static func text(_ item: Frozen<Item>) -> String {
        "\(item.id) \(item.rank) \(item.name) \(item.weight ?? -1) \(item.shelf?.name ?? "")"
    }
}
