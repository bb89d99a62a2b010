@testable import Storage

// Only nodes that the test itself has created are read.

extension Slot {
    /// The child, whatever it is.
    var node: Node? { node(.any) }
}
