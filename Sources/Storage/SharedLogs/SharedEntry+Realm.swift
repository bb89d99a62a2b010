// Safety: the bytes of an array, lent for the call, in which their count is checked.

extension SharedEntry {
    /// The realm field of an entry, before anything is verified; nil if the bytes are too few.
    package static func realm(of bytes: [UInt8]) -> Bits128? {
        guard bytes.count >= headerSize else { return nil }
        return bytes.withUnsafeBytes { Bits128($0, at: 8) }
    }
}
