import Synchronization

/// Nodes that were read from disk and that no slot keeps, because the memory budget was spent: the
/// next reader finds them here for a while.
///
/// Each shard goes round its nodes like the hand of a clock and gives up those that nobody asked
/// for since it last came by.
final class NodeCache: Sendable {
    private struct Entry {
        let place: NodePlace
        /// The entry holds one count of it.
        let shared: SharedNodes<Node>
        var isRecent = false

        var node: Node { shared.reader }
    }

    private struct Shard {
        var entries: [Entry] = []
        var indexes: [PageAddress: Int] = [:]
        var hand = 0

        /// The node at `place`, with one count for the caller.
        mutating func find(_ place: NodePlace) -> Node? {
            guard let index = indexes[place.address], entries[index].place == place else {
                return nil
            }
            entries[index].isRecent = true
            let node = entries[index].node
            node.retain()
            return node
        }

        mutating func insert(_ entry: Entry) {
            indexes[entry.place.address] = entries.count
            entries.append(entry)
        }

        /// Takes out the node that was not asked for the longest, as far as the hand knows.
        mutating func evict() -> Node? {
            while !entries.isEmpty {
                if hand >= entries.count { hand = 0 }
                if entries[hand].isRecent {
                    entries[hand].isRecent = false
                    hand += 1
                } else {
                    return remove(hand)
                }
            }
            return nil
        }

        mutating func remove(_ index: Int) -> Node {
            let removed = entries[index]
            indexes[removed.place.address] = nil
            let last = entries.removeLast()
            if index < entries.count {
                entries[index] = last
                indexes[last.place.address] = index
            }
            return removed.node
        }
    }

    /// Shards are classes, because a mutex stays where it is.
    private final class Locked: Sendable {
        let shard = Mutex(Shard())
    }

    private let shards = (0..<8).map { _ in Locked() }

    private func shard(_ place: NodePlace) -> Locked {
        // Neighbours on disk are often read together, by different tasks.
        shards[Int((place.address.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 61)]
    }

    /// The node at `place`, with one count for the caller; nil when it is not here.
    func find(_ place: NodePlace) -> Node? { shard(place).shard.withLock { $0.find(place) } }

    /// Keeps `node`, of which the caller goes on to hold its count, and answers with what is to be
    /// read: another node where a reader of the same place was quicker.
    ///
    /// Nodes are given up as long as `isFull` says so.
    func insert(_ node: Node, _ place: NodePlace, isFull: () -> Bool) -> Node {
        let shard = shard(place)
        while isFull() {
            guard let evicted = shard.shard.withLock({ $0.evict() }) else { break }
            evicted.release()
        }
        let found = shard.shard.withLock { shard in
            if let found = shard.find(place) { return Optional(found) }
            if let index = shard.indexes[place.address] {
                // Left from an attempt to write that failed; its place was written anew.
                shard.remove(index).release()
            }
            node.retain()
            shard.insert(Entry(place: place, shared: SharedNodes(node)))
            return nil
        }
        guard let found else { return node }
        node.release()
        return found
    }

    /// Gives up all nodes.
    func clear() {
        for shard in shards {
            let entries = shard.shard.withLock { shard in
                defer { shard = Shard() }
                return shard.entries
            }
            for entry in entries { entry.node.release() }
        }
    }
}
