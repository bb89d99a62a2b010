/// Page files of rolled back transactions, whose numbers another process may reuse: kept open for
/// snapshots that were frozen inside those transactions.
///
/// A node that is not in the current file of its segment's number is looked up here. The salt of a
/// file is part of the hashes of its nodes, so no node is mistaken for that of another file.
struct FormerFiles {
    private struct Entry {
        let index: PageIndex
        let open: PageStore.OpenFile
        /// The snapshots that may refer to it.
        let captures: Range<UInt64>
    }

    private var entries: [Entry] = []

    mutating func add(_ index: PageIndex, _ open: PageStore.OpenFile, for captures: Range<UInt64>) {
        entries.append(Entry(index: index, open: open, captures: captures))
    }

    /// The files that had the number.
    func files(of index: PageIndex) -> [PageStore.OpenFile] {
        entries.filter { $0.index == index }.map(\.open)
    }

    /// Removes the files that no snapshot needs.
    mutating func takeClosable(_ account: NodeAccount) -> [PageStore.OpenFile] {
        let closable = entries.filter { !account.holdsCapture(in: $0.captures) }
        entries.removeAll { !account.holdsCapture(in: $0.captures) }
        return closable.map(\.open)
    }
}
