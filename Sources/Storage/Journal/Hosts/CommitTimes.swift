/// What a host knows of the times of the commits before its position in a shared log: an image has
/// the latest one, and the entries since its opening need not be read for that again.
struct CommitTimes: Sendable, Hashable {
    /// The first entry whose commits are covered. Those of all later ones are covered as well.
    let first: LogSlot
    /// The latest time, in seconds since 1970; nil if these commits have none.
    private(set) var latest: Double?

    /// Begins at the position of a host, before any commit after it.
    init(from first: LogSlot) { self.first = first }

    /// Covers all commits before a position, the latest of which has this time.
    init(latest: Double) {
        first = .first
        self.latest = latest
    }

    /// Covers the next commits as well, of which this is the latest time, if they have one.
    mutating func note(_ time: Double?) {
        guard let time else { return }
        latest = max(latest ?? time, time)
    }
}
