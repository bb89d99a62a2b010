package import Storage

/// A long sequence of row keys in pieces, so that an insertion or removal does not move all later
/// keys. Copies share their pieces.
package struct KeyRope: Sequence, Sendable {
    /// None is empty.
    private var pieces: [[RowKey]] = []
    /// How many keys each piece has: together in memory, for finding a position.
    private var counts: [Int] = []
    /// The number of keys.
    package private(set) var count = 0

    private static let pieceSize = 512

    package init(_ keys: some Collection<RowKey> = []) { append(contentsOf: keys) }

    package var keys: [RowKey] {
        var keys: [RowKey] = []
        keys.reserveCapacity(count)
        for piece in pieces { keys.append(contentsOf: piece) }
        return keys
    }

    package func makeIterator() -> FlattenSequence<[[RowKey]]>.Iterator {
        pieces.joined().makeIterator()
    }

    package subscript(position: Int) -> RowKey {
        let (piece, offset) = place(of: position)
        return pieces[piece][offset]
    }

    /// The piece that holds `position`, and where it begins there; after the last key, the end of
    /// the last piece.
    private func place(of position: Int) -> (piece: Int, offset: Int) {
        precondition(position >= 0 && position <= count, "Position \(position) is out of bounds.")
        var offset = position
        for (piece, count) in counts.enumerated() {
            if offset < count { return (piece, offset) }
            offset -= count
        }
        return (pieces.count - 1, counts.last ?? 0)
    }

    /// The keys at ascending positions.
    package func keys(at positions: [Int]) -> [RowKey] {
        var found: [RowKey] = []
        found.reserveCapacity(positions.count)
        var piece = 0
        var start = 0
        for position in positions {
            while position >= start + counts[piece] {
                start += counts[piece]
                piece += 1
            }
            found.append(pieces[piece][position - start])
        }
        return found
    }

    package mutating func append(contentsOf keys: some Collection<RowKey>) {
        var rest = keys[...]
        if let last = counts.last, last < Self.pieceSize {
            let head = rest.prefix(Self.pieceSize - last)
            pieces[pieces.count - 1].append(contentsOf: head)
            counts[counts.count - 1] += head.count
            rest = rest.dropFirst(head.count)
        }
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceSize))
            pieces.append(piece)
            counts.append(piece.count)
            rest = rest.dropFirst(piece.count)
        }
        count += keys.count
    }

    /// Inserts a key, which is at `position` afterwards.
    package mutating func insert(_ key: RowKey, at position: Int) {
        if pieces.isEmpty { return append(contentsOf: CollectionOfOne(key)) }
        let (piece, offset) = place(of: position)
        pieces[piece].insert(key, at: offset)
        counts[piece] += 1
        count += 1
        if counts[piece] > Self.pieceSize * 2 {
            let upper = Array(pieces[piece][Self.pieceSize...])
            pieces[piece].removeSubrange(Self.pieceSize...)
            pieces.insert(upper, at: piece + 1)
            counts[piece] = Self.pieceSize
            counts.insert(upper.count, at: piece + 1)
        }
    }

    package mutating func remove(at position: Int) {
        let (piece, offset) = place(of: position)
        pieces[piece].remove(at: offset)
        counts[piece] -= 1
        count -= 1
        if counts[piece] == 0 {
            pieces.remove(at: piece)
            counts.remove(at: piece)
        }
    }

    /// Removes the last `count` keys, which there must be.
    package mutating func removeLast(_ count: Int) {
        var rest = count
        while rest > 0, let last = counts.last {
            let removed = Swift.min(rest, last)
            pieces[pieces.count - 1].removeLast(removed)
            counts[counts.count - 1] -= removed
            if removed == last {
                pieces.removeLast()
                counts.removeLast()
            }
            rest -= removed
            self.count -= removed
        }
    }

    /// The first `limit` keys.
    package func prefix(_ limit: Int) -> KeyRope {
        var rope = self
        rope.removeLast(Swift.max(0, count - limit))
        return rope
    }

    /// The first position for whose key `comesBefore` is false, in a rope that is partitioned by
    /// it.
    ///
    /// - Complexity: O(log n) calls.
    package func firstPosition(notBefore comesBefore: (RowKey) -> Bool) -> Int {
        let piece = pieces.partition { $0.last.map(comesBefore) ?? true }
        guard piece < pieces.count else { return count }
        return counts[..<piece].reduce(0, +) + pieces[piece].partition(comesBefore)
    }

    /// Where a row is among rows in the order that `precedes` says; nil if it is not there. Its
    /// complexity is O(log n).
    package func position(
        of key: RowKey, inOrder precedes: (RowKey, RowKey) -> Bool
    ) -> Int? {
        let position = firstPosition { precedes($0, key) }
        return position < count && self[position] == key ? position : nil
    }

    /// The positions of the keys among `wanted`, ascending. O(n).
    package func positions(of wanted: Set<RowKey>) -> [Int] {
        if wanted.isEmpty { return [] }
        let few = wanted.count <= 4 ? Array(wanted) : nil
        var found: [Int] = []
        var start = 0
        for piece in pieces {
            for (offset, key) in piece.enumerated()
            where few?.contains(key) ?? wanted.contains(key) {
                found.append(start + offset)
            }
            start += piece.count
        }
        return found
    }
}
