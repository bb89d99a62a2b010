import Storage

/// Splits a query string into words.
struct QueryLexer {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    /// The text that was read last as a pattern, where that differs.
    private var pattern: String?
    private let diagnostics: QueryDiagnostics

    /// Longer ones first.
    static let symbols = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "=", "<", ">", "!", "(", ")", "{",
        "}", "[", "]", ",", ".", "+", "-", "*", "/",
    ]

    private init(_ text: String, _ diagnostics: QueryDiagnostics) {
        scalars = Array(text.unicodeScalars)
        self.diagnostics = diagnostics
    }

    static func tokens(of text: String) throws(RealmError) -> [QueryToken] {
        var lexer = QueryLexer(text, QueryDiagnostics(text))
        var tokens: [QueryToken] = []
        repeat { tokens.append(try lexer.next()) } while tokens.last?.kind != .end
        return tokens
    }

    private var current: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    private func scalar(_ distance: Int) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func next() throws(RealmError) -> QueryToken {
        while let scalar = current, scalar.properties.isWhitespace { position += 1 }
        let start = position
        pattern = nil
        let kind = try self.kind()
        return QueryToken(kind: kind, pattern: pattern, position: start)
    }

    private mutating func kind() throws(RealmError) -> QueryToken.Kind {
        guard let first = current else { return .end }
        if let value = try literal() { return .value(value) }
        if Self.isDigit(first) || first == "." && scalar(1).map(Self.isDigit) == true {
            return try number()
        }
        if Self.beginsName(first) { return .name(takeName(), quoted: false) }
        switch first {
        case "'", "\"": return .text(try text(quotedBy: first))
        case "#":
            position += 1
            guard current.map(Self.beginsName) == true else { throw unexpected("A name", "#") }
            return .name(takeName(), quoted: true)
        case "@":
            position += 1
            guard current.map(Self.beginsName) == true else {
                throw unexpected("An operator such as @count", "@")
            }
            return .operation(takeName())
        case "$":
            position += 1
            guard current.map({ Self.beginsName($0) || Self.isDigit($0) }) == true else {
                throw unexpected("The name or the number of an argument", "$")
            }
            return .variable(takeName())
        case "%":
            if scalar(1).map(Self.beginsPlaceholder) ?? true { return try placeholder() }
            position += 1
            return .symbol("%")
        default: return try symbol(first)
        }
    }

    private mutating func literal() throws(RealmError) -> StoredValue? {
        var literal = QueryLiteral(scalars, at: position)
        switch literal.read() {
        case nil: return nil
        case .value(let value)?:
            position = literal.position
            return value
        case .invalid(let message)?: throw diagnostics.error(message, at: position)
        }
    }

    private func unexpected(_ wanted: String, _ sign: String) -> RealmError {
        diagnostics.error("\(wanted) must follow '\(sign)'.", at: position)
    }

    private mutating func symbol(_ first: Unicode.Scalar) throws(RealmError) -> QueryToken.Kind {
        for symbol in Self.symbols where matches(symbol) {
            position += symbol.unicodeScalars.count
            return .symbol(symbol)
        }
        throw diagnostics.error("'\(first)' is not valid here.", at: position)
    }

    private func matches(_ symbol: String) -> Bool {
        for (distance, scalar) in symbol.unicodeScalars.enumerated()
        where self.scalar(distance) != scalar { return false }
        return true
    }

    private mutating func takeName() -> String {
        var name = String.UnicodeScalarView()
        while let scalar = current {
            if Self.beginsName(scalar) || Self.isDigit(scalar) {
                name.append(scalar)
                position += 1
            } else if scalar == "\\", let blank = self.scalar(1).flatMap(Self.blank) {
                name.append(blank)
                position += 2
            } else {
                break
            }
        }
        return String(name)
    }

    /// The blank that a letter after a backslash stands for in a name.
    private static func blank(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case " ": " "
        case "t": "\t"
        case "n": "\n"
        case "r": "\r"
        default: nil
        }
    }

    private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value <= 0x7F { return scalar == "_" || scalar.properties.isAlphabetic }
        // Names in Swift may have emoji, also several that are joined to one.
        return scalar.properties.isAlphabetic || scalar.properties.isXIDContinue
            || scalar.properties.isEmoji || scalar == "\u{200D}"
    }

    /// Whether a percent sign before it begins a placeholder of an argument. Others are operators
    /// of remainders.
    private static func beginsPlaceholder(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "@" || beginsName(scalar)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value &- 0x30 < 10
    }
}

