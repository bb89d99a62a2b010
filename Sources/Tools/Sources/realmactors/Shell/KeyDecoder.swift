/// A key that is pressed while a line is edited.
enum Key: Hashable {
    case character(Character)
    case enter, tab, backspace, delete, interrupt
    case left, right, up, down, home, end
    /// Ctrl-D: the end of input on an empty line, else as ``delete``.
    case endOfInput
    case eraseBefore, eraseBehind, eraseWord
}

/// Makes keys of the bytes that a terminal sends.
struct KeyDecoder {
    private static let escape: UInt8 = 0x1B
    private var pending: [UInt8] = []

    /// The key that ends with this byte; nil when more belong to it, or it means nothing.
    mutating func take(_ byte: UInt8) -> Key? {
        pending.append(byte)
        if pending[0] == Self.escape { return takeSequence(byte) }
        if byte < 0x20 || byte == 0x7F {
            pending = []
            return Self.control(byte)
        }
        let length =
            switch pending[0] {
            case 0xC0..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0...: 4
            default: 1
            }
        if pending.count < length { return nil }
        defer { pending = [] }
        return String(validating: pending, as: UTF8.self)?.first.map { .character($0) }
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x09: .tab
        case 0x0A, 0x0D: .enter
        case 0x0B: .eraseBehind
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .eraseBefore
        case 0x17: .eraseWord
        default: nil
        }
    }

    /// Arrows and the like: an escape, a bracket, parameters, and a byte that says which.
    private mutating func takeSequence(_ byte: UInt8) -> Key? {
        if pending.count == 1 { return nil }
        let isOpening =
            pending.count == 2 && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O"))
        let isParameter = pending.count > 2 && (0x30...0x3F).contains(byte)
        if isOpening || isParameter { return nil }
        defer { pending = [] }
        if pending.count == 2 { return nil }
        switch byte {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch pending[2] {
            case UInt8(ascii: "1"), UInt8(ascii: "7"): return .home
            case UInt8(ascii: "3"): return .delete
            case UInt8(ascii: "4"), UInt8(ascii: "8"): return .end
            default: return nil
            }
        default: return nil
        }
    }
}
