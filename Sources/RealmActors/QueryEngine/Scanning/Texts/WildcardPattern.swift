/// A pattern in which `?` matches one character and `*` any number of them; a backslash makes the
/// one after it a literal.
///
/// A character is a Unicode scalar, or a unit of ``TextFolding`` where case or marks do not count.
struct WildcardPattern: Sendable {
    enum Element: Sendable, Equatable {
        case byte(UInt8)
        case one
        case many
    }

    let elements: [Element]
    /// Whether characters are units with a border after each.
    let hasUnits: Bool

    /// For unfolded texts.
    init(_ pattern: String) {
        var elements: [Element] = []
        Self.forEachPart(of: pattern) { part, text in
            Self.append(part, text.map { Array($0.utf8) }, to: &elements)
        }
        (self.elements, hasUnits) = (elements, false)
    }

    /// For texts of ASCII in lower case, if case does not count.
    init(_ pattern: String, lowercased options: StringOptions) {
        var elements: [Element] = []
        Self.forEachPart(of: pattern) { part, text in
            let units = text.map { TextFolding.units(of: $0, options).dropFirst() }
            // A unit of several bytes keeps its borders: nothing in ASCII equals it.
            let bytes = units.map { units in
                units.split(separator: TextFolding.border).flatMap {
                    $0.count == 1 ? Array($0) : [TextFolding.border]
                }
            }
            Self.append(part, bytes, to: &elements)
        }
        (self.elements, hasUnits) = (elements, false)
    }

    /// For the units of folded texts.
    init(_ pattern: String, unitsWith options: StringOptions) {
        var elements: [Element] = []
        Self.forEachPart(of: pattern) { part, text in
            let units = text.map { Array(TextFolding.units(of: $0, options).dropFirst()) }
            Self.append(part, units, to: &elements)
        }
        (self.elements, hasUnits) = (elements, true)
    }

    /// Calls `body` with what the pattern is made of: wildcards, and the texts between them.
    private static func forEachPart(of pattern: String, _ body: (Element?, String?) -> Void) {
        var text = String.UnicodeScalarView()
        var isEscaped = false
        func finish() {
            if isEscaped { text.append("\\") }
            isEscaped = false
            if !text.isEmpty { body(nil, String(text)) }
            text = String.UnicodeScalarView()
        }
        for scalar in pattern.unicodeScalars {
            switch scalar {
            case "*" where !isEscaped, "?" where !isEscaped:
                finish()
                body(scalar == "*" ? .many : .one, nil)
            case "\\" where !isEscaped: isEscaped = true
            default:
                if isEscaped, scalar != "*", scalar != "?", scalar != "\\" { text.append("\\") }
                isEscaped = false
                text.append(scalar)
            }
        }
        finish()
    }

    private static func append(
        _ wildcard: Element?, _ bytes: [UInt8]?, to elements: inout [Element]
    ) {
        for byte in bytes ?? [] { elements.append(.byte(byte)) }
        guard let wildcard, wildcard != .many || elements.last != .many else { return }
        elements.append(wildcard)
    }

    /// The budget of steps for each byte of a text, after which it is matched by a linear-time
    /// algorithm that is slower for most texts.
    private static let stepsMax = 16

    /// Whether the text matches: of units, with a border at its beginning.
    ///
    /// From where it fails it goes back to the last star only, and stops where that is slow.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        let start = hasUnits ? 1 : 0
        var (position, element) = (start, 0)
        var retry: (element: Int, position: Int)?
        var steps = (text.count + 64) * Self.stepsMax
        while position < text.count {
            steps -= 1
            if steps < 0 { return SegmentedPattern(self).matches(text, from: start) }
            if element < elements.count {
                switch elements[element] {
                case .many:
                    retry = (element + 1, position)
                    element += 1
                    continue
                case .one:
                    position = next(text, position)
                    element += 1
                    continue
                case .byte(let byte):
                    if byte == text[position] {
                        position += 1
                        element += 1
                        continue
                    }
                }
            }
            guard let last = retry else { return false }
            position = next(text, last.position)
            retry = (last.element, position)
            element = last.element
        }
        while element < elements.count, elements[element] == .many { element += 1 }
        return element == elements.count
    }

    /// The position after the character at `position`.
    func next(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
        var next = position + 1
        if hasUnits {
            while next < text.count, text[next - 1] != TextFolding.border { next += 1 }
        } else {
            while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
        }
        return next
    }
}
