/// Random texts of few words, and searches for them.
enum SearchText {
    private static let words = [
        "swift", "Swift", "swiftly", "actor", "act", "\u{C9}t\u{E9}", "e\u{301}te", "42",
        "internationalization", "internationalisation", "internationalizationally", "a",
        "\u{6771}\u{4EAC}\u{90FD}", "\u{4EAC}", "\u{4EAC}\u{90FD}", "\u{1F408}", "...",
        "\u{43C}\u{43E}\u{441}\u{43A}\u{432}\u{430}", "\u{43C}\u{43E}\u{441}\u{43A}\u{432}\u{430}a",
        "\u{4EAC}\u{90FD}\u{3001}\u{6771}\u{4EAC}", "\u{43C}\u{43E}\u{2014}\u{C9}t\u{E9}",
        "\u{4EAC}\u{90FD}42",
    ]

    /// A text; rarely none.
    static func make(_ random: inout some RandomNumberGenerator) -> String? {
        if Int.random(in: 0..<12, using: &random) == 0 { return nil }
        let separators = [" ", ", ", "-", "\n", "\u{2014}"]
        return (0..<Int.random(in: 0...7, using: &random)).map { _ in
            (words.randomElement(using: &random) ?? "")
                + (separators.randomElement(using: &random) ?? "")
        }.joined()
    }

    /// One to three words or phrases, some with signs; always one word.
    ///
    /// - Parameter longBeginnings: whether beginnings may be too long for the key of an entry.
    static func search(
        _ random: inout some RandomNumberGenerator, longBeginnings: Bool = true
    ) -> String {
        func word() -> String { words.randomElement(using: &random) ?? "a" }
        var parts = [word()]
        let isBeginning = Int.random(in: 0..<3, using: &random) == 0
        if isBeginning, longBeginnings || parts[0].utf8.count < 10 { parts[0] += "*" }
        if parts[0].hasPrefix("\u{1F408}") || parts[0].hasPrefix(".") { parts[0] = "swift" }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: parts.append("-" + word())
            case 1: parts.append("\"\(word()) \(word())\"")
            case 2: parts.append("-\"\(word()) \(word())\"")
            default: parts.append(word())
            }
        }
        if Int.random(in: 0..<6, using: &random) == 0 { parts[0] = "-" + parts[0] }
        return parts.joined(separator: " ")
    }
}
