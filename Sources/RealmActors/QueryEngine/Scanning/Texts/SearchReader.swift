import Storage

/// Parses the text of a search.
struct SearchReader {
    private var rest: Substring

    init(_ text: String) { rest = text[...] }

    mutating func parts() -> [TextSearch.Part] {
        var parts: [TextSearch.Part] = []
        while true {
            rest = rest.drop { $0.isWhitespace }
            if rest.isEmpty { return parts }
            parts += nextParts()
        }
    }

    /// The parts that the next word or phrase requires; none where there are only signs.
    private mutating func nextParts() -> [TextSearch.Part] {
        let isExcluded = Self.isSign(rest.first, "-")
        if isExcluded { rest.removeFirst() }
        let isPhrase = Self.isSign(rest.first, "\"")
        let word: Substring
        if isPhrase {
            rest.removeFirst()
            word = rest.prefix { !Self.isSign($0, "\"") }
            rest = rest[word.endIndex...].dropFirst()
        } else {
            word = rest.prefix { !$0.isWhitespace && !Self.isSign($0, "\"") }
            rest = rest[word.endIndex...]
        }
        let runs = Self.runs(String(word))
        if isPhrase || isExcluded && runs.count > 1 {
            var terms = runs.flatMap { $0 }
            if terms.isEmpty { return [] }
            if isPhrase {
                // In front of others, a character by itself is not the beginning of a pair.
                for index in terms.indices.dropLast() { terms[index].isPrefix = false }
            }
            return [TextSearch.Part(terms: terms, isExcluded: isExcluded, isPhrase: isPhrase)]
        }
        // The pairs of a run of ideographs are one after the other.
        return runs.map { TextSearch.Part(terms: $0, isExcluded: isExcluded, isPhrase: true) }
    }

    /// Whether a character is a sign, by its bytes: letters with very many marks take long to
    /// compare.
    private static func isSign(_ character: Character?, _ sign: String) -> Bool {
        character?.utf8.elementsEqual(sign.utf8) ?? false
    }

    /// The terms of a text: each word by itself, and those of each run of ideographs.
    private static func runs(_ word: String) -> [[TextSearch.Term]] {
        var runs: [[TextSearch.Term]] = []
        var end = 0
        var text = word
        text.withUTF8 { bytes in
            TermScanner.forEach(in: UnsafeRawBufferPointer(bytes)) { term in
                // After a pair, the character by itself requires nothing more.
                if term.isTail, runs.last?.last?.position == term.position { return }
                let next = TextSearch.Term(
                    bytes: Array(term.bytes), isPrefix: term.isTail, position: term.position,
                    isCharacter: term.isTail)
                // Pairs of one run have a character in common.
                if term.range.lowerBound < end {
                    runs[runs.count - 1].append(next)
                } else {
                    runs.append([next])
                }
                end = term.range.upperBound
            }
        }
        if isSign(word.last, "*"), let last = runs.indices.last {
            runs[last][runs[last].count - 1].isPrefix = true
        }
        return runs
    }
}
