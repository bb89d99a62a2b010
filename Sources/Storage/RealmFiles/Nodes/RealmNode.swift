/// A node: everything in a `.realm` file after its header consists of nodes. It has a header of
/// eight bytes and a payload, whose length was checked against the header.
///
///     | 0  | 4 bytes | ignored |
///     | 4  | 1 byte  | bit 7 inner node, 6 has refs, 5 context, 3-4 width type, 0-2 width code |
///     | 5  | 3 bytes | count of elements, big-endian |
struct RealmNode: Sendable {
    static let headerSize = 8

    /// The offset of the node.
    let offset: Int
    let header: RealmNodeHeader
    let payload: [UInt8]

    var count: Int { header.count }
}

/// The header of a node.
struct RealmNodeHeader: Sendable {
    /// How elements and widths determine the size of a payload.
    enum WidthType: UInt8 {
        case bits = 0
        case bytes = 1
        case count = 2
    }

    let isInner: Bool
    let hasRefs: Bool
    /// A flag whose meaning depends on the kind of node.
    let context: Bool
    let widthType: WidthType
    let width: Int
    let count: Int

    /// Nil if the width type is invalid.
    init?(_ word: UInt64) {
        let flags = UInt8(truncatingIfNeeded: word >> 32)
        guard let type = WidthType(rawValue: flags >> 3 & 3) else { return nil }
        isInner = flags & 0x80 != 0
        hasRefs = flags & 0x40 != 0
        context = flags & 0x20 != 0
        widthType = type
        width = flags & 7 == 0 ? 0 : 1 << Int(flags & 7 - 1)
        count = Int((word >> 40).byteSwapped >> 40)
    }

    var payloadSize: Int {
        switch widthType {
        case .bits: (count * width + 7) / 8
        case .bytes: count * width
        case .count: count
        }
    }

    /// Whether the elements are integers, or refs.
    var isPacked: Bool { widthType == .bits }

    /// Whether elements can be refs, which need at least one byte. A node of narrower ones could
    /// claim millions of children without a payload.
    var hasRoomForRefs: Bool { hasRefs && isPacked && width >= 8 }
}
