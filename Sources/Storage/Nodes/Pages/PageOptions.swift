/// How the page files of a store are made and opened.
package struct PageOptions: Sendable {
    /// Size of segments in a store of next to nothing.
    package var segmentSizeMin = 8 << 10
    /// Size that they grow to in a small store; those that a transaction spills to are 16 times as
    /// large.
    package var segmentSizeGrown = 1 << 20
    /// Segments whose files are open at a time, as far as they can be opened again.
    package var openFilesMax = 128

    package init() {}
}
