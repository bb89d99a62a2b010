/// The number of a slot in a shared log, which is written once, with one entry.
package struct LogSlot: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// Nil for a number that is too high for a slot.
    init?(checking number: UInt64) {
        guard number <= Self.last.rawValue else { return nil }
        rawValue = number
    }

    /// The slot of the first entry.
    package static let first = LogSlot(1)

    /// An upper limit for valid logs, so that there is always a next slot.
    static let last = LogSlot(1 << 62)

    package var next: LogSlot { LogSlot(rawValue + 1) }

    /// Nil for the first one.
    package var previous: LogSlot? { self > .first ? LogSlot(rawValue - 1) : nil }

    package static func < (one: LogSlot, other: LogSlot) -> Bool { one.rawValue < other.rawValue }

    package var description: String { "\(rawValue)" }
}
