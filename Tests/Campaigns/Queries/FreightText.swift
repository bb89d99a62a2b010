import Foundation
import RealmActors
import StorageHarness

/// A naive evaluation of text operators.
enum FreightText {
    /// The operator in the text of a query.
    static func symbol(_ kind: TextOperator) -> String {
        switch kind {
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .equals: "=="
        case .notEquals: "!="
        case .like: "LIKE"
        }
    }

    /// Whether an operator is true. `options` are those of a query: nothing, `c`, `d` or `cd`.
    static func holds(
        _ text: String?, _ kind: TextOperator, _ argument: String?, _ options: String
    ) -> Bool {
        guard let argument else {
            switch kind {
            case .equals, .like: return text == nil
            case .notEquals: return text != nil
            case .contains, .beginsWith, .endsWith: return false
            }
        }
        guard let text else { return kind == .notEquals }
        let (a, b) = (letters(text, options), letters(argument, options))
        switch kind {
        case .equals: return a == b
        case .notEquals: return a != b
        case .beginsWith: return !b.isEmpty && a.starts(with: b)
        case .endsWith: return !b.isEmpty && a.reversed().starts(with: b.reversed())
        case .contains: return !b.isEmpty && a.indices.contains { a[$0...].starts(with: b) }
        case .like: return isLike(a[...], b[...])
        }
    }

    /// The compared parts of a text: its scalars, or its letters, each folded separately. A mark
    /// without a letter folds to nothing.
    private static func letters(_ text: String, _ options: String) -> [String] {
        if options.isEmpty { return text.unicodeScalars.map { String($0) } }
        return text.map { letter -> String in
            var folded = String(letter).decomposedStringWithCanonicalMapping
            if options.contains("d") {
                var plain = String.UnicodeScalarView()
                for scalar in folded.unicodeScalars
                where scalar.properties.generalCategory != .nonspacingMark {
                    plain.append(scalar)
                }
                folded = String(plain)
            }
            return options.contains("c") ? folded.lowercased() : folded
        }.filter { !$0.isEmpty }
    }

    private static func isLike(
        _ text: ArraySlice<String>, _ pattern: ArraySlice<String>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == "*" {
            return isLike(text, rest) || !text.isEmpty && isLike(text.dropFirst(), pattern)
        }
        guard let head = text.first, first == "?" || head == first else { return false }
        return isLike(text.dropFirst(), rest)
    }
}

extension SeededGenerator {
    /// An operator with valid options.
    mutating func freightTextOperator() -> (kind: TextOperator, options: String) {
        let kind = one(TextOperator.allCases)
        return (kind, one(kind == .like ? ["", "c"] : ["", "c", "d", "cd"]))
    }

    /// A part of a text, in its own or another case, or nothing; for `LIKE`, a pattern.
    mutating func freightArgument(_ kind: TextOperator) -> String {
        var text = oneIn(2) ? freightWord() : one(one(FreightRow.titles))
        if !oneIn(3) { text = String(text.prefix(1 + next(below: 3))) }
        if oneIn(3) { text = String(text.suffix(2)) }
        if oneIn(3) { text = text.uppercased() }
        guard kind == .like else { return text }
        let start = oneIn(3) ? one(["*", "?"]) : ""
        return start + text + one(["", "*", "?", "*?"])
    }
}
