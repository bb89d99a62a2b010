/// A line while it is edited, and the lines before it. It does not depend on a terminal.
struct LineEditor {
    enum Outcome: Hashable {
        case editing
        /// The line is done.
        case line(String)
        /// The line is discarded.
        case interrupted
        case endOfInput
    }

    private(set) var characters: [Character] = []
    /// How many characters stand before the cursor.
    private(set) var cursor = 0
    /// What the word can become, where that is more than one.
    private(set) var choices: [String] = []
    /// Lines from before, oldest first.
    private let history: [String]
    /// The words that may stand behind a text.
    private let words: (_ before: String) -> [String]
    /// Which line of the history is shown; behind all of them the new one.
    private var place: Int
    /// What was written before the history was looked at.
    private var draft: [Character] = []

    init(history: [String] = [], words: @escaping (_ before: String) -> [String] = { _ in [] }) {
        self.history = history
        self.words = words
        place = history.count
    }

    var text: String { String(characters) }

    /// What a key does.
    mutating func press(_ key: Key) -> Outcome {
        choices = []
        switch key {
        case .enter: return .line(text)
        case .interrupt: return .interrupted
        case .endOfInput:
            if characters.isEmpty { return .endOfInput }
            erase(cursor..<min(cursor + 1, characters.count))
        case .character(let character): insert(String(character))
        case .tab: complete()
        case .backspace: erase(max(cursor - 1, 0)..<cursor)
        case .delete: erase(cursor..<min(cursor + 1, characters.count))
        case .eraseBefore: erase(0..<cursor)
        case .eraseBehind: erase(cursor..<characters.count)
        case .eraseWord: erase(startOfWord..<cursor)
        case .left: cursor = max(cursor - 1, 0)
        case .right: cursor = min(cursor + 1, characters.count)
        case .home: cursor = 0
        case .end: cursor = characters.count
        case .up: recall(place - 1)
        case .down: recall(place + 1)
        }
        return .editing
    }

    /// An accent that arrives by itself becomes one character with the letter before it.
    private mutating func insert(_ text: String) {
        let before = Array(String(characters[..<cursor]) + text)
        characters = before + characters[cursor...]
        cursor = before.count
    }

    /// Where the word before the cursor begins, with the spaces behind it.
    private var startOfWord: Int {
        var start = cursor
        while start > 0, characters[start - 1].isWhitespace { start -= 1 }
        while start > 0, !characters[start - 1].isWhitespace { start -= 1 }
        return start
    }

    private mutating func erase(_ range: Range<Int>) {
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    private mutating func recall(_ index: Int) {
        guard (0...history.count).contains(index) else { return }
        if place == history.count { draft = characters }
        place = index
        characters = index == history.count ? draft : Array(history[index])
        cursor = characters.count
    }

    /// Writes what all words that fit have in common.
    private mutating func complete() {
        var start = cursor
        while start > 0, Self.isOfWord(characters[start - 1]) { start -= 1 }
        let typed = String(characters[start..<cursor])
        let fitting = words(String(characters[..<start])).filter { $0.hasPrefix(typed) }
        guard var common = fitting.first else { return }
        for word in fitting.dropFirst() {
            common = String(zip(common, word).prefix { $0 == $1 }.map { $0.0 })
        }
        insert(String(common.dropFirst(typed.count)))
        if fitting.count > 1 { choices = fitting }
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "-"
    }
}
