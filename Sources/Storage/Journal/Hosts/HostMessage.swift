/// What hosts of a realm tell each other beside the log. It may be lost.
enum HostMessage: Hashable, Sendable {
    /// A host has something to write, and waits; `isLate` when its last turn ended before it had
    /// appended anything.
    case ask(Bits128, isLate: Bool)
    /// A host writes no more, for another one to begin.
    case pass(from: Bits128, to: Bits128)

    private static let idSize = 16

    var bytes: [UInt8] {
        switch self {
        case .ask(let host, let isLate): host.bytes + [isLate ? 1 : 0]
        case .pass(let host, let next): host.bytes + next.bytes
        }
    }

    /// Nil for a message of another kind.
    init?(_ bytes: [UInt8]) {
        // Unsafe: lent for the call; what is read lies within the bytes, by their count.
        let message = bytes.withUnsafeBytes { bytes -> Self? in
            switch bytes.count {
            case Self.idSize + 1: .ask(Bits128(bytes, at: 0), isLate: bytes[Self.idSize] != 0)
            case 2 * Self.idSize:
                .pass(from: Bits128(bytes, at: 0), to: Bits128(bytes, at: Self.idSize))
            default: nil
            }
        }
        guard let message else { return nil }
        self = message
    }
}
