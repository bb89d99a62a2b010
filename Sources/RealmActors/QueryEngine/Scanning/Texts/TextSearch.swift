import Storage

/// What a full-text search asks of a text.
///
///     swift actors     both words
///     "swift actors"   one behind the other
///     -ios             not this one; of several terms, not all of them
///     act*             a word that begins so
package struct TextSearch: Sendable {
    /// A term that is asked for.
    struct Term: Sendable {
        /// Folded, as UTF-8.
        let bytes: [UInt8]
        /// Whether terms that begin so are found as well.
        var isPrefix: Bool
        /// Where it stands among those of its part.
        let position: Int

        /// What its entries in an index are.
        var key: TermKey {
            // Unsafe: lent for the call.
            bytes.withUnsafeBytes { TermKey($0) }
        }

        fileprivate func isFound(in term: UnsafeRawBufferPointer) -> Bool {
            guard isPrefix ? term.count >= bytes.count : term.count == bytes.count else {
                return false
            }
            // Unsafe: lent for the call, which reads within both buffers.
            return bytes.withUnsafeBytes { ByteSearch<ExactBytes>.begins(term, $0) }
        }
    }

    /// A word or phrase; the terms are never none.
    struct Part: Sendable {
        var terms: [Term]
        let isExcluded: Bool
        let isPhrase: Bool
    }

    let parts: [Part]

    /// Nil where no word is asked for.
    init?(_ text: String) {
        var reader = SearchReader(text)
        parts = reader.parts()
        if parts.isEmpty { return nil }
    }

    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var places = parts.map { [[Int]](repeating: [], count: $0.terms.count) }
        TermScanner.forEach(in: text) { term in
            for (number, part) in parts.enumerated() {
                for (index, sought) in part.terms.enumerated()
                where part.isPhrase || places[number][index].isEmpty {
                    if sought.isFound(in: term.bytes) {
                        places[number][index].append(term.position)
                    }
                }
            }
        }
        return zip(parts, places).allSatisfy { $0.holds($1) != $0.isExcluded }
    }
}

extension TextSearch.Part {
    /// Whether a text has it where its terms are found at `places`.
    fileprivate func holds(_ places: [[Int]]) -> Bool {
        guard places.allSatisfy({ !$0.isEmpty }) else { return false }
        if !isPhrase { return true }
        return places[0].contains { start in
            zip(terms, places).allSatisfy { term, places in
                places.hasAscending(start + term.position - terms[0].position)
            }
        }
    }
}

extension [Int] {
    /// Whether a number is among these, which ascend.
    fileprivate func hasAscending(_ number: Int) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}

/// Takes what somebody searches for apart.
private struct SearchReader {
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
                        bytes: Array(term.bytes), isPrefix: term.isTail, position: term.position))
            }
        }
        if word.hasSuffix("*"), !terms.isEmpty { terms[terms.count - 1].isPrefix = true }
        return terms
    }
}
