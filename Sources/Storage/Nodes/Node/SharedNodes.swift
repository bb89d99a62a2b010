/// What reads nodes and nothing else: a node, or a view that begins at one.
package protocol NodeReading {}

extension Node: NodeReading {}
extension SequenceView: NodeReading {}
extension MapView: NodeReading {}

// Unchecked, because a node is no more than an address: the invariants make it safe.
/// Nodes that any thread may read.
///
/// Invariants, which the maker of one sees to. Nobody changes the nodes: they are of a version that
/// was captured, were read from disk, or were made to be read only. And the holder of this value
/// holds a count of them, or what does.
package struct SharedNodes<Reader: NodeReading>: @unchecked Sendable {
    package let reader: Reader

    package init(_ reader: Reader) { self.reader = reader }
}
