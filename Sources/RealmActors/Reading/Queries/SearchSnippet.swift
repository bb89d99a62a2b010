import Storage

/// A part of a string with the matches of a search.
///
///     let snippet = SearchSnippet(of: note.text, for: "swift actors", words: 8)
///     print(snippet.marked { "[\($0)]" })
///     // ...objects that live on [Swift] [actors] of their own...
///
/// It is the part with most of the different words and phrases of the search, and among several
/// such parts the one with most matches. Matches are found as in queries: ignoring case and
/// diacritical marks, a word found by its prefix as a whole, a phrase as one, and any run of
/// ideographs. Excluded words are not marked.
///
/// It needs only the string, and reads it once: make one for each string that is shown.
public struct SearchSnippet: Sendable, Hashable {
    /// The part of the string, with an ellipsis where the string continues.
    public let text: String
    /// The matches in ``text``: ascending, not overlapping and not adjacent.
    public let hits: [Range<String.Index>]

    /// Finds the part of a string with most of the matches of a search.
    ///
    /// - Parameters:
    ///   - text: the string that was searched.
    ///   - search: a search in the syntax of ``Query/fullText(_:)``. Without any word it finds
    ///     nothing, and the beginning of the string is shown.
    ///   - words: how many words are shown; at least one. Two adjacent ideographs of a run count as
    ///     one word. Shorter strings are shown as they are.
    ///   - ellipsis: replaces what was left out.
    /// - Complexity: O(n log m) for a string of n words and a search of m; phrases of 64 words and
    ///   more take m / 64 times as long.
    public init(
        of text: String, for search: String, words: Int = 24, ellipsis: String = "\u{2026}"
    ) {
        precondition(words > 0, "A snippet has at least one word; \(words) were requested.")
        var text = text
        let (part, found, length) = text.withUTF8 { utf8 in
            let hits = SearchHits(TextSearch(search), in: UnsafeRawBufferPointer(utf8))
            let window = hits.window(of: words)
            let start = window.lowerBound == 0 ? 0 : hits.words[window.lowerBound].lowerBound
            let end =
                window.upperBound == hits.words.count
                ? utf8.count : hits.words[window.upperBound - 1].upperBound
            return (start..<end, hits.bytes(within: start..<end), utf8.count)
        }
        let shown = text.utf8.index(text.startIndex, offsetBy: part.lowerBound)
        let end = text.utf8.index(text.startIndex, offsetBy: part.upperBound)
        let head = part.lowerBound > 0 ? ellipsis : ""
        var snippet = head + text[shown..<end] + (part.upperBound < length ? ellipsis : "")
        snippet.makeContiguousUTF8()
        let offset = head.utf8.count - part.lowerBound
        hits = found.map { bytes in
            let start = snippet.utf8.index(
                snippet.startIndex, offsetBy: bytes.lowerBound + offset)
            return start..<snippet.utf8.index(start, offsetBy: bytes.count)
        }
        self.text = snippet
    }

    /// The text with each match replaced by `mark`, for example by adding markup. The rest is not
    /// changed: for HTML, which must be escaped, use ``text`` and ``hits``.
    public func marked(_ mark: (Substring) throws -> String) rethrows -> String {
        var marked = ""
        var end = text.startIndex
        for hit in hits {
            marked += text[end..<hit.lowerBound]
            marked += try mark(text[hit])
            end = hit.upperBound
        }
        return marked + text[end...]
    }
}
