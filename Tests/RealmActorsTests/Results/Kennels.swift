import Foundation
import Storage

@testable import RealmActors

enum KennelMood: String, PersistableEnum { case calm, playful }

final class KennelDog: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var name: String
    @Persisted var age: Int = 0
    @Persisted var weight: Double?
    @Persisted var good: Bool = false
    @Persisted var mood: KennelMood = .calm
    @Persisted var nickname: String?
    @Persisted var born: Date?
    @Persisted var owner: KennelOwner?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<KennelOwner>
}

final class KennelOwner: Object {
    @Persisted var name: String = ""
    @Persisted var dogs: List<KennelDog>
    @Persisted var scores: List<Int>
}

/// Dogs and owners in the working tree of a store in memory, edited without a transaction.
struct Kennels {
    let store: RealmStore

    var models: ModelMap { store.models }
    var tree: WorkingTree { store.engine.tree }

    var dog: ModelBinding { models.bindings[0] }
    var owner: ModelBinding { models.bindings[1] }

    init() throws {
        let (schema, found) = try SchemaDiscovery.discover([KennelDog.self, KennelOwner.self])
        let opened = OpenedStore(
            storeID: UUID(), replayed: ReplayedStore(inMemory: schema, NodeAccount()),
            models: found)
        store = RealmStore.started(Realm.Configuration(inMemoryIdentifier: "kennels"), opened)
    }

    @discardableResult
    func add(_ model: ModelBinding, _ values: [String: StoredValue]) -> RowKey {
        let key = tree.createRow(model.classID)
        for (name, value) in values {
            guard let property = model.property(named: name) else { continue }
            tree.set(value, model.classID, key, property.column)
        }
        return key
    }

    func append(_ values: [StoredValue], to name: String, of key: RowKey) throws {
        guard let property = owner.property(named: name) else { return }
        tree.listAppend(contentsOf: values, owner.classID, key, property.column)
    }

    /// Everything as it is now.
    func context() -> FrozenContext {
        let root = tree.capture(version: Version(1))
        return Snapshot(SnapshotHandle(store, root: root)).context
    }

    func dogs() -> FrozenResults<KennelDog> { FrozenResults(context: context(), model: dog) }

    func owners() -> FrozenResults<KennelOwner> { FrozenResults(context: context(), model: owner) }

    /// Six dogs of two owners; the last has none.
    static func filled() throws -> Kennels {
        let kennels = try Kennels()
        let names = ["Rex", "bella", "\u{C9}mile", "", "Ace", "Rover"]
        let ann = kennels.add(kennels.owner, ["name": .string("Ann")])
        let bob = kennels.add(kennels.owner, ["name": .string("Bob")])
        var keys: [RowKey] = []
        for (number, name) in names.enumerated() {
            var values: [String: StoredValue] = [
                "number": .int(Int64(number)), "name": .string(name),
                "age": .int(Int64(number * 2)), "good": .bool(number % 2 == 0),
                "mood": .string(number < 3 ? "calm" : "playful"),
            ]
            if number != 2 { values["weight"] = .double(number == 4 ? .nan : Double(number) + 0.5) }
            if number == 1 { values["nickname"] = .string("Bee") }
            if number < 5 { values["owner"] = .link(number < 3 ? ann : bob) }
            keys.append(kennels.add(kennels.dog, values))
        }
        try kennels.append(keys[0..<3].map { .link($0) }, to: "dogs", of: ann)
        try kennels.append([.link(keys[3]), .link(keys[3])], to: "dogs", of: bob)
        try kennels.append([.int(1), .int(5)], to: "scores", of: ann)
        return kennels
    }
}
