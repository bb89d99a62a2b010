/// The address of a node in the page files: segment and offset in one number, zero for none.
@frozen @usableFromInline
package struct PageAddress: Hashable, Sendable, Comparable {
    package let rawValue: UInt64

    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// `offset` is in bytes and a multiple of eight.
    init(segment: PageIndex, offset: Int) {
        rawValue = UInt64(segment.rawValue) << 32 | UInt64(offset / 8)
    }

    static let none = PageAddress(0)

    var segment: PageIndex { PageIndex(UInt32(rawValue >> 32)) }
    var offset: Int { Int(rawValue & 0xFFFF_FFFF) * 8 }

    @usableFromInline
    package static func < (a: PageAddress, b: PageAddress) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a page segment, counted from one and never reused.
package struct PageIndex: Hashable, Sendable, Comparable {
    package let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// The end of all numbers, so that every segment has a successor.
    static let end = PageIndex(.max)

    var next: PageIndex { PageIndex(rawValue + 1) }

    package static func < (a: PageIndex, b: PageIndex) -> Bool { a.rawValue < b.rawValue }
}

/// All that is needed to read a node from disk and to verify it.
package struct NodePlace: Hashable, Sendable {
    var address: PageAddress
    /// Bytes of the node's image.
    var length: UInt32
    /// The hash of the image.
    var hash: UInt64
    /// The kind of the node.
    var kind: NodeKind
    /// Whether it can have children: otherwise it need not be read in a walk.
    var hasSlots: Bool

    /// Kind and `hasSlots` in one number.
    var tag: UInt32 { UInt32(kind.rawValue) | (hasSlots ? 0x100 : 0) }

    /// Nil if there is no node, or the address is invalid.
    init?(address: UInt64, length: UInt32, tag: UInt32, hash: UInt64) {
        let place = PageAddress(address)
        guard address != 0, let kind = NodeKind(rawValue: UInt8(truncatingIfNeeded: tag)),
            place.segment < .end, place.offset + Int(length) <= PageSegment.lengthMax
        else { return nil }
        self.init(
            address: place, length: length, hash: hash, kind: kind,
            hasSlots: tag & 0x100 != 0)
    }

    init(address: PageAddress, length: UInt32, hash: UInt64, kind: NodeKind, hasSlots: Bool) {
        self.address = address
        self.length = length
        self.hash = hash
        self.kind = kind
        self.hasSlots = hasSlots
    }
}
