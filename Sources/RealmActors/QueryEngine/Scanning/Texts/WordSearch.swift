import Storage

/// A search for a few words of ASCII. Whether a text of ASCII matches is decided without making its
/// terms, which are its runs of letters and digits in lower case.
struct WordSearch: Sendable {
    struct Word: Sendable {
        fileprivate let bytes: [UInt8]
        fileprivate let isPrefix: Bool

        /// Whether a text of ASCII has the word.
        @inline(__always)
        func occurs(in text: UnsafeRawBufferPointer) -> Bool {
            // Unsafe: borrowed for the search.
            bytes.withUnsafeBytes { needle in
                ByteSearch<LowerBytes>.contains(text, needle) { start in
                    let end = start &+ needle.count
                    return (start == 0 || TermScanner.isSeparator(text[start &- 1]))
                        && (isPrefix || end == text.count
                            || TermScanner.isSeparator(text[end]))
                }
            }
        }
    }

    private struct Part {
        let words: [Word]
        let isExcluded: Bool
    }

    /// The most words to search for; for more, iterating over the terms of a text once is faster.
    private static let wordsMax = 4

    private let parts: [Part]

    /// Nil for words beyond ASCII, many words, and where their positions matter.
    init?(_ search: TextSearch) {
        let terms = search.parts.lazy.flatMap(\.terms)
        guard terms.count <= Self.wordsMax, !search.parts.contains(where: \.isSequence),
            terms.allSatisfy({ $0.bytes.allSatisfy { $0 < 0x80 } })
        else { return nil }
        parts = search.parts.map { part in
            Part(
                words: part.terms.map { Word(bytes: $0.bytes, isPrefix: $0.isPrefix) },
                isExcluded: part.isExcluded)
        }
    }

    /// Whether all that is required is there, and nothing that is excluded, where `isThere` says
    /// which words are.
    @inline(__always)
    func isSatisfied(_ isThere: (Word) -> Bool) -> Bool {
        parts.allSatisfy { part in part.words.allSatisfy(isThere) != part.isExcluded }
    }
}
