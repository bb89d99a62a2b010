import RealmActors

/// The store that a shell keeps open for its commands.
struct ShellSession: Sendable {
    @TaskLocal static var current: ShellSession?

    let store: String
    let realm: Realm
    let isWriting: Bool

    /// The store, for a command that only reads or also writes.
    func realm(_ writing: Bool) throws -> Realm {
        if writing, !isWriting {
            throw ToolError(.disk, "The shell only reads. Open it with --write.")
        }
        return realm
    }
}
