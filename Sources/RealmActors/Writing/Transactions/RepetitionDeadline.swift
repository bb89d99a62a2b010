import Storage

/// When a transaction that other hosts have superseded is no longer repeated.
struct RepetitionDeadline {
    private let end: Instant?

    /// `timeout` from now on; without one, it is repeated without limit.
    init(after timeout: Duration?) { end = timeout.map { Instant.now + $0 } }

    /// Throws ``RealmError/superseded`` once the deadline has passed.
    func requireTime() throws(RealmError) {
        if let end, Instant.now > end { throw .superseded }
    }
}
