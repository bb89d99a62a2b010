import Synchronization

/// Counts the nodes and bytes that one store has in memory.
///
/// Every node of the store points here, so an account must outlive its nodes: whoever owns a root
/// (a working tree, a snapshot root) also holds the account.
package final class NodeAccount: Sendable {
    private let nodes = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    package init() {}

    package var nodeCount: Int { nodes.load(ordering: .relaxed) }
    package var byteCount: Int { bytes.load(ordering: .relaxed) }

    func add(bytes size: Int) {
        nodes.wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(size, ordering: .relaxed)
    }

    func remove(bytes size: Int) {
        nodes.wrappingSubtract(1, ordering: .relaxed)
        bytes.wrappingSubtract(size, ordering: .relaxed)
    }
}
