import Testing

/// A small client program that the compiler must accept or reject.
struct Snippet: Sendable, CustomTestStringConvertible {
    let name: String
    /// A part of the diagnostic that rejects it; nil when it must compile without a word.
    let rejection: String?
    let code: String

    var testDescription: String { name }

    static func rejected(_ name: String, _ rejection: String, _ code: String) -> Snippet {
        Snippet(name: name, rejection: rejection, code: code)
    }

    static func accepted(_ name: String, _ code: String) -> Snippet {
        Snippet(name: name, rejection: nil, code: code)
    }

    /// What every snippet imports.
    static let imports = """
        import Foundation
        import RealmActors
        import Synchronization

        """

    /// What every snippet may use.
    static let prelude =
        imports + """
            final class Dog: Object {
                @Persisted var name: String = ""
                @Persisted var age: Int = 0
                @Persisted var owner: Person?
                @Persisted(originProperty: "dogs") var people: LinkingObjects<Person>
            }

            final class Person: Object {
                @Persisted(primaryKey: true) var id: UUID
                @Persisted var name: String
                @Persisted var address: Address?
                @Persisted var dogs: List<Dog>
                @Persisted var nicknames: MutableSet<String>
                @Persisted var notes: Map<String, AnyRealmValue>
                @Persisted var ages: Map<String, Int>
                @Persisted var extra: AnyRealmValue
            }

            final class Address: EmbeddedObject {
                @Persisted var street: String = ""
            }

            final class DogView: Projection<Dog> {
                @Projected(\\Dog.name) var title
                @Projected(\\Dog.owner?.name) var ownersName
            }

            final class PersonView: Projection<Person> {
                @Projected(\\Person.name) var name
                @Projected(\\Person.dogs.projectTo.name) var dogsNames: ProjectedCollection<String>
            }


            """

    /// Models in a module whose default isolation is the main actor.
    static let mainActorModule = """
        import RealmActors

        nonisolated enum Mood: String, PersistableEnum { case calm, playful }

        nonisolated final class Cat: Object {
            @Persisted var name: String = ""
            @Persisted var mood: Mood
            @Persisted var friends: List<Cat>
            @Persisted var basket: Basket?
        }

        nonisolated final class Basket: EmbeddedObject {
            @Persisted var colour: String
        }

        nonisolated final class CatView: Projection<Cat> {
            @Projected(\\Cat.name) var title
            @Projected(\\Cat.friends.projectTo.name) var friends: ProjectedCollection<String>
        }

        final class CatList {
            var live: LiveRealm?
            var shown: [FrozenProjection<CatView>] = []

            func open(_ realm: Realm) async throws { live = try await realm.live() }

            func add(_ realm: Realm, _ name: String) async throws {
                let cat = Cat()
                cat.name = name
                try await realm.write { tx in try tx.add(cat) }
                shown = Array(realm.objects(CatView.self))
            }

            func rename(_ cat: Cat) async throws {
                try await live?.write { cat.name += "!" }
            }

            func watch(_ realm: Realm) async throws {
                for try await change in realm.objects(CatView.self).changes() {
                    shown = Array(change.collection)
                }
            }
        }
        """
}
