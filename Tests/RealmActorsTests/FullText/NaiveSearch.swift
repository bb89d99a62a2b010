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
        // Words by themselves, and the pairs of each run of ideographs.
        var runs = Self.runs(text).map { run in
            guard Self.isIdeograph(run[0]), run.count > 1 else {
                return [(text: String(run), place: 0, isPrefix: Self.isIdeograph(run[0]))]
            }
            return run.indices.dropLast().map {
                (text: String(run[$0...$0 + 1]), place: $0, isPrefix: false)
            }
        }
        if runs.isEmpty { return }
        if text.hasSuffix("*"), let last = runs.last?.indices.last {
            runs[runs.count - 1][last].isPrefix = true
        }
        var together: [(text: String, place: Int, isPrefix: Bool)] = []
        for term in runs.flatMap({ $0 }) {
            together.append((term.text, together.count, term.isPrefix))
        }
        if isPhrase {
            for index in together.indices.dropLast() { together[index].isPrefix = false }
        }
        if isPhrase || isExcluded && runs.count > 1 {
            // What is excluded is all of it, and not each of it.
            parts.append(Part(terms: together, isExcluded: isExcluded, isPhrase: isPhrase))
            return
        }
        for run in runs {
            parts.append(Part(terms: run, isExcluded: isExcluded, isPhrase: run.count > 1))
        }
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

    /// Whether texts of one object have it together, each word in one of them; there has to be one.
    func matches(_ texts: [String]) -> Bool {
        !texts.isEmpty
            && parts.allSatisfy { part in
                part.isPhrase
                    ? texts.contains { holds(part, Self.words($0)) } != part.isExcluded
                    : holds(part, texts.flatMap(Self.words)) != part.isExcluded
            }
    }

    func matches(_ text: String) -> Bool { matches([text]) }

    /// The words of a text, and their places.
    static func words(_ text: String) -> [(text: String, place: Int)] {
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
        return found
    }

    private func holds(_ part: Part, _ found: [(text: String, place: Int)]) -> Bool {
        let starts = part.isPhrase ? Array(0...max(found.last?.place ?? 0, 0)) : [0]
        return starts.contains { Self.stands(part, at: $0, found) }
    }

    /// Whether the terms of a phrase stand where it begins; of other words, whether they occur.
    private static func stands(
        _ part: Part, at start: Int, _ found: [(text: String, place: Int)]
    ) -> Bool {
        part.terms.allSatisfy { term in
            found.contains { word in
                Self.isTerm(term, word.text)
                    && (!part.isPhrase || word.place == start + term.place)
            }
        }
    }

    private static func isTerm(
        _ term: (text: String, place: Int, isPrefix: Bool), _ word: String
    ) -> Bool { term.isPrefix ? word.hasPrefix(term.text) : word == term.text }
}

/// BM25 in the most obvious way.
extension NaiveSearch {
    /// What an object scores.
    struct Score {
        let value: Double
        /// All that the value depends on: those that have the same are alike, and others are by
        /// chance, where rounding decides.
        let figures: [Int]
    }

    /// What objects score whose texts are given: those of each are searched together.
    func scores(_ objects: [[String]]) -> [Score] {
        let words = objects.map { $0.map(Self.words) }
        let lengths = words.map { texts in texts.reduce(0) { $0 + Set($1.map(\.text)).count } }
        let total = Double(objects.count)
        let mean = Double(lengths.reduce(0, +)) / total
        func rarity(_ term: (text: String, place: Int, isPrefix: Bool)) -> Double {
            let found = words.filter { texts in
                texts.contains { $0.contains { Self.isTerm(term, $0.text) } }
            }
            let count = Double(found.count)
            return log(1 + (total - count + 0.5) / (count + 0.5))
        }
        let units = parts.filter { !$0.isExcluded }.flatMap { part -> [Part] in
            if part.isPhrase { return [part] }
            return part.terms.map { Part(terms: [$0], isExcluded: false, isPhrase: false) }
        }
        let inverseDocumentFrequencies = units.map { $0.terms.map(rarity).reduce(0, +) }
        return words.indices.map { object in
            let share = Double(lengths[object]) / mean
            let counts = units.map { unit in
                words[object].reduce(0) { $0 + Self.count(unit, $1) }
            }
            let value = zip(counts, inverseDocumentFrequencies).reduce(0.0) { score, unit in
                let count = Double(unit.0)
                if count == 0 { return score }
                let damped = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * share))
                return score + unit.1 * damped
            }
            return Score(value: value, figures: counts + [lengths[object]])
        }
    }

    private static func count(_ part: Part, _ found: [(text: String, place: Int)]) -> Int {
        guard part.isPhrase, part.terms.count > 1 else {
            return found.filter { isTerm(part.terms[0], $0.text) }.count
        }
        return Set(found.map(\.place)).filter { stands(part, at: $0 - part.terms[0].place, found) }
            .count
    }
}
