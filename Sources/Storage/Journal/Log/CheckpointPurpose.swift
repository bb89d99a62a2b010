/// What a checkpoint is written for: what becomes of the log with it.
enum CheckpointPurpose: Sendable {
    /// To bound what is replayed.
    case replay
    /// To end with: nothing but a seal follows, and what comes after that is to be read quickly.
    case close
    /// To give space back to the disk: also that of a segment with room for more.
    case space
    /// To leave nothing of deleted values: the segments before hold what commits wrote, also of
    /// what was deleted since.
    case erasure

    /// Whether a segment of `size` bytes is not gone on with.
    func endsSegments(of size: Int, _ options: LogOptions) -> Bool {
        switch self {
        case .replay: false
        case .close: size > max(options.segmentSizeMin, options.segmentSizeGrown / 16)
        case .space: size > options.segmentSizeMin
        case .erasure: true
        }
    }

    /// Whether nothing of the log before the checkpoint is to be needed.
    var dropsLog: Bool { self == .space || self == .erasure }
}
