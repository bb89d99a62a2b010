/// How the group of a commit became durable.
package struct GroupFigures: Sendable {
    /// How many commits were in it.
    package var commits = 0
    /// From when it was handed to the log until it was durable; zero when nobody measures.
    package var sync = Duration.zero

    package init() {}

    private static let origin = ContinuousClock.now

    /// A time to measure from. A duration, since the size of an instant is not known before the
    /// program runs: each copy of a value that holds one would be a call.
    static var now: Duration { origin.duration(to: .now) }
}
