import RealmActors

/// A text with an index of its words.
final class Note: Object {
    @Persisted(indexed: .fullText) var text: String
}
