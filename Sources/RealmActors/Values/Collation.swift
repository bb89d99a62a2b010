/// An order that people put texts in.
///
///     people.sorted(by: \.name, collation: .people)
public struct Collation: Sendable, Hashable {
    private enum Form: Sendable, Hashable { case people }

    private let form: Form

    /// Letters before capitals, marks and punctuation, whatever the language: a word with accents
    /// stands next to the same word without, also behind a quotation mark.
    ///
    /// First decide spaces, digits and letters, in this order: a to z, then those of other scripts
    /// by their numbers in Unicode. Then, from the beginning of the texts, the marks on letters,
    /// capitals, and last what is otherwise passed over, such as punctuation. Letters that stand
    /// for two are two. It is the same on every system; languages that order letters in their own
    /// way, as Swedish does, are not asked.
    public static let people = Collation(form: .people)
}
