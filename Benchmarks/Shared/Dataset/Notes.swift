import Foundation

/// Short texts of words as languages have them: few words are in many texts, many in few.
enum Notes {
    static let wordsPerNote = 20
    private static let vocabulary = 20_000.0
    private static let seed: UInt64 = 0x0F0E_0D0C_0B0A_0908

    /// A share of the persons' number.
    static func count(_ persons: Int) -> Int { persons / 5 }

    /// Three to twelve letters, spelled by the word's place among the most frequent ones.
    static func word(_ rank: Int) -> String {
        Dataset.letters(Dataset.mix64(UInt64(rank) &+ seed), 3 + rank % 10)
    }

    /// The places of the words of a note.
    static func ranks(_ note: Int) -> [Int] {
        (0..<wordsPerNote).map { place in
            let drawn = Dataset.draw(seed, UInt64(note * wordsPerNote + place))
            let share = Double(drawn >> 11) * 0x1p-53
            return Int(pow(vocabulary, share)) - 1
        }
    }

    static func text(_ note: Int) -> String { ranks(note).map(word).joined(separator: " ") }

    /// What is looked for.
    enum Search: Sendable {
        case all([String])
        case prefix(String)
        case without(String, not: String)
    }

    /// Words of every frequency, two and three of them, beginnings, and one without another.
    static let searches: [Search] = (0..<40).flatMap { number -> [Search] in
        let (often, rare) = (number * 3, 50 + number * number * 10)
        return [
            .all([word(often)]), .all([word(rare)]), .all([word(often), word(often + 1)]),
            .all([word(often), word(rare)]),
            .all([word(number), word(number + 1), word(often + 2)]),
            .prefix(String(word(rare).prefix(3))), .without(word(rare), not: word(often)),
        ]
    }

    /// How many notes all of the searches find, counted in plain arrays.
    static func expected(_ count: Int) -> Int {
        var notes: [String: Set<Int>] = [:]
        for note in 0..<count {
            for rank in ranks(note) { notes[word(rank), default: []].insert(note) }
        }
        return searches.reduce(0) { sum, search in
            switch search {
            case .all(let words):
                let found = words.map { notes[$0] ?? [] }
                return sum + found.dropFirst().reduce(found[0]) { $0.intersection($1) }.count
            case .prefix(let prefix):
                let found = notes.filter { $0.key.hasPrefix(prefix) }.values
                return sum + found.reduce(into: Set<Int>()) { $0.formUnion($1) }.count
            case .without(let word, let other):
                return sum + (notes[word] ?? []).subtracting(notes[other] ?? []).count
            }
        }
    }
}
