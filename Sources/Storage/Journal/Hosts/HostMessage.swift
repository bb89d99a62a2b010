/// A message between the hosts of a realm, outside the log. It may be lost.
enum HostMessage: Hashable, Sendable {
    /// A host waits to write; `isLate` if it lost the lease the last time before it had appended
    /// anything.
    case request(Bits128, isLate: Bool)
    /// A host passes the writer lease to another.
    case pass(from: Bits128, to: Bits128)

    private static let idSize = 16

    var bytes: [UInt8] {
        switch self {
        case .request(let host, let isLate): host.bytes + [isLate ? 1 : 0]
        case .pass(let host, let next): host.bytes + next.bytes
        }
    }

    /// Nil for a message of another kind.
    init?(_ bytes: [UInt8]) {
        // Unsafe: lent for the call; reads are within the bytes, whose count is checked.
        let message = bytes.withUnsafeBytes { bytes -> Self? in
            switch bytes.count {
            case Self.idSize + 1: .request(Bits128(bytes, at: 0), isLate: bytes[Self.idSize] != 0)
            case 2 * Self.idSize:
                .pass(from: Bits128(bytes, at: 0), to: Bits128(bytes, at: Self.idSize))
            default: nil
            }
        }
        guard let message else { return nil }
        self = message
    }
}
