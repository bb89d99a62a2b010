/// Why a checkpoint is written, which determines what becomes of the log before it.
enum CheckpointPurpose: Sendable {
    /// To bound replay.
    case replay
    /// Before closing: only a seal follows, and the next opening should have little to read.
    case close
    /// To free disk space, also that of a segment which is not full.
    case space
    /// To erase deleted values, which the segments before may contain.
    case erasure

    /// Whether a segment of `size` bytes is not continued after the checkpoint.
    func endsSegments(of size: Int, _ options: LogOptions) -> Bool {
        switch self {
        case .replay: false
        case .close: size > max(options.segmentSizeMin, options.segmentSizeGrown / 16)
        case .space: size > options.segmentSizeMin
        case .erasure: true
        }
    }

    /// Whether the checkpoint must make all of the log before it obsolete.
    var dropsLog: Bool { self == .space || self == .erasure }
}
