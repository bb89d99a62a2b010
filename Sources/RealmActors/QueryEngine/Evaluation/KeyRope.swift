package import Storage

/// A long sequence of row keys in pieces, so that an insertion or removal does not move all later
/// keys. Copies share their pieces.
package struct KeyRope: Sequence, Sendable {
    /// None is empty.
    private var pieces: [[RowKey]] = []
    /// The position after the last key of each piece: contiguous in memory, for a binary search.
    private var ends: [Int] = []

    private static let pieceSize = 512

    package init(_ keys: some Collection<RowKey> = []) { append(contentsOf: keys) }

    /// The number of keys.
    package var count: Int { ends.last ?? 0 }

    package var keys: [RowKey] {
        var keys: [RowKey] = []
        keys.reserveCapacity(count)
        for piece in pieces { keys.append(contentsOf: piece) }
        return keys
    }

    package func makeIterator() -> FlattenSequence<[[RowKey]]>.Iterator {
        pieces.joined().makeIterator()
    }

    /// The key at a position. O(log n).
    package subscript(position: Int) -> RowKey {
        let (piece, offset) = place(of: position)
        return pieces[piece][offset]
    }

    /// The piece that contains `position`, and the offset in it; after the last key, the end of the
    /// last piece.
    private func place(of position: Int) -> (piece: Int, offset: Int) {
        precondition(position >= 0 && position <= count, "Position \(position) is out of bounds.")
        let piece = Swift.min(ends.partition { $0 <= position }, pieces.count - 1)
        return (piece, position - start(of: piece))
    }

    /// The position of the first key of a piece.
    private func start(of piece: Int) -> Int { piece > 0 ? ends[piece - 1] : 0 }

    /// Notes that a piece has gained or lost keys, which moves the later ones.
    private mutating func resize(_ piece: Int, by change: Int) {
        for later in piece..<ends.count { ends[later] += change }
    }

    /// The keys at ascending positions.
    package func keys(at positions: [Int]) -> [RowKey] {
        var found: [RowKey] = []
        found.reserveCapacity(positions.count)
        var piece = 0
        for position in positions {
            while position >= ends[piece] { piece += 1 }
            found.append(pieces[piece][position - start(of: piece)])
        }
        return found
    }

    package mutating func append(contentsOf keys: some Collection<RowKey>) {
        var rest = keys[...]
        if let last = pieces.last?.count, last < Self.pieceSize {
            let head = rest.prefix(Self.pieceSize - last)
            pieces[pieces.count - 1].append(contentsOf: head)
            ends[ends.count - 1] += head.count
            rest = rest.dropFirst(head.count)
        }
        while !rest.isEmpty {
            let piece = Array(rest.prefix(Self.pieceSize))
            ends.append(count + piece.count)
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
    }

    /// Inserts a key, which is at `position` afterwards.
    package mutating func insert(_ key: RowKey, at position: Int) {
        if pieces.isEmpty { return append(contentsOf: CollectionOfOne(key)) }
        let (piece, offset) = place(of: position)
        pieces[piece].insert(key, at: offset)
        resize(piece, by: 1)
        if pieces[piece].count > Self.pieceSize * 2 {
            let upper = Array(pieces[piece][Self.pieceSize...])
            pieces[piece].removeSubrange(Self.pieceSize...)
            pieces.insert(upper, at: piece + 1)
            ends.insert(ends[piece] - upper.count, at: piece)
        }
    }

    package mutating func remove(at position: Int) {
        let (piece, offset) = place(of: position)
        pieces[piece].remove(at: offset)
        resize(piece, by: -1)
        if pieces[piece].isEmpty {
            pieces.remove(at: piece)
            ends.remove(at: piece)
        }
    }

    /// Removes the last `count` keys, which there must be.
    package mutating func removeLast(_ count: Int) {
        var rest = count
        while rest > 0, let last = pieces.last?.count {
            let removed = Swift.min(rest, last)
            pieces[pieces.count - 1].removeLast(removed)
            ends[ends.count - 1] -= removed
            if removed == last {
                pieces.removeLast()
                ends.removeLast()
            }
            rest -= removed
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
        return start(of: piece) + pieces[piece].partition(comesBefore)
    }

    /// The position of a row among rows that `precedes` orders; nil if it is not there. O(log n).
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
