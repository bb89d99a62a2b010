import Storage

/// Until when a transaction is repeated that other hosts have superseded.
struct RepetitionDeadline {
    private let end: Instant?

    /// `timeout` from now on; without one, it is repeated without limit.
    init(after timeout: Duration?) { end = timeout.map { Instant.now + $0 } }

    /// Throws ``RealmError/superseded`` if the time is over.
    func requireTime() throws(RealmError) {
        if let end, Instant.now > end { throw .superseded }
    }
}
