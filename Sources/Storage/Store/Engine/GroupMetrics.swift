/// Measurements of the group of a commit.
package struct GroupMetrics: Sendable {
    /// How many commits were in it.
    package var commits = 0
    /// The time from the submission to the log until it was durable; zero unless measured.
    package var sync = Duration.zero

    package init() {}
}
