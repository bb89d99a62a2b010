/// A short code (a carrier, an airport, a tail number) packed into one word, so that looking it up
/// hashes eight bytes and makes no `String`.
package struct Code: Hashable, Sendable {
    static let maximumLength = 8
    private let packed: UInt64

    /// Nil when there are more bytes than fit.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.maximumLength else { return nil }
        packed = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
