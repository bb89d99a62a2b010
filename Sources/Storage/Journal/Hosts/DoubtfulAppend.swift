/// An append to a shared log whose outcome is not known.
struct DoubtfulAppend: Sendable {
    let slot: LogSlot
    /// That of the entry before.
    let last: SharedEntryHash
    let bytes: [UInt8]
}
