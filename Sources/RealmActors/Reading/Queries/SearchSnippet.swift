import Storage

/// A part of a string that shows what a search finds in it.
///
///     let snippet = SearchSnippet(of: note.text, for: "swift actors", words: 8)
///     print(snippet.marked { "[\($0)]" })
///     // ...objects that live on [Swift] [actors] of their own...
///
/// It is the part with most of the different words and phrases of the search, and of those the one
/// that has them most often. Matches are found as queries find them: whatever their case and marks,
/// words by their beginning as a whole, phrases as one, any run of ideographs. What a search
/// excludes is not marked.
///
/// It needs the string alone, and reads it once: make one for each string that is shown, whatever
/// its property.
public struct SearchSnippet: Sendable, Hashable {
    /// The part of the string, with an ellipsis where the string continues.
    public let text: String
    /// Where in ``text`` something is found: ascending, and none within or next to another.
    public let hits: [Range<String.Index>]

    /// The part of a string that shows most of what a search finds.
    ///
    /// - Parameters:
    ///   - text: the string that was searched.
    ///   - search: what ``Query/fullText(_:)`` takes. One without any word finds nothing: the
    ///     beginning of the string is shown.
    ///   - words: how many words are shown, of which each two neighbours of a run of ideographs are
    ///     one; at least one. Shorter strings are shown as they are.
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

    /// The string with what is found replaced, as by markup around it. The rest stays as it is: in
    /// HTML it has to be escaped as well, for which ``text`` and ``hits`` serve.
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
