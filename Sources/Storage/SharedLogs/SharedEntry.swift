/// The contents of one slot of a shared log.
///
/// An entry is little-endian: a header, and then the payload to the end.
///
///     offset  bytes  field
///          0      4  "RASE"
///          4      2  format, 1
///          6      1  kind
///          7      1  flags; bit 0: the payload is sealed
///          8     16  identifier of the realm
///         24      8  slot
///         32      8  epoch
///         40     16  host that appends it
///         56     16  last writer from here on: that host, in an epoch entry another one
///         72     16  identifier of the append, random
///         88      8  first version in it
///         96      8  last version in it
///        104      8  hash of the entry before, zero in the first one
///        112     16  salt of the sealing; zero without one
///        128      8  length of the payload, as stored here
///        136      8  checksum of the payload, as stored here
///        144      8  checksum of the 144 bytes before
///
/// Both checksums are XXH64. In an encrypted realm the payload is sealed (``SharedLogCipher``) and
/// ends with a tag of 16 bytes.
package struct SharedEntry: Sendable, Hashable {
    /// The kind of an entry. Raw values are stored in logs and never reused.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// The first entry of a log.
        case genesis = 1
        /// Names another ``SharedEntry/lastWriter``, and has no payload. It is read, and never
        /// appended: the writer lease is passed by messages.
        case epoch = 2
        /// Commits; preceding parts contain the beginning of the payload.
        case group = 3
        /// A piece of a group that is too large for one entry.
        case part = 4
    }

    package static let headerSize = 152
    package static let format: UInt16 = 1

    package var kind: Kind
    /// The identifier of the realm.
    package var realm: Bits128
    package var slot: LogSlot
    /// How often a host has appended an entry after that of another one.
    package var epoch: UInt64
    /// The host that appends the entry.
    package var host: Bits128
    /// The last writer from here on: the host that appends the entry, except in an epoch entry.
    package var lastWriter: Bits128
    /// The identifier of this append.
    package var id: Bits128
    /// The first and the last version in it; without commits, both are the last version before it.
    package var firstVersion: UInt64
    package var lastVersion: UInt64
    /// The hash of the entry in the slot before.
    package var previousHash: SharedEntryHash
    package var payload: [UInt8]

    package init(
        kind: Kind, realm: Bits128, slot: LogSlot, epoch: UInt64, host: Bits128,
        lastWriter: Bits128? = nil, id: Bits128 = .random(), firstVersion: UInt64,
        lastVersion: UInt64, previousHash: SharedEntryHash, payload: [UInt8] = []
    ) {
        precondition(kind != .epoch || payload.isEmpty, "An epoch has no payload.")
        self.kind = kind
        self.realm = realm
        self.slot = slot
        self.epoch = epoch
        self.host = host
        self.lastWriter = lastWriter ?? host
        self.id = id
        self.firstVersion = firstVersion
        self.lastVersion = lastVersion
        self.previousHash = previousHash
        self.payload = payload
    }
}

/// The hash by which an entry refers to the one before it: XXH64 of all its bytes.
package struct SharedEntryHash: Sendable, Hashable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The hash of an entry's encoded bytes.
    package init(of bytes: [UInt8]) {
        rawValue = bytes.withUnsafeBytes { XXH64.hash($0) }  // Unsafe: lent for the call.
    }

    /// The previous hash of the first entry.
    package static let none = SharedEntryHash(0)
}

/// Why bytes are not an entry that this host can read.
package enum SharedEntryError: Error, Sendable, Hashable {
    /// The bytes are not an entry.
    case malformed(String)
    /// A newer version of this package wrote it.
    case otherFormat(UInt16)
    /// The bytes are not those that were written.
    case wrongChecksum
    /// The realm is encrypted, and there is no key.
    case sealed
    /// There is a key, and the realm is not encrypted.
    case notSealed
    /// The key is another one, or the entry was changed without it.
    case notAuthentic
}
