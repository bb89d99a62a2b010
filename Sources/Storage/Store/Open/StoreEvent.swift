/// An event of an open store's background work, for monitoring.
package enum StoreEvent: Sendable {
    /// A checkpoint was written. `live` bytes of the `stored` ones in the page files are in use.
    case checkpoint(version: Version, live: Int, stored: Int, duration: Duration)
    /// A compaction has ended: the bytes of the page files before and after it.
    case compaction(isFull: Bool, before: Int, after: Int, duration: Duration)
    /// This process has acquired the writer lease.
    case leaseAcquired(waited: Duration)
    /// This process has released the writer lease.
    case leaseReleased(held: Duration)
}
