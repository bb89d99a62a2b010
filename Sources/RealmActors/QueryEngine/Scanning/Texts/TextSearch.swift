import Storage

/// The terms that a full-text search requires of a text.
///
///     swift actors     both words
///     "swift actors"   one after the other
///     -ios             not this one; of several terms, not all of them
///     act*             a word that begins so
package struct TextSearch: Sendable {
    /// A term of the search.
    struct Term: Sendable {
        /// Folded, as UTF-8.
        let bytes: [UInt8]
        /// Whether terms that begin with it are found as well.
        var isPrefix: Bool
        /// The position within its part.
        let position: Int
        /// Whether it is a single CJK character: terms that begin with it add no information.
        let isCharacter: Bool

        /// The key of its entries in an index.
        var key: TermKey {
            // Unsafe: borrowed for the call.
            bytes.withUnsafeBytes { TermKey($0) }
        }

        /// The keys of the entries that it finds.
        var keys: ClosedRange<UInt64> {
            let key = key
            return isPrefix ? key.prefixKeys : key.bits...key.bits
        }
    }

    /// A word or phrase, with at least one term.
    struct Part: Sendable {
        var terms: [Term]
        let isExcluded: Bool
        let isPhrase: Bool

        /// Whether its terms must be consecutive.
        var isSequence: Bool { isPhrase && terms.count > 1 }
    }

    /// A unit of the relevance of a text: a word, or a phrase as a whole.
    struct Unit: Sendable {
        let part: Int
        /// The word of the part; nil for the whole phrase.
        let term: Int?
    }

    /// The units that are required and not excluded, in their order.
    var units: [Unit] {
        parts.indices.filter { !parts[$0].isExcluded }.flatMap { part in
            parts[part].isSequence
                ? [Unit(part: part, term: nil)]
                : parts[part].terms.indices.map { Unit(part: part, term: $0) }
        }
    }

    /// The terms of a unit.
    func terms(of unit: Unit) -> [Term] {
        unit.term.map { [parts[unit.part].terms[$0]] } ?? parts[unit.part].terms
    }

    let parts: [Part]

    /// Nil for a search without a word.
    init?(_ text: String) {
        var reader = SearchReader(text)
        parts = reader.parts()
        if parts.isEmpty { return nil }
    }

    /// Whether one text has it.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var counter = TermCounter(self)
        counter.add(text)
        return counter.isMatch
    }
}
