/// A pattern in which `?` stands for one character (Unicode scalar) and `*` for any number of them.
struct WildcardPattern: Sendable {
    private enum Element: Sendable, Equatable {
        case byte(UInt8)
        case one
        case many
    }

    private let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        for byte in pattern.utf8 {
            switch byte {
            case UInt8(ascii: "?"): elements.append(.one)
            case UInt8(ascii: "*"): if elements.last != .many { elements.append(.many) }
            default: elements.append(.byte(byte))
            }
        }
        self.elements = elements
    }

    /// Linear but for stars, where it goes back to the last one only: never exponential.
    func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        var element = 0
        var retry: (element: Int, position: Int)?
        while position < text.count {
            if element < elements.count {
                switch elements[element] {
                case .many:
                    retry = (element + 1, position)
                    element += 1
                    continue
                case .one:
                    position = WildcardPattern.next(text, position)
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
            position = WildcardPattern.next(text, last.position)
            retry = (last.element, position)
            element = last.element
        }
        while element < elements.count, elements[element] == .many { element += 1 }
        return element == elements.count
    }

    /// The position behind the scalar at `position`.
    private static func next(_ text: UnsafeRawBufferPointer, _ position: Int) -> Int {
        var next = position + 1
        while next < text.count, text[next] & 0xC0 == 0x80 { next += 1 }
        return next
    }
}
