extension Cluster {
    /// A retained cluster for a reader that continues to read the row at `slot` when no snapshot
    /// has it any more.
    ///
    /// Columns that are not entirely in memory are left out, and read as zero or empty: the page
    /// files may soon lose what no snapshot uses.
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

    /// Whether a column of a row can be read without the disk.
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
    /// Whether everything below this slot is in memory.
    fileprivate var isWhollyInMemory: Bool {
        if isEmpty { return true }
        guard let node = resident else { return false }
        var isWhole = true
        node.forEachSlot { if isWhole, !$0.isWhollyInMemory { isWhole = false } }
        return isWhole
    }
}

extension RowHold {
    /// A placeholder for a missing row: all values read as zero, null or empty.
    package static var missing: RowHold {
        RowHold(borrowing: RowLocation(cluster: MissingNode.rows, slot: 0))
    }
}
