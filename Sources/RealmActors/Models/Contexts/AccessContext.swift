package import Storage

/// What accessors read from: a frozen version, a live view, or a key path being traced.
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

    /// Why there is nothing to read here: a class that the realm was opened without.
    package final let absence: RealmError?
    /// Whether there is nothing to read here. Stored, because comparing the error with nil copies
    /// it, which costs measurably in look-ups.
    package final let isAbsent: Bool

    package init(models: ModelMap, absence: RealmError? = nil) {
        self.models = models
        self.absence = absence
        isAbsent = absence != nil
    }

    /// The tree as this context sees it now.
    package var view: TreeView { preconditionFailure("Every context overrides its view.") }
}

extension LiveContext {
    /// The row with `key` as this context sees it now. Within a write it leaves pending index
    /// entries alone, which the whole view would sort in first.
    func locate(_ id: ClassID, _ key: RowKey) -> RowHold? {
        // Unsafe: the context keeps its tree through the call.
        if let borrowedTree { return borrowedTree.takeUnretainedValue().locate(id, key) }
        return view.classView(id).locate(key)
    }

    /// The rows of a class as this context sees them now, without their indexes.
    func rows(_ id: ClassID) -> ClassView {
        tree?.rows(id) ?? view.classView(id)
    }

    /// What adds objects to this context.
    var graph: ObjectGraph {
        if let graph = storedGraph { return graph }
        let graph = ObjectGraph(self)
        storedGraph = graph
        return graph
    }
}
