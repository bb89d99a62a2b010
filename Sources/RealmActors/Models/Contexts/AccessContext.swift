package import Storage

/// The source that accessors read from: a frozen version, a live view, or a key path being traced.
///
/// Confined to the isolation of the accessors that refer to it; ``FrozenContext`` is immutable and
/// so shared freely.
@usableFromInline
package class AccessContext {
    /// The models of the open realm.
    package final let models: ModelMap

    /// Connects live objects to Observation; only live realms have it, a transaction's objects end
    /// with it.
    @exclusivity(unchecked) package final var observation: ObservationHub?
    // Safety: unchecked exclusivity is safe, because each access is one load or one store.
    @exclusivity(unchecked) fileprivate final var storedGraph: ObjectGraph?

    /// The error of a context without contents, for a class that the realm was opened without.
    package final let absence: RealmError?
    /// Whether the context has no contents. Stored, because comparing the error with nil copies it,
    /// which costs measurably in look-ups.
    package final let isAbsent: Bool

    package init(models: ModelMap, absence: RealmError? = nil) {
        self.models = models
        self.absence = absence
        isAbsent = absence != nil
    }

    /// The present tree of this context.
    package var view: TreeView { preconditionFailure("Every context overrides its view.") }
}

extension LiveContext {
    /// The row with `key` in the present tree. Unlike ``view``, it does not sort pending index
    /// entries into the tree of a write.
    func locate(_ id: ClassID, _ key: RowKey) -> RowHold? {
        // Unsafe: the context keeps its tree through the call.
        if let borrowedTree { return borrowedTree.takeUnretainedValue().locate(id, key) }
        return view.classView(id).locate(key)
    }

    /// The rows of a class in the present tree, without their indexes.
    func rows(_ id: ClassID) -> ClassView {
        tree?.rows(id) ?? view.classView(id)
    }

    /// The graph that adds objects to this context.
    var graph: ObjectGraph {
        if let graph = storedGraph { return graph }
        let graph = ObjectGraph(self)
        storedGraph = graph
        return graph
    }
}
