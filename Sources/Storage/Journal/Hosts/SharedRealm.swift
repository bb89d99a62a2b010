/// A realm on a shared log, as a host opens it.
package struct SharedRealm: Sendable {
    package let log: any SharedLog
    /// The key that entries are sealed with; nil for a plain realm.
    package var key: UserKey?
    /// How long a write waits for the engine; nil for as long as it takes.
    package var timeout: Duration?
    /// How often a failed call is repeated without pauses, instead of for a time: for simulations.
    package var repetitions: Int?
    /// An image is due when the log after the newest one has more bytes than this, and than half of
    /// the tree.
    package var imageBytesMin = imageBytesMinByDefault
    package static let imageBytesMinByDefault = 64 << 20
    /// The size of the parts of an image.
    package var imagePartBytes = 1 << 20

    package init(_ log: any SharedLog, key: UserKey?, timeout: Duration?) {
        self.log = log
        self.key = key
        self.timeout = timeout
    }

    /// Until `deadline`, or until the timeout has passed from now on.
    func backoff(until deadline: Instant? = nil) -> RetryBackoff {
        RetryBackoff(
            until: deadline ?? timeout.map { Instant.now + $0 }, repetitions: repetitions)
    }

    func cipher(_ realm: Bits128) throws(StorageError) -> SharedLogCipher? {
        guard let key else { return nil }
        return try SharedLogCipher(key, realm: realm)
    }
}

extension StorageError {
    /// The error of a shared log, where nothing was written.
    package init(_ error: SharedLogError) {
        switch error {
        case .unavailable(let reason), .outcomeUnknown(let reason):
            self = .sharedLogUnavailable(reason: reason)
        case .unsafe(let setting): self = .sharedLogUnsafe(setting: setting)
        case .refused(let reason): self = .sharedLogRefused(reason: reason)
        case .trimmed(let first): self = .sharedLogTrimmed(first: first.rawValue)
        case .closed: self = .closed(path: "The shared log")
        }
    }
}

extension SharedLogError {
    /// Whether the same call may succeed later.
    var isTransient: Bool {
        switch self {
        // A server that has just taken over may not know of its standbys yet.
        case .unavailable, .outcomeUnknown, .unsafe: true
        case .refused, .trimmed, .closed: false
        }
    }
}

extension SharedEntryError {
    /// The error of an entry that cannot be decoded, as the store's users see it.
    func storageError(at slot: LogSlot) -> StorageError {
        switch self {
        case .malformed(let reason):
            .sharedLogDiverged(reason: "slot \(slot) has no entry of a realm: \(reason)")
        case .otherFormat(let format):
            .unsupportedFormat(found: UInt32(format), supported: UInt32(SharedEntry.format))
        case .wrongChecksum: .sharedLogDiverged(reason: "the entry of slot \(slot) is damaged")
        case .sealed: .keyMissing(path: "The shared log")
        case .notSealed: .notEncrypted(path: "The shared log")
        case .notAuthentic: .wrongKey(path: "The shared log")
        }
    }
}
