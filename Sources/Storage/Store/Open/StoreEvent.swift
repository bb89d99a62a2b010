/// What an open store has done beside the reads and writes of programs, for those who monitor it.
package enum StoreEvent: Sendable {
    /// A checkpoint was written. `live` bytes of the `stored` ones in the page files are in use.
    case checkpoint(version: Version, live: Int, stored: Int, duration: Duration)
    /// A compaction has ended: the bytes of the page files before and after it.
    case compaction(isFull: Bool, before: Int, after: Int, duration: Duration)
    /// This process got the writer lease from another one.
    case leaseAcquired(waited: Duration)
    /// Another process gets the writer lease.
    case leaseReleased(held: Duration)
}
