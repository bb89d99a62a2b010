/// A value of an object, or of a collection. Floating-point values are stored as bits, without
/// loss.
package enum RealmFileValue: Sendable {
    case null
    case int(Int64)
    case bool(Bool)
    case float(bits: UInt32)
    case double(bits: UInt64)
    case string(String)
    /// Text that is not valid UTF-8, which Realm permits.
    case malformedString([UInt8])
    case data([UInt8])
    case date(RealmFileDate)
    case decimal(RealmFileDecimal)
    case objectID(RealmFileObjectID)
    case uuid(RealmFileUUID)
    case link(RealmFileLink)
    /// A list, a set or a dictionary.
    case collection(RealmFileCollection)
}

/// Seconds since 1970 and nanoseconds, both of one sign.
package struct RealmFileDate: Hashable, Sendable {
    package let seconds: Int64
    package let nanoseconds: Int32

    package init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }
}

/// A decimal128 of IEEE 754 in its binary-integer form.
package struct RealmFileDecimal: Hashable, Sendable {
    package let low: UInt64
    package let high: UInt64

    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }
}

/// The twelve bytes of an ObjectId, in the order of its text.
package struct RealmFileObjectID: Hashable, Sendable {
    /// The first eight, big-endian.
    package let high: UInt64
    package let low: UInt32

    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

/// The sixteen bytes of a UUID, in the order of its text.
package struct RealmFileUUID: Hashable, Sendable {
    /// The first eight, big-endian.
    package let high: UInt64
    package let low: UInt64

    package var bytes: [UInt8] { high.bigEndianBytes + low.bigEndianBytes }
}

/// A link to an object.
package struct RealmFileLink: Hashable, Sendable {
    package let table: RealmFileTableKey
    package let key: Int64

    package init(table: RealmFileTableKey, key: Int64) {
        self.table = table
        self.key = key
    }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> Self($0))
        }
    }
}
