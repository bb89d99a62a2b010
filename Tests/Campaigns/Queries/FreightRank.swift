import Foundation
import StorageHarness

/// An order by relevance, and the scores of freights in it: BM25 of plain values, without an index.
///
/// Its operations are those of the library, in the same order, so that scores are rounded equally
/// and orders can be compared exactly.
struct FreightRank: Sendable {
    /// A separately scored part of a search.
    fileprivate enum Part: Sendable {
        case word(String)
        case beginning(String)
        case phrase(String, String)
        /// An excluded word, which scores nothing.
        case without(String)
    }

    private let parts: [Part]
    private let columns: [String]
    /// Whether it scores the texts of the linked freight.
    private let isLinked: Bool
    /// Whether it takes precedence over the sort, or the sort over it.
    let isFirst: Bool

    init(_ random: inout SeededGenerator) {
        parts = (0..<1 + random.next(below: 3)).map { index -> Part in
            let word = random.freightWord()
            switch random.next(below: index == 0 ? 3 : 4) {
            case 0: return .beginning(String(word.prefix(1 + random.next(below: 3))))
            case 1: return .phrase(word, random.freightWord())
            case 2: return .word(word)
            default: return .without(word)
            }
        }
        columns = random.one([["note"], ["remark"], ["note", "remark"], ["remark", "note"]])
        isLinked = random.oneIn(3)
        isFirst = !random.oneIn(3)
    }

    var text: String {
        let paths = columns.map { isLinked ? "next.\($0)" : $0 }
        return "RANK(\(paths.joined(separator: ", ")), '\(search)')"
    }

    private var search: String {
        parts.map { part -> String in
            switch part {
            case .word(let word): word
            case .beginning(let start): "\(start)*"
            case .phrase(let first, let second): "\"\(first) \(second)\""
            case .without(let word): "-\(word)"
            }
        }.joined(separator: " ")
    }

    /// The scores of freights with any text; others have zero.
    func scores(_ all: FreightRows) -> [Int: Double] {
        let own = ownScores(all)
        if !isLinked { return own }
        return all.rows.compactMapValues { row in row.next.flatMap { own[$0] } }
    }

    private func ownScores(_ all: FreightRows) -> [Int: Double] {
        let texts = all.rows.mapValues { row in columns.compactMap { row.words($0) } }
        let lengths = texts.mapValues { texts in texts.reduce(0) { $0 + Set($1).count } }
        let total = Double(texts.count)
        let mean = Double(lengths.values.reduce(0, +)) / total
        let weights = parts.map { part in
            part.terms.reduce(0.0) { sum, term in
                let found = texts.values.count { $0.contains { term.count(in: $0) > 0 } }
                return sum + Self.rarity(of: Double(found), among: total)
            }
        }
        var scores: [Int: Double] = [:]
        for (id, texts) in texts {
            // Without any words, there is no ratio to the mean.
            guard let length = lengths[id], length > 0 else { continue }
            let longer = 1.2 * (1 - 0.75 + 0.75 * (Double(length) / mean))
            var score = 0.0
            for (part, weight) in zip(parts, weights) {
                let count = Double(texts.reduce(0) { $0 + part.count(in: $1) })
                score += weight * count * (1.2 + 1) / (count + longer)
            }
            scores[id] = score
        }
        return scores
    }

    private static func rarity(of found: Double, among total: Double) -> Double {
        log(1 + (total - found + 0.5) / (found + 0.5))
    }
}

extension FreightRank.Part {
    /// The terms whose rarity determines the weight of the part.
    fileprivate var terms: [FreightRank.Part] {
        switch self {
        case .word, .beginning: [self]
        case .phrase(let first, let second): [.word(first), .word(second)]
        case .without: []
        }
    }

    /// How often the part occurs in a text.
    fileprivate func count(in words: [String]) -> Int {
        switch self {
        case .word(let word): words.count { $0 == word.lowercased() }
        case .beginning(let start): words.count { $0.hasPrefix(start.lowercased()) }
        case .phrase(let first, let second):
            zip(words, words.dropFirst()).count { pair in
                pair.0 == first.lowercased() && pair.1 == second.lowercased()
            }
        case .without: 0
        }
    }
}
