extension Cluster {
    /// What is left of this cluster for a reader that goes on reading the row at `slot` when no
    /// version has it any more, with a count for the caller.
    ///
    /// Columns of which something is only on disk are left out, and read as zero or empty: the page
    /// files need not have for much longer what no version uses.
    package func kept(forRow slot: Int) -> Cluster {
        let missing = (0..<columnCount).filter { !hasInMemory($0, slot) }
        if missing.isEmpty {
            node.retain()
            return self
        }
        let copy = Cluster(node: node.clone())
        for column in missing { copy.cell(column).replace(with: nil) }
        return copy
    }

    /// Whether reading a column of a row takes nothing from disk.
    private func hasInMemory(_ column: Int, _ slot: Int) -> Bool {
        let cell = cell(column)
        if cell.isEmpty { return true }
        guard let node = cell.resident else { return false }
        let chunk = Chunk(node: node)
        switch chunk.form {
        case .integers, .fixed: return true
        case .strings:
            let view = chunk.stringView(slot)
            guard view.length > StringView.heapMax else { return true }
            return view.blobSlot(heap: UnsafeRawPointer(chunk.heap)).isWhollyInMemory
        case .slots: return chunk.slot(slot).isWhollyInMemory
        }
    }
}

extension Slot {
    /// Whether nothing below this slot is only on disk.
    fileprivate var isWhollyInMemory: Bool {
        if isEmpty { return true }
        guard let node = resident else { return false }
        var isWhole = true
        node.forEachSlot { if isWhole, !$0.isWhollyInMemory { isWhole = false } }
        return isWhole
    }
}

extension RowHold {
    /// Stands for a row that is not there: everything reads as zero, as null, as empty.
    package static var missing: RowHold {
        RowHold(borrowing: RowLocation(cluster: MissingNode.rows, slot: 0))
    }
}
