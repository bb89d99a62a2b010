/// The position of a host in the shared log of a realm, with the state that the next entry must
/// continue.
struct SharedCursor: Sendable, Hashable {
    /// The realm of the log; nil before the first entry.
    private(set) var realm: Bits128?
    private(set) var next = LogSlot.first
    /// The hash of the entry before ``next``.
    private(set) var hash = SharedEntryHash.none
    /// How often a host has appended an entry after that of another one.
    private(set) var epoch: UInt64 = 0
    /// The host of the entry before ``next``; zero before the first entry.
    private(set) var lastWriter = Bits128.zero
    /// The last version.
    private(set) var version = Version.zero
    /// The total bytes of the entries before ``next``, trimmed ones included.
    private(set) var bytes: UInt64 = 0
    /// A larger number is damage.
    static let bytesMax: UInt64 = 1 << 62
    /// The pieces of an incomplete group.
    private var parts: Parts?

    /// The pieces stay separate: copies of a cursor share them, and appending to a joined array
    /// would copy it for each new piece.
    private struct Parts: Hashable {
        let id: Bits128
        var pieces: [[UInt8]] = []

        /// The pieces joined.
        var payload: [UInt8] {
            if pieces.count == 1 { return pieces[0] }
            var payload: [UInt8] = []
            payload.reserveCapacity(pieces.reduce(0) { $0 + $1.count })
            for piece in pieces { payload += piece }
            return payload
        }
    }

    init() {}

    /// A cursor that a host has recorded.
    init(
        realm: Bits128?, next: LogSlot, hash: SharedEntryHash, epoch: UInt64,
        lastWriter: Bits128, version: Version, bytes: UInt64
    ) {
        self.realm = realm
        self.next = next
        self.hash = hash
        self.epoch = epoch
        self.lastWriter = lastWriter
        self.version = version
        self.bytes = bytes
    }

    /// Whether no group is incomplete, so that reading may resume here.
    var isBetweenGroups: Bool { parts == nil }

    /// Consumes the next entry; returns the group that it completes.
    ///
    /// - Throws: ``StorageError/sharedLogDiverged(reason:)`` for an entry that does not continue
    ///   the previous ones.
    mutating func take(
        _ entry: SharedLogEntry, _ cipher: (Bits128) throws(StorageError) -> SharedLogCipher?
    ) throws(StorageError) -> SharedGroup? {
        let header = try Self.decode(entry, realm, cipher)
        guard entry.slot == next, header.slot == next else {
            throw .sharedLogDiverged(reason: "slot \(entry.slot) has the entry of \(header.slot)")
        }
        guard header.previousHash == hash else {
            throw .sharedLogDiverged(
                reason: "the entry of slot \(next) does not continue the one that this host read")
        }
        guard (header.kind == .genesis) == (next == .first) else {
            throw .sharedLogDiverged(reason: "slot \(next) has an entry of kind \(header.kind)")
        }
        var known = Parts(id: header.id)
        // The pieces of another append will never be completed.
        if let parts, parts.id == header.id { known = parts }
        known.pieces.append(header.payload)
        let before = version
        advance(past: header, entry.bytes)
        switch header.kind {
        case .genesis, .epoch: return nil
        case .part:
            parts = known
            return nil
        case .group:
            guard header.firstVersion > before.rawValue,
                header.lastVersion >= header.firstVersion,
                header.lastVersion <= Version.max.rawValue
            else {
                throw .sharedLogDiverged(
                    reason: "slot \(entry.slot) has version \(header.firstVersion) after \(before)"
                )
            }
            return SharedGroup(
                host: header.host, firstVersion: Version(header.firstVersion),
                lastVersion: version, payload: known.payload, id: header.id)
        }
    }

    /// Advances past a verified entry.
    mutating func advance(past entry: SharedEntry, _ encoded: [UInt8]) {
        realm = entry.realm
        epoch = entry.epoch
        lastWriter = entry.lastWriter
        hash = SharedEntryHash(of: encoded)
        bytes += UInt64(encoded.count)
        next = entry.slot.next
        parts = nil
        if entry.kind == .group { version = Version(entry.lastVersion) }
    }

    private static func decode(
        _ entry: SharedLogEntry, _ realm: Bits128?,
        _ cipher: (Bits128) throws(StorageError) -> SharedLogCipher?
    ) throws(StorageError) -> SharedEntry {
        let found = SharedEntry.realm(of: entry.bytes)
        if let realm, let found, realm != found {
            throw .logOfOtherRealm
        }
        var key: SharedLogCipher?
        if let found { key = try cipher(found) }
        do throws(SharedEntryError) {
            return try SharedEntry(decoding: entry.bytes, key)
        } catch {
            // The key has opened entries before: this one was changed without it.
            if realm != nil, error == .notAuthentic {
                throw .sharedLogDiverged(
                    reason: "the entry of slot \(entry.slot) was not sealed with the realm's key")
            }
            throw error.storageError(at: entry.slot)
        }
    }
}

extension StorageError {
    /// The error of a shared log that was removed and created again.
    static let logOfOtherRealm = sharedLogDiverged(reason: "it is the log of another realm by now")
}
