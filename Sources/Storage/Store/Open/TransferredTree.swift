// Unchecked, because the compiler cannot follow the transfer. Safe: the opened store is used to
// create one engine, and nothing else uses the tree.
/// A replayed tree that is transferred to the one engine that will write it.
struct TransferredTree: @unchecked Sendable {
    let tree: WorkingTree
}
