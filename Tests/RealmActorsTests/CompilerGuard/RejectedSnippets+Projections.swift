extension Snippet {
    /// Projections follow the rules of their objects.
    static let projectionMisuse: [Snippet] = [
        .rejected(
            "a live projection returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> DogView? {
                try await realm.write { tx in tx.objects(DogView.self).first }
            }
            """),
        .rejected(
            "results of projections returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> ProjectionResults<DogView> {
                try await realm.write { tx in tx.objects(DogView.self) }
            }
            """),
        .rejected(
            "a projected collection returned from a write", "Sendable",
            """
            func escape(_ realm: Realm) async throws -> ProjectedCollection<String>? {
                try await realm.write { tx in tx.objects(PersonView.self).first?.dogsNames }
            }
            """),
        .rejected(
            "a live projection captured by a detached task", "data race",
            """
            actor Kennel {
                var dog: DogView?
                func run() {
                    let dog = dog
                    Task.detached { dog?.title += "!" }
                }
            }
            """),
        .rejected(
            "a live projection that leaves its actor", "non-Sendable",
            """
            actor Kennel {
                var dog: DogView?
                func lend() -> DogView? { dog }
            }
            func borrow(_ kennel: Kennel) async -> String? { await kennel.lend()?.title }
            """),
        .rejected(
            "a projection in a Sendable struct", "Sendable",
            """
            struct Card: Sendable {
                let dog: DogView
            }
            """),
        .rejected(
            "a projection declared Sendable", "Sendable",
            """
            final class CatView: Projection<Dog>, Sendable {
                @Projected(\\Dog.name) var title
            }
            func play(_ cat: CatView) { Task.detached { cat.title = "Tom" } }
            """),
        .rejected(
            "an assignment through a frozen projection", "cannot assign through dynamic lookup",
            """
            func change(_ dog: FrozenProjection<DogView>) { dog.title = "Rex" }
            """),
        .rejected(
            "an element of a frozen projected collection set", "'Sendable' is unavailable",
            """
            func change(_ person: FrozenProjection<PersonView>) { person.dogsNames[0] = "Rex" }
            """),
        .rejected(
            "a method of a projection called on a frozen one", "cannot refer to instance method",
            """
            extension DogView { func bark() {} }
            func call(_ dog: FrozenProjection<DogView>) { dog.bark() }
            """),
        .rejected(
            "a projection of a property of another class", "'Projection<Person>'",
            """
            final class Wrong: Projection<Dog> {
                @Projected(\\Person.name) var title
            }
            """),
        .rejected(
            "a projection of what is no model", "ObjectBase",
            """
            final class Wrong: Projection<String> {}
            """),
        .rejected(
            "a projected property outside a projection", "works in classes derived from Projection",
            """
            struct Card {
                @Projected(\\Dog.name) var title
            }
            """),
        .rejected(
            "watching a projection by a key path of its model", "'Dog'",
            """
            func watch(_ dog: FrozenProjection<DogView>) { _ = dog.changes(keyPaths: [\\Dog.age]) }
            """),
        .rejected(
            "a frozen projection returned as a live one", "FrozenProjection<DogView>",
            """
            func find(_ realm: Realm) -> DogView? { realm.objects(DogView.self).first }
            """),
        .rejected(
            "objects of a projection of an embedded class", "'P.Root' : 'Object'",
            """
            final class AddressView: Projection<Address> {
                @Projected(\\Address.street) var street
            }
            func list(_ realm: Realm) -> Int { realm.objects(AddressView.self).count }
            """),
    ]
}
