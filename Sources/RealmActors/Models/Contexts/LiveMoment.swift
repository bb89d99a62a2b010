/// Identifies the state of a live context at one moment, also inside a write.
struct LiveMoment: Equatable {
    /// Differs between versions, and whenever rows move.
    let generation: UInt64
    /// Differs between any two states of one write.
    let changes: UInt64
    /// In a write, the root of its tree, which must still be that of a view for the view to be
    /// valid.
    let root: UInt
}
