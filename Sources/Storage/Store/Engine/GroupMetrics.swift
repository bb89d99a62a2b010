/// Measurements of the group of a commit.
package struct GroupMetrics: Sendable {
    /// How many commits were in it.
    package var commits = 0
    /// The time from the submission to the log until it was durable; zero unless measured.
    package var sync = Duration.zero

    package init() {}

    private static let origin = Instant.now

    /// The current time, as a duration: the size of an instant is only known at run time, so
    /// copying a value that contains one would be a call.
    static var now: Duration { origin.duration(to: .now) }
}
