package import Storage

/// A stored value that equals another only where their bytes do: Swift's strings equate different
/// encodings of one character, and queries do not.
package enum ExactValue: Sendable, Hashable {
    case text([UInt8])
    case other(StoredValue)

    package init(_ value: StoredValue) {
        if case .string(let text) = value {
            self = .text(Array(text.utf8))
        } else {
            self = .other(value)
        }
    }

    /// The value itself.
    var value: StoredValue {
        switch self {
        case .text(let bytes): .string(String(decoding: bytes, as: UTF8.self))
        case .other(let value): value
        }
    }
}
