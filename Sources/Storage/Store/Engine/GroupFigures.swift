/// How the group of a commit became durable.
package struct GroupFigures: Sendable {
    /// How many commits were in it.
    package var commits = 0
    /// From when it was handed to the log until it was durable; zero when nobody measures.
    package var sync = Duration.zero

    package init() {}
}
