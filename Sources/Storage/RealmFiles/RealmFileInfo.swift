/// What is known of a `.realm` file without reading its objects.
package struct RealmFileInfo: Sendable, Hashable {
    /// The number of the format. A file without any commit has none yet, and counts as one of the
    /// newest that can be read.
    package let format: Int
    /// The version that the app gave its schema.
    package let schemaVersion: UInt64?
    package let isEncrypted: Bool
    /// Whether it is a copy that was written in one go, and no app has written to since.
    package let isStreaming: Bool
    /// The number of the newest commit, where the file states it.
    package let commit: UInt64?
    /// Whether an app has the file open.
    package let isOpen: Bool
    /// Whether a newer commit stands in the slot that is not selected: it is being made, or was
    /// when its app ended.
    package let hasUnfinishedCommit: Bool
    /// The size at opening, in bytes.
    package let size: Int
}
