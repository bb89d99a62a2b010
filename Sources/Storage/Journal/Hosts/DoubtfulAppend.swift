/// An append to a shared log whose outcome is not known.
struct DoubtfulAppend: Sendable {
    let slot: LogSlot
    /// The hash of the entry before.
    let last: SharedEntryHash
    let bytes: [UInt8]
}
