/// A position in the log: the number of frame bytes before it. Positions continue across segments,
/// whose headers do not count.
package struct LogPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The start of the log.
    package static let zero = LogPosition(0)
    /// An upper limit for valid logs, so that positions after it do not overflow.
    static let max = LogPosition(1 << 62)

    package static func < (left: LogPosition, right: LogPosition) -> Bool {
        left.rawValue < right.rawValue
    }

    /// Positions come from files, so this wraps instead of trapping; a wrapped one never verifies.
    package func advanced(by count: Int) -> LogPosition {
        LogPosition(rawValue &+ UInt64(truncatingIfNeeded: count))
    }

    /// The bytes from `start` to here, or nil if the distance exceeds the range of `Int`.
    func distance(from start: LogPosition) -> Int? {
        rawValue >= start.rawValue ? Int(exactly: rawValue - start.rawValue) : nil
    }

    package var description: String { "\(rawValue)" }
}

/// The hash of a frame, which the next frame repeats: it chains the frames of the log.
struct FrameHash: Hashable, Sendable {
    let rawValue: UInt64

    init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// The previous hash of the first frame of a log.
    static let none = FrameHash(0)
}

/// The number of a log segment, counted from 1; its file name is derived from it.
struct SegmentIndex: Hashable, Comparable, Sendable, CustomStringConvertible {
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    static let first = SegmentIndex(1)

    /// The last possible one.
    static let last = SegmentIndex(.max)

    var next: SegmentIndex { SegmentIndex(rawValue &+ 1) }

    /// The previous one; nil for the first.
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
