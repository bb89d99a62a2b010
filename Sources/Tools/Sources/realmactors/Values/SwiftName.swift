/// Names as the source text of a program has them.
enum SwiftName {
    /// The name of a class of a store; nil where no class of Swift has it.
    static func ofClass(_ name: String) -> String? {
        if isIdentifier(name) { return escaped(name) }
        // The name of a class that is declared in them has the backticks as well, and its spaces
        // do not break lines.
        return isRaw(name) ? name.replacing("\u{A0}", with: " ") : nil
    }

    /// Names for the properties of a class, by those in the store: where one cannot be had it is
    /// another one, and no two are the same.
    static func ofProperties(_ names: [String]) -> [String: String] {
        var found: [String: String] = [:]
        var taken: Set<String> = []
        let ordered = names.filter { isIdentifier($0) } + names.filter { !isIdentifier($0) }
        for name in ordered {
            var made = isIdentifier(name) ? name : identifier(of: name)
            // The wrapper of a property takes the name with an underscore before it.
            while taken.contains(made) || taken.contains("_" + made) { made += "_" }
            taken.formUnion([made, "_" + made])
            found[name] = made
        }
        return found
    }

    /// An identifier, in backticks where it is a keyword.
    static func escaped(_ identifier: String) -> String {
        keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// A text as a literal, all of which can be seen.
    static func literal(_ text: String) -> String {
        let characters = text.unicodeScalars.map { scalar -> String in
            if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
            return isHidden(scalar)
                ? "\\u{\(String(scalar.value, radix: 16, uppercase: true))}" : "\(scalar)"
        }
        return "\"\(characters.joined())\""
    }

    private static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, name != "_" else { return false }
        return (first == "_" || first.properties.isXIDStart || isPicture(first))
            && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || isPicture($0) }
    }

    /// Whether a name is in backticks, which it needs. Without a letter or a digit it may be an
    /// operator, which is none.
    private static func isRaw(_ name: String) -> Bool {
        guard name.count > 2, name.hasPrefix("`"), name.hasSuffix("`") else { return false }
        let inner = name.dropFirst().dropLast()
        return !isIdentifier(String(inner)) && inner.contains { $0.isLetter || $0.isNumber }
            && inner.unicodeScalars.allSatisfy { $0 != "`" && $0 != "\\" && !isHidden($0) }
    }

    private static func identifier(of name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar in
            scalar.properties.isXIDContinue ? "\(scalar)" : "_"
        }
        let joined = scalars.joined()
        return isIdentifier(joined) ? joined : "_" + joined
    }

    /// The pictures, of which identifiers may be made.
    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        (0x10000...0x1FFFD).contains(scalar.value)
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    private static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
        "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while",
    ]
}
