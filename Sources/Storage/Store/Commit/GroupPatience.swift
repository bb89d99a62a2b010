/// How long a group is kept open for those who were notified of the group before.
///
/// A task that awaits its commits one after the other comes back a moment after it was notified. To
/// sync at once what was collected during the last sync splits such writers into two halves, each
/// of which waits for the sync of the other; to wait until all are back makes one sync do for both.
/// That pays when they are back before a sync would be, so the wait ends after the time that a sync
/// takes. When it was in vain, because other writers came or their bodies take long, the next
/// groups do not wait, for twice as many of them each time that it happens again.
///
/// What a sync takes is the median, so that a disk which is slow now and then does not make writers
/// wait all the time.
///
/// A writer that is alone never waits: when it is back, everybody is. Pure: time is passed in, so
/// that the same events have the same outcome.
package struct GroupPatience: Sendable {
    /// Groups that do not wait, at the most, after a wait was in vain again.
    private static let skippedMax = 64

    /// How many commits make the group complete; nil when it is not kept open.
    package private(set) var awaited: Int?
    /// What half of the syncs take at most.
    private var syncTime = Duration.zero
    private var failures = 0
    /// Whether nobody was there when the wait began.
    private var awaitsAll = false
    private var skipped = 0

    package init() {}

    /// A group is durable after a sync of `duration`: its writers are about to be acknowledged.
    /// Returns how long to wait for them; nil when there is no point in it, and the `collected`
    /// commits are to be sealed.
    package mutating func groupSynced(
        told: Int, collected: Int, after duration: Duration
    ) -> Duration? {
        awaited = nil
        let step = syncTime == .zero ? duration : syncTime / 16
        syncTime += duration > syncTime ? step : .zero - step
        if told == 0 || told + collected < 2 { return nil }
        if skipped > 0 {
            skipped -= 1
            return nil
        }
        awaited = told + collected
        awaitsAll = collected == 0
        return syncTime
    }

    /// Whether a group of `count` commits is sealed now. Closes it then.
    package mutating func isComplete(_ count: Int) -> Bool {
        guard let awaited else { return true }
        if count < awaited { return false }
        self.awaited = nil
        // When some were there already, the next group will tell whether all come back in time.
        if awaitsAll { failures = 0 }
        return true
    }

    /// The wait is over, whatever is missing.
    package mutating func timeIsUp() {
        guard awaited != nil else { return }
        awaited = nil
        failures += 1
        skipped = min(1 << min(failures, 16) - 1, Self.skippedMax)
    }

    /// The group is sealed, complete or not, because someone asked for it.
    package mutating func giveUp() { awaited = nil }
}
