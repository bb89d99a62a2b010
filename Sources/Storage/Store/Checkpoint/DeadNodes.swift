/// Determines how much of an old tree a new one does not use any more.
struct DeadNodes {
    let pages: PageStore
    let account: NodeAccount
    /// By segment.
    private(set) var bytes: [PageIndex: Int] = [:]
    private let visits: NodeVisits

    init(pages: PageStore, account: NodeAccount) {
        self.pages = pages
        self.account = account
        visits = NodeVisits(pages)
    }

    /// Counts the nodes at and below `place`, leaving out those in `kept` with all below them. With
    /// `readsAll`, also reads, and thereby verifies, those that have no children. `pace` is called
    /// before each, and may end it.
    mutating func count(
        below place: NodePlace, except kept: Set<PageAddress>, readsAll: Bool = false,
        pace: () throws(StorageError) -> Void = {}
    ) throws(StorageError) {
        var stack = [place]
        while let place = stack.popLast() {
            try pace()
            if kept.contains(place.address) { continue }
            try visits.require(place)
            bytes[place.address.segment, default: 0] += Int(place.length)
            guard place.hasSlots || readsAll else { continue }
            let node = try pages.load(place, account: .passUnretained(account))
            if place.hasSlots {
                node.forEachSlot { slot in
                    if let child = slot.storedPlace { stack.append(child) }
                }
            }
            node.release()
        }
    }
}
