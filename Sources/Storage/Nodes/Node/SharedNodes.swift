/// A type that only reads nodes: a node, or a view of one.
package protocol NodeReading {}

extension Node: NodeReading {}
extension SequenceView: NodeReading {}
extension MapView: NodeReading {}

// Unchecked, because a node is only an address: the invariants make it safe.
/// Immutable nodes that any thread may read.
///
/// Invariants, which the creator ensures. The nodes are not changed: they belong to a captured
/// version, were read from disk, or were created immutable. And the owner of this value retains
/// them, directly or through their owner.
package struct SharedNodes<Reader: NodeReading>: @unchecked Sendable {
    package let reader: Reader

    package init(_ reader: Reader) { self.reader = reader }
}
