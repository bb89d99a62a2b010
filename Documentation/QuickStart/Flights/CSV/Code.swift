/// A short code (a carrier, an airport, a tail number) packed into one word, so that looking it up
/// hashes eight bytes and makes no `String`.
package struct Code: Hashable, Sendable {
    static let maximumLength = 8
    private let packed: UInt64

    /// The code that stands in `range`; nil when there are more bytes than fit.
    init?(_ bytes: [UInt8], in range: Range<Int>) {
        guard range.count <= Self.maximumLength else { return nil }
        var packed: UInt64 = 0
        for index in range { packed = packed << 8 | UInt64(bytes[index]) }
        self.packed = packed
    }
}
