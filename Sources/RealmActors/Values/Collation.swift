/// The order of strings for presentation to people.
///
///     people.sorted(by: \.name, collation: .people)
public struct Collation: Sendable, Hashable {
    private enum Form: Sendable, Hashable { case people }

    private let form: Form

    /// Compares letters first, then accents, case and punctuation, independent of the language: a
    /// word with accents is next to the same word without, also after a quotation mark.
    ///
    /// The primary order is that of spaces, digits and letters: a to z, then those of other scripts
    /// by their Unicode scalars. Ties are decided from the beginning of the strings by diacritical
    /// marks, then by case, and last by what is otherwise ignored, such as punctuation. A letter
    /// that stands for two, as a ligature does, orders as these two. The order is the same on every
    /// system, and has no rules of individual languages, such as those of Swedish.
    public static let people = Collation(form: .people)
}
