/// Measurements of the group of a commit.
package struct GroupFigures: Sendable {
    /// How many commits were in it.
    package var commits = 0
    /// The time from the submission to the log until it was durable; zero unless measured.
    package var sync = Duration.zero

    package init() {}

    private static let origin = ContinuousClock.now

    /// The current time. A duration, since the size of an instant is only known at run time, which
    /// would make each copy of a value that contains one a call.
    static var now: Duration { origin.duration(to: .now) }
}
