/// The ownership of embedded rows.
extension StoreVerifier {
    /// Reports each row of an embedded class that has no parent, or several. Not possible if
    /// backlinks cannot be followed.
    func checkOwnership(_ id: ClassID) throws(CancellationError) {
        let links = schema.incoming(id)
        guard links.allSatisfy({ soundIndexes.contains($0) }) else { return }
        let view = snapshot.view
        var clusters = view.classView(id).makeClusterIterator()
        while let cluster = clusters.next() {
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                let row = cluster.key(slot)
                let parents = links.reduce(0) {
                    $0 + view.backlinks(to: row, origin: $1.origin, column: $1.column).count
                }
                if parents == 1 { continue }
                tally.note(
                    .ownership, StoreProblem.Place(id).at(row: row),
                    "an embedded row has \(parents == 0 ? "no parent" : "\(parents) parents")")
            }
            try tally.advance(0)
        }
    }
}
