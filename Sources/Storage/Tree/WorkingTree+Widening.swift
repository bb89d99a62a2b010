extension WorkingTree {
    /// Puts the rows that are already there into the indexes of columns that came after `old`.
    func indexAddedColumns(since old: StoreSchema) {
        for (state, before) in zip(states, old.classes) {
            let indexed = (before.columns.count..<state.schema.columns.count)
                .filter { state.schema.columns[$0].isIndexed }
            if indexed.isEmpty { continue }
            // Unsafe: the root keeps its clusters while the loop only collects entries.
            let root = uniqueRoot(state.id)
            var clusters = ClassView(root: root, id: state.id, schema: schema)
                .makeClusterIterator()
            while let cluster = clusters.next() {
                for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                    let location = RowLocation(cluster: cluster, slot: slot)
                    for column in indexed {
                        addEntry(state, cluster.key(slot), column, location)
                    }
                }
            }
        }
        settle()
    }
}
