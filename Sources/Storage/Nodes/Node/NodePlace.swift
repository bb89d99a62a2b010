/// Where a node stands in the page files: segment and offset in one number, zero for nowhere.
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

/// The number of a page segment, counted from one and never used again.
package struct PageIndex: Hashable, Sendable, Comparable {
    package let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// No segment has this number, or a later one: there is always a next one to name.
    static let end = PageIndex(.max)

    var next: PageIndex { PageIndex(rawValue + 1) }

    package static func < (a: PageIndex, b: PageIndex) -> Bool { a.rawValue < b.rawValue }
}

/// All that is needed to read a node from disk and to know that it is the right one.
package struct NodePlace: Hashable, Sendable {
    var address: PageAddress
    /// Bytes of the node's image.
    var length: UInt32
    /// What the image must hash to.
    var hash: UInt64
    /// What the image must hold.
    var kind: NodeKind
    /// Whether it can have children: one that cannot need not be read to find what is below it.
    var hasSlots: Bool

    /// Kind and `hasSlots` in one number.
    var tag: UInt32 { UInt32(kind.rawValue) | (hasSlots ? 0x100 : 0) }

    /// Nil when there is no node, and when it would stand where none can.
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
