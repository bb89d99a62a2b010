/// How the page files of a store are created and opened.
package struct PageOptions: Sendable {
    /// Size of segments in an almost empty store.
    package var segmentSizeMin = 8 << 10
    /// Size that they grow to in a small store; those that a transaction spills to are 16 times as
    /// large.
    package var segmentSizeGrown = 1 << 20
    /// The maximum number of open files, of those that can be opened again.
    package var openFilesMax = 128

    package init() {}
}
