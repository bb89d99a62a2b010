import Foundation

/// A full-text search in the most obvious way, for what tests write: Latin letters and ideographs.
struct NaiveSearch {
    private struct Part {
        var terms: [(text: String, place: Int, isPrefix: Bool)]
        let isExcluded: Bool
        let isPhrase: Bool
    }

    private var parts: [Part] = []

    init(_ search: String) {
        let pieces = search.split(separator: "\"", omittingEmptySubsequences: false)
        var isNextExcluded = false
        for (index, piece) in pieces.enumerated() {
            if index % 2 == 1 {
                add(String(piece), isExcluded: isNextExcluded, isPhrase: true)
                continue
            }
            isNextExcluded = piece.hasSuffix("-")
            for word in piece.split(separator: " ") {
                let isExcluded = word.hasPrefix("-")
                add(
                    String(isExcluded ? word.dropFirst() : word), isExcluded: isExcluded,
                    isPhrase: false)
            }
        }
    }

    private mutating func add(_ text: String, isExcluded: Bool, isPhrase: Bool) {
        var terms: [(text: String, place: Int, isPrefix: Bool)] = []
        for run in Self.runs(text) {
            let place = (terms.last?.place ?? -1) + 1
            if Self.isIdeograph(run[0]) {
                if run.count == 1 { terms.append((String(run), place, true)) }
                for index in run.indices.dropLast() {
                    terms.append((String(run[index...index + 1]), place + index, false))
                }
            } else {
                terms.append((String(run), place, false))
            }
        }
        if terms.isEmpty { return }
        if text.hasSuffix("*") { terms[terms.count - 1].isPrefix = true }
        // Ideographs without anything in between stand one behind the other.
        let isRun = terms.count > 1 && text.utf8.allSatisfy { $0 >= 0x80 || $0 == 0x2A }
        if isPhrase || isRun {
            for index in terms.indices.dropLast() { terms[index].isPrefix = false }
        }
        parts.append(Part(terms: terms, isExcluded: isExcluded, isPhrase: isPhrase || isRun))
    }

    /// The words of a text, and its runs of ideographs, folded.
    private static func runs(_ text: String) -> [[Character]] {
        var runs: [[Character]] = []
        var isOpen = false
        for letter in text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        {
            guard letter.isLetter || letter.isNumber else {
                isOpen = false
                continue
            }
            if isOpen, let last = runs.last?.last, isIdeograph(last) == isIdeograph(letter) {
                runs[runs.count - 1].append(letter)
            } else {
                runs.append([letter])
            }
            isOpen = true
        }
        return runs
    }

    private static func isIdeograph(_ letter: Character) -> Bool {
        letter.unicodeScalars.first?.properties.isIdeographic ?? false
    }

    func matches(_ text: String) -> Bool {
        var found: [(text: String, place: Int)] = []
        for run in Self.runs(text) {
            let place = (found.last?.place ?? -1) + 1
            guard Self.isIdeograph(run[0]) else {
                found.append((String(run), place))
                continue
            }
            for index in run.indices {
                let pair = run[index...min(index + 1, run.count - 1)]
                found.append((String(pair), place + min(index, max(run.count - 2, 0))))
            }
        }
        return parts.allSatisfy { part in
            let starts = part.isPhrase ? Array(0...max(found.last?.place ?? 0, 0)) : [0]
            let holds = starts.contains { start in
                part.terms.allSatisfy { term in
                    found.contains { word in
                        (term.isPrefix ? word.text.hasPrefix(term.text) : word.text == term.text)
                            && (!part.isPhrase || word.place == start + term.place)
                    }
                }
            }
            return holds != part.isExcluded
        }
    }
}
