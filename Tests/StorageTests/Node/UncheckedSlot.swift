@testable import Storage

// What is read here was made by the test itself.

extension Slot {
    /// The child, whatever it is.
    var node: Node? { node(.any) }
}
