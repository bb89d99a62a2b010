import Foundation
import RealmActors
import Testing

final class RowTag: EmbeddedObject {
    @Persisted var text: String = ""
}

final class RowDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = ""
    @Persisted var age: Int = 0
    @Persisted var friend: RowDog?
    @Persisted var tag: RowTag?
    @Persisted(originProperty: "dog") var owners: LinkingObjects<RowOwner>
    @Persisted(originProperty: "employees") var firms: LinkingObjects<RowOwner>
}

final class RowOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String = ""
    @Persisted var dog: RowDog?
    @Persisted var employees: List<RowDog>
    @Persisted var pack: MutableSet<RowDog>
    @Persisted var byName: Map<String, RowDog?>
    @Persisted var tags: List<RowTag>
    @Persisted var numbers: List<Int>
    @Persisted(originProperty: "owners") var town: LinkingObjects<RowTown>
}

final class RowTown: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var owners: List<RowOwner>
}

/// A realm with owner 0 of dog 0, whose friend is dog 1; dog 2 is free.
struct RowWorld {
    let realm: Realm

    init() async throws {
        realm = try await Realm.open(
            .init(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [RowDog.self, RowOwner.self, RowTown.self, RowTag.self]))
        try await realm.write { tx in
            let dogs = try (0..<3).map { try tx.create(RowDog.self, value: ["id": $0]) }
            let owner = try tx.create(RowOwner.self, value: ["id": 0])
            owner.dog = dogs[0]
            dogs[0].friend = dogs[1]
            dogs[1].tag = RowTag()
        }
    }

    var owner: Frozen<RowOwner> {
        get throws { try #require(realm.object(RowOwner.self, forPrimaryKey: 0)) }
    }

    func dog(_ id: Int) throws -> Frozen<RowDog> {
        try #require(realm.object(RowDog.self, forPrimaryKey: id))
    }

    /// One transaction on the owner and the dogs.
    func edit(_ body: sending @escaping (RowOwner, [RowDog]) throws -> Void) async throws {
        try await realm.write { tx in
            let owner = try #require(tx.object(RowOwner.self, forPrimaryKey: 0))
            try body(owner, Array(tx.objects(RowDog.self)))
        }
    }

    func delete(dog id: Int) async throws {
        try await realm.write { tx in
            try tx.delete(#require(tx.object(RowDog.self, forPrimaryKey: id)))
        }
    }

    func deleteOwner() async throws {
        try await realm.write { tx in
            try tx.delete(#require(tx.object(RowOwner.self, forPrimaryKey: 0)))
        }
    }
}
