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

    /// What every snippet may use.
    static let prelude = """
        import Foundation
        import RealmActors
        import Synchronization

        final class Dog: Object {
            @Persisted var name: String = ""
            @Persisted var age: Int = 0
            @Persisted var owner: Person?
        }

        final class Person: Object {
            @Persisted(primaryKey: true) var id: UUID
            @Persisted var name: String
            @Persisted var address: Address?
            @Persisted var dogs: List<Dog>
        }

        final class Address: EmbeddedObject {
            @Persisted var street: String = ""
        }


        """
}
