import Synchronization

/// The cache of nodes that were read from disk and could not be attached, because the memory budget
/// was spent.
///
/// Each shard evicts by the clock algorithm.
final class NodeCache: Sendable {
    private struct Entry {
        let place: NodePlace
        /// Retained by the entry.
        let shared: SharedNodes<Node>
        var isRecent = false

        var node: Node { shared.reader }
    }

    private struct Shard {
        var entries: [Entry] = []
        var indexes: [PageAddress: Int] = [:]
        var hand = 0

        /// The node at `place`, retained for the caller.
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

        /// Removes the next node that was not used since the hand last passed it.
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

    /// Shards are classes, because a mutex cannot be moved.
    private final class Locked: Sendable {
        let shard = Mutex(Shard())
    }

    private let shards = (0..<8).map { _ in Locked() }

    private func shard(_ place: NodePlace) -> Locked {
        // A multiplicative hash, since neighbours on disk are often read together, by different
        // tasks.
        shards[Int((place.address.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 61)]
    }

    /// The node at `place`, retained for the caller; nil if it is not cached.
    func find(_ place: NodePlace) -> Node? { shard(place).shard.withLock { $0.find(place) } }

    /// Caches `node`, which the caller keeps retaining, and returns the node to use: another one if
    /// a concurrent reader of the same place was first.
    ///
    /// Evicts nodes while `isFull` is true.
    func insert(_ node: Node, _ place: NodePlace, isFull: () -> Bool) -> Node {
        let shard = shard(place)
        while isFull() {
            guard let evicted = shard.shard.withLock({ $0.evict() }) else { break }
            evicted.release()
        }
        let found = shard.shard.withLock { shard in
            if let found = shard.find(place) { return Optional(found) }
            if let index = shard.indexes[place.address] {
                // A stale node: after a failed write, its place was written again.
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

    /// Releases all nodes.
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
