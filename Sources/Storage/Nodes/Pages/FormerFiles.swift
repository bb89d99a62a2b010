/// Page files of transactions that were rolled back, whose numbers another process may give again:
/// open for the versions that were frozen inside those transactions.
///
/// A node that is not in the file by its segment's number is looked for here. The salt of a file
/// goes into the hashes of its nodes, so that none is taken for that of another file.
struct FormerFiles {
    private struct Entry {
        let index: PageIndex
        let open: PageStore.OpenFile
        /// The captures that may lead there.
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

    /// Takes out those that no version needs which is held.
    mutating func takeClosable(_ account: NodeAccount) -> [PageStore.OpenFile] {
        let closable = entries.filter { !account.holdsCapture(in: $0.captures) }
        entries.removeAll { !account.holdsCapture(in: $0.captures) }
        return closable.map(\.open)
    }
}
