/// How the page files of a store are created and opened.
package struct PageOptions: Sendable {
    /// Size of segments in an almost empty store.
    package var segmentSizeMin = 8 << 10
    /// Size that they grow to in a small store; those that a transaction spills to are 16 times as
    /// large.
    package var segmentSizeGrown = 1 << 20
    /// The maximum number of open files, of those that can be opened again.
    package var openFilesMax = 128
    /// Whether a file whose header does not verify is read nevertheless, for a salvage. Of the
    /// header, nodes need only the salt, and with another one they do not verify.
    var readsDamagedHeaders = false

    package init() {}
}
