import Storage

/// Takes what somebody searches for apart.
struct SearchReader {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    mutating func parts() -> [TextSearch.Part] {
        var parts: [TextSearch.Part] = []
        while true {
            rest = rest.drop { $0.isWhitespace }
            if rest.isEmpty { return parts }
            if let part = part() { parts.append(part) }
        }
    }

    /// The next word or phrase; nil where there are only signs.
    private mutating func part() -> TextSearch.Part? {
        var isExcluded = false
        if rest.first == "-" {
            isExcluded = true
            rest.removeFirst()
        }
        let isPhrase = rest.first == "\""
        let word: Substring
        if isPhrase {
            rest.removeFirst()
            word = rest.prefix { $0 != "\"" }
            rest = rest[word.endIndex...].dropFirst()
        } else {
            word = rest.prefix { !$0.isWhitespace && $0 != "\"" }
            rest = rest[word.endIndex...]
        }
        var terms = Self.terms(String(word))
        if terms.isEmpty { return nil }
        // The pairs of a run of ideographs stand one behind the other.
        let isRun = terms.count > 1 && word.utf8.allSatisfy { $0 >= 0x80 || $0 == 0x2A }
        if isPhrase || isRun {
            // In front of others, a character by itself is not the beginning of a pair.
            for index in terms.indices.dropLast() { terms[index].isPrefix = false }
        }
        return TextSearch.Part(
            terms: terms, isExcluded: isExcluded, isPhrase: isPhrase || isRun)
    }

    private static func terms(_ word: String) -> [TextSearch.Term] {
        var terms: [TextSearch.Term] = []
        var text = word
        text.withUTF8 { bytes in
            TermScanner.forEach(in: UnsafeRawBufferPointer(bytes)) { term in
                // Behind a pair, the character by itself asks for nothing more.
                if term.isTail, terms.last?.position == term.position { return }
                terms.append(
                    TextSearch.Term(
                        bytes: Array(term.bytes), isPrefix: term.isTail, position: term.position,
                        isCharacter: term.isTail))
            }
        }
        if word.hasSuffix("*"), !terms.isEmpty { terms[terms.count - 1].isPrefix = true }
        return terms
    }
}
