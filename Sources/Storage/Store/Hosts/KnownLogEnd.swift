/// The end of a shared log, as far as a host knows it.
struct KnownLogEnd {
    var next: LogSlot
    /// The slot after the newest entry whose version is known.
    var examined: LogSlot
    /// The version there.
    var version: UInt64

    /// Includes an entry that was read.
    mutating func note(_ newest: SharedLogEntry) {
        examined = newest.slot.next
        next = max(next, examined)
        // Applying the entry reports what is wrong with it.
        guard let header = try? SharedEntry(headerOf: newest.bytes) else { return }
        version = max(version, header.versionBehind)
    }
}
