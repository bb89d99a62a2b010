/// The delay of a group commit: how long a group is kept open for the writers that were
/// acknowledged with the group before.
///
/// A task that awaits its commits one after the other commits again a moment after its
/// acknowledgement. Syncing at once what was collected during the last sync splits such writers
/// into two halves, each of which waits for the sync of the other; with a delay until all have
/// committed again, one sync serves both. That pays off if they do so before a sync would end, so
/// the delay is limited to the duration of a sync. If a delay fails, because there are other
/// writers or their bodies take long, the next groups are not delayed; each further failure doubles
/// their number.
///
/// The duration of a sync is the median, so that a disk which is occasionally slow does not delay
/// all groups.
///
/// A single writer never waits, since its next commit completes the group. Pure: time is passed in,
/// so that the same events have the same outcome.
package struct GroupCommitDelay: Sendable {
    /// The maximum number of groups without a delay after repeated failures.
    private static let skippedMax = 64

    /// The number of commits that complete the group; nil if it is not kept open.
    package private(set) var awaited: Int?
    /// The median duration of a sync.
    private var syncTime = Duration.zero
    private var failures = 0
    /// Whether the group was empty when the delay began.
    private var awaitsAll = false
    private var skipped = 0

    package init() {}

    /// A group is durable after a sync of `duration`, and its writers are about to be acknowledged.
    /// Returns how long to delay the next group for them; nil if the `collected` commits are to be
    /// sealed at once.
    package mutating func groupSynced(
        notified: Int, collected: Int, after duration: Duration
    ) -> Duration? {
        awaited = nil
        let step = syncTime == .zero ? duration : syncTime / 16
        syncTime += duration > syncTime ? step : .zero - step
        if notified == 0 || notified + collected < 2 { return nil }
        if skipped > 0 {
            skipped -= 1
            return nil
        }
        awaited = notified + collected
        awaitsAll = collected == 0
        return syncTime
    }

    /// Whether a group of `count` commits is sealed now, which ends the delay.
    package mutating func isComplete(_ count: Int) -> Bool {
        guard let awaited else { return true }
        if count < awaited { return false }
        self.awaited = nil
        // If the group was not empty, only the next one shows whether all writers return in time.
        if awaitsAll { failures = 0 }
        return true
    }

    /// The delay has expired before the group was complete.
    package mutating func expire() {
        guard awaited != nil else { return }
        awaited = nil
        failures += 1
        skipped = min(1 << min(failures, 16) - 1, Self.skippedMax)
    }

    /// The group is sealed on request, complete or not.
    package mutating func cancelWait() { awaited = nil }
}
