/// What a live context shows at one moment, also inside a write.
struct LiveMoment: Equatable {
    /// Differs between versions, and whenever rows move.
    let generation: UInt64
    /// Differs between any two states of one write.
    let changes: UInt64
    /// In a write the root of its tree, which a view of an earlier moment must share to be valid.
    let root: UInt
}
