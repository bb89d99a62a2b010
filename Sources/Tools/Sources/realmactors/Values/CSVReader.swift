import Foundation

/// Reads comma-separated values as RFC 4180 has them, record by record.
struct CSVReader: Sequence, IteratorProtocol {
    struct Field: Hashable {
        let text: String
        /// Whether it stood in quotes.
        let isQuoted: Bool
    }

    private var characters: Substring.UnicodeScalarView
    /// The line on which the last record began, counted from 1.
    private(set) var line = 0
    private var nextLine = 1
    private let size: Int
    /// What is wrong with the last record; nil when nothing is.
    private(set) var mistake: String?

    init(_ text: String) {
        characters = text[...].unicodeScalars
        size = text.utf8.count
        // Other programs begin with a mark that says that it is UTF-8.
        if characters.first == "\u{FEFF}" { characters.removeFirst() }
    }

    /// The part of the text that was read, from 0 to 1.
    var part: Double {
        size == 0 ? 1 : 1 - Double(Substring(characters).utf8.count) / Double(size)
    }

    /// The next record; nil at the end. Empty lines are passed over.
    mutating func next() -> [Field]? {
        takeEnds()
        guard !characters.isEmpty else { return nil }
        line = nextLine
        var record: [Field] = []
        while true {
            record.append(field())
            guard characters.first == "," else { break }
            take()
            if characters.isEmpty {
                record.append(Field(text: "", isQuoted: false))
                break
            }
        }
        takeEnds()
        return record
    }

    private mutating func takeEnds() {
        while let first = characters.first, first == "\n" || first == "\r" { take() }
    }

    private mutating func field() -> Field {
        var text = String.UnicodeScalarView()
        guard characters.first == "\"" else {
            while let next = characters.first, !Self.endsField(next) {
                text.append(next)
                take()
            }
            return Field(text: String(text), isQuoted: false)
        }
        take()
        while let next = characters.first {
            take()
            if next == "\"" {
                guard characters.first == "\"" else {
                    if let behind = characters.first, !Self.endsField(behind) {
                        mistake = "text follows the closing quote of a field."
                    }
                    return Field(text: String(text), isQuoted: true)
                }
                take()
            }
            text.append(next)
        }
        mistake = "a quotation mark is not closed."
        return Field(text: String(text), isQuoted: true)
    }

    private static func endsField(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "," || scalar == "\n" || scalar == "\r"
    }

    private mutating func take() { if characters.removeFirst() == "\n" { nextLine += 1 } }
}
