/// The properties of a `.realm` file that are known without reading its objects.
package struct RealmFileInfo: Sendable, Hashable {
    /// The number of the format. A file without a commit has none yet, and gets the newest readable
    /// one.
    package let format: Int
    /// The schema version that the app has set.
    package let schemaVersion: UInt64?
    package let isEncrypted: Bool
    /// Whether it is a copy that was written in one pass, and was not written to since.
    package let isStreaming: Bool
    /// The number of the newest commit, if the file has it.
    package let commit: UInt64?
    /// Whether an app has the file open.
    package let isOpen: Bool
    /// Whether a newer commit is in the slot that is not selected: it is being made, or was
    /// interrupted.
    package let hasUnfinishedCommit: Bool
    /// The size at opening, in bytes.
    package let size: Int
}
