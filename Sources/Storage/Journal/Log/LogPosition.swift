/// A place in the log: the number of frame bytes before it. Positions run on across segments, whose
/// headers do not count.
package struct LogPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The begin of the log.
    package static let zero = LogPosition(0)
    /// No log has been as long as this, and what stands behind it in a log still has a position.
    static let max = LogPosition(1 << 62)

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Positions come from files, so this wraps instead of trapping; a wrapped one verifies
    /// nowhere.
    package func advanced(by count: Int) -> LogPosition {
        LogPosition(rawValue &+ UInt64(truncatingIfNeeded: count))
    }

    /// The bytes from `start` to here, or nil when that is no distance an `Int` can hold.
    func distance(from start: LogPosition) -> Int? {
        rawValue >= start.rawValue ? Int(exactly: rawValue - start.rawValue) : nil
    }

    package var description: String { "\(rawValue)" }
}

/// The hash of a frame, which the next frame repeats: what chains the frames of the log.
struct FrameHash: Hashable, Sendable {
    let rawValue: UInt64

    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// What the first frame of a log repeats.
    static let none = FrameHash(0)
}

/// The number of a log segment, counted from 1; its file name is made from it.
struct SegmentIndex: Hashable, Comparable, Sendable, CustomStringConvertible {
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    static let first = SegmentIndex(1)

    /// The last that there can be: no segment comes behind it.
    static let last = SegmentIndex(.max)

    var next: SegmentIndex { SegmentIndex(rawValue &+ 1) }

    /// The one before; nil where a log begins.
    var previous: SegmentIndex? { self > .first ? SegmentIndex(rawValue - 1) : nil }

    /// `0000000001.log` and so on.
    var fileName: String { NumberedFileName.make(rawValue, ".log") }

    /// The index in a file name, or nil when it is no segment's name.
    init?(fileName: String) {
        guard let number = NumberedFileName.number(in: fileName, ".log") else { return nil }
        rawValue = number
    }

    static func < (left: SegmentIndex, right: SegmentIndex) -> Bool {
        left.rawValue < right.rawValue
    }

    var description: String { "\(rawValue)" }
}