extension QueryLexer {
    private mutating func number() throws(RealmError) -> QueryToken.Kind {
        let start = position
        if current == "0", scalar(1) == "x" || scalar(1) == "X" {
            position += 2
            let digits = takeName()
            guard let value = Int64(digits, radix: 16) else { throw noNumber(start) }
            return .integer(value)
        }
        var text = ""
        var isReal = false
        while let scalar = current {
            let isSign = (scalar == "-" || scalar == "+") && (text.last == "e" || text.last == "E")
            if scalar == ".", isReal || self.scalar(1).map(Self.isDigit) != true {
                // A single dot may follow the digits. Two are none of a number's.
                if !isReal, isLastOfNumber(self.scalar(1)) {
                    isReal = true
                    position += 1
                }
                break
            }
            guard Self.isDigit(scalar) || scalar == "." || isSign || Self.beginsName(scalar) else {
                break
            }
            if scalar == "." || scalar == "e" || scalar == "E" { isReal = true }
            text.unicodeScalars.append(scalar)
            position += 1
        }
        // Realm writes a float as 2.5f.
        if text.last == "f", let value = Float(text.dropLast()), value.isFinite {
            return .value(.float(value))
        }
        if !isReal, let value = Int64(text) { return .integer(value) }
        if !isReal, let value = Decimal128(text), value.isFinite { return .wide(value) }
        guard let value = Double(text), value.isFinite || isReal else { throw noNumber(start) }
        // A double is the decimal number that it is printed as.
        let exact = Decimal128(text).flatMap { $0 == Decimal128(value) ? nil : $0 }
        return .real(value, exact: exact)
    }

    /// Whether a dot belongs to the number in front of it, given the character after the dot.
    private func isLastOfNumber(_ next: Unicode.Scalar?) -> Bool {
        guard let next else { return true }
        return next != "." && next != "@" && !Self.beginsName(next)
    }

    private func noNumber(_ start: Int) -> RealmError {
        diagnostics.error("This is not a number.", at: start)
    }

    private mutating func text(
        quotedBy quote: Unicode.Scalar
    ) throws(RealmError) -> String {
        let start = position
        position += 1
        var text = String.UnicodeScalarView()
        var pattern = text
        // Whether the pattern ends with a backslash that makes the next character a literal.
        var isOpen = false
        while let scalar = current {
            position += 1
            if scalar == quote {
                if pattern.count != text.count { self.pattern = String(pattern) }
                return String(text)
            }
            let isWildcard = scalar == "\\" && (current == "*" || current == "?")
            let read = scalar == "\\" ? try escape() : scalar
            if isWildcard {
                // In front of one that is escaped itself, a backslash is a letter.
                if isOpen { pattern.append("\\") }
                pattern.append("\\")
            }
            text.append(read)
            pattern.append(read)
            isOpen = read == "\\" && !isOpen
        }
        throw diagnostics.error("The text that begins here is not closed.", at: start)
    }

    private mutating func escape() throws(RealmError) -> Unicode.Scalar {
        guard let scalar = current else { throw noEscape() }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "0": return "\0"
        case "\\", "/", "'", "\"", "*", "?": return scalar
        case "u":
            let unit = try hexadecimal(4)
            // A pair of surrogates is one character, as in JSON.
            guard unit & 0xFC00 == 0xD800, current == "\\", self.scalar(1) == "u" else {
                return try character(unit)
            }
            position += 2
            let low = try hexadecimal(4)
            guard low & 0xFC00 == 0xDC00 else { throw noEscape() }
            return try character(0x1_0000 + ((unit & 0x3FF) << 10 | (low & 0x3FF)))
        case "x":
            let code = try hexadecimal(2)
            return try character(code)
        default: throw noEscape()
        }
    }

    private mutating func hexadecimal(_ count: Int) throws(RealmError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = current.flatMap({ Character($0).hexDigitValue }) else {
                throw noEscape()
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    private func character(_ code: UInt32) throws(RealmError) -> Unicode.Scalar {
        guard let character = Unicode.Scalar(code) else { throw noEscape() }
        return character
    }

    private func noEscape() -> RealmError {
        diagnostics.error(
            "Invalid escape sequence. Valid are \\n, \\r, \\t, \\b, \\f, \\0, \\\\, \\/, \\', "
                + "\\\", \\uXXXX and \\xXX.", at: position)
    }

    private mutating func placeholder() throws(RealmError) -> QueryToken.Kind {
        let start = position
        position += 1
        if current == "@" {
            position += 1
            return .placeholder("@")
        }
        var letters = ""
        while let scalar = current, scalar == "l" || scalar == "h" || scalar == "q" || scalar == "z"
        {
            letters.unicodeScalars.append(scalar)
            position += 1
        }
        guard let last = current, "KdDiuUxXfFgGeEs".unicodeScalars.contains(last) else {
            throw diagnostics.error(
                "Unknown placeholder. Valid are %@, %K, %d, %i, %ld, %lld, %u, %f, %lf and %s.",
                at: start)
        }
        position += 1
        letters.unicodeScalars.append(last)
        return .placeholder(letters)
    }
}
