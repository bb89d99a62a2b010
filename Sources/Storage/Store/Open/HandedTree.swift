// Unchecked, and safe, because the compiler cannot see where it goes: who opens a store makes one
// engine of what was opened, and nobody else uses the tree.
/// A tree that was replayed, on its way to the one engine that will write it.
struct HandedTree: @unchecked Sendable {
    let tree: WorkingTree
}
