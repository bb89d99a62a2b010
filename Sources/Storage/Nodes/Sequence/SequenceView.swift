import Foundation

/// The elements of a list, or of a set (ascending), to read. Valid as its owner's view is.
package struct SequenceView {
    let root: Node?
    let kind: ValueKind

    package static func empty(_ kind: ValueKind) -> SequenceView {
        SequenceView(root: nil, kind: kind)
    }

    package var count: Int { root.map { SequenceView.count($0) } ?? 0 }

    static func count(_ node: Node) -> Int {
        if MissingNode.isElements(node) { return 0 }
        return node.kind == .chunk
            ? Chunk(node: node).used : SequenceBranch(node: node).elementCount
    }

    /// A leaf to be read, and an element in it.
    private struct Leaf: ~Copyable {
        let hold: NodeHold
        let slot: Int

        var chunk: Chunk { Chunk(node: hold.node) }

        /// The replacement for an element that could not be read.
        static var missing: Leaf {
            Leaf(hold: NodeHold(attached: MissingNode.elements.node), slot: 0)
        }
    }

    private func leaf(_ index: Int) -> Leaf {
        // If keys or values of a map could not be read, their numbers differ.
        guard index >= 0, index < count, var node = root else { return .missing }
        var rest = index
        while node.kind == .sequenceBranch {
            if MissingNode.isElements(node) { return .missing }
            let branch = SequenceBranch(node: node)
            let (child, below) = branch.child(for: rest)
            rest = below
            if node.level == 1 {
                let hold = branch.hold(child, kind.chunkShape)
                return MissingNode.isElements(hold.node) ? .missing : Leaf(hold: hold, slot: rest)
            }
            node = branch.child(child, kind.chunkShape)
        }
        if MissingNode.isElements(node) { return .missing }
        return Leaf(hold: NodeHold(attached: node), slot: rest)
    }

    /// The element at `index`. O(log n).
    package subscript(_ index: Int) -> StoredValue {
        let leaf = leaf(index)
        return leaf.chunk.element(leaf.slot, kind)
    }

    package func int(_ index: Int) -> Int64 {
        let leaf = leaf(index)
        return leaf.chunk.int(leaf.slot)
    }

    package func link(_ index: Int) -> RowKey { RowKey(int(index)) }

    package func string(_ index: Int) -> String {
        let leaf = leaf(index)
        return String(decoding: leaf.chunk.bytes(leaf.slot), as: UTF8.self)
    }

    package func forEach(_ body: (StoredValue) throws -> Void) rethrows {
        _ = try contains { element in
            try body(element)
            return false
        }
    }

    /// Whether `test` is true of one of the elements; it is not called for later ones.
    package func contains(where test: (StoredValue) throws -> Bool) rethrows -> Bool {
        guard let root else { return false }
        return try containsLeaf(root) { chunk in
            for slot in 0..<chunk.used where try test(chunk.element(slot, kind)) { return true }
            return false
        }
    }

    // Unsafe: the bytes are lent while their leaf is held.
    /// The same for a sequence of texts: `test` gets the bytes in place, which it must not keep.
    package func containsText(where test: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let root else { return false }
        return containsLeaf(root) { chunk in
            for slot in 0..<chunk.used where test(chunk.bytes(slot)) { return true }
            return false
        }
    }

    /// Calls `body` with each row of a sequence of links.
    package func forEachLink(_ body: (RowKey) throws -> Void) rethrows {
        guard let root else { return }
        _ = try containsLeaf(root) { chunk in
            for slot in 0..<chunk.used { try body(RowKey(chunk.int(slot))) }
            return false
        }
    }

    private func containsLeaf(_ node: Node, _ test: (Chunk) throws -> Bool) rethrows -> Bool {
        if MissingNode.isElements(node) { return false }
        if node.kind == .chunk { return try test(Chunk(node: node)) }
        let branch = SequenceBranch(node: node)
        for index in 0..<node.count {
            if node.level > 1 {
                if try containsLeaf(branch.child(index, kind.chunkShape), test) { return true }
                continue
            }
            let leaf = branch.hold(index, kind.chunkShape)
            if !MissingNode.isElements(leaf.node), try test(Chunk(node: leaf.node)) { return true }
        }
        return false
    }

    /// Calls `body` with each element and its index. What cannot be read keeps its indexes.
    package func forEachIndexed(_ body: (Int, StoredValue) throws -> Void) rethrows {
        if let root { try forEach(below: root, from: 0, body) }
    }

    private func forEach(
        below node: Node, from first: Int, _ body: (Int, StoredValue) throws -> Void
    ) rethrows {
        if MissingNode.isElements(node) { return }
        if node.kind == .chunk { return try forEach(in: Chunk(node: node), from: first, body) }
        let branch = SequenceBranch(node: node)
        var first = first
        for index in 0..<node.count {
            if node.level > 1 {
                try forEach(below: branch.child(index, kind.chunkShape), from: first, body)
            } else {
                let leaf = branch.hold(index, kind.chunkShape)
                if !MissingNode.isElements(leaf.node) {
                    try forEach(in: Chunk(node: leaf.node), from: first, body)
                }
            }
            first &+= branch.elements(index)
        }
    }

    private func forEach(
        in chunk: Chunk, from first: Int, _ body: (Int, StoredValue) throws -> Void
    ) rethrows {
        for slot in 0..<chunk.used { try body(first &+ slot, chunk.element(slot, kind)) }
    }

    /// The first index that holds `value`. O(n).
    package func firstIndex(of value: StoredValue) -> Int? {
        let count = count
        return (0..<count).first { self[$0] == value }
    }

    /// The index of `value` among ascending elements, or its insertion point. O(log n).
    package func sortedIndex(of value: StoredValue) -> (index: Int, found: Bool) {
        let count = count
        let index = (0..<count).partitioningIndex { !(self[$0] < value) }
        return (index, index < count && !(value < self[index]))
    }
}

/// The entries of a map, keys ascending, to read. Valid as its owner's view is.
package struct MapView {
    let root: Node?
    let kind: ValueKind

    package static func empty(_ kind: ValueKind) -> MapView { MapView(root: nil, kind: kind) }

    package var keys: SequenceView {
        let keys = root?.slot(MapRoot.slotsOffset, 0).node(.sequence(.strings))
        return SequenceView(root: keys, kind: .string)
    }

    package var values: SequenceView {
        let slot = root?.slot(MapRoot.slotsOffset, 1)
        return SequenceView(root: slot?.node(.sequence(kind.chunkShape)), kind: kind)
    }

    package var count: Int { keys.count }

    /// The index of `key`, or its insertion point. O(log n).
    package func index(of key: String) -> (index: Int, found: Bool) {
        keys.sortedIndex(of: .string(key))
    }

    /// Calls `body` with the index, the key and the value of each entry, except those whose key or
    /// value cannot be read.
    package func forEach(_ body: (Int, String, StoredValue) throws -> Void) rethrows {
        var keys = [String?](repeating: nil, count: count)
        self.keys.forEachIndexed { index, key in
            if keys.indices.contains(index), case .string(let text) = key { keys[index] = text }
        }
        try values.forEachIndexed { index, value in
            guard keys.indices.contains(index), let key = keys[index] else { return }
            try body(index, key, value)
        }
    }

    /// The value under `key`, nil when there is none. O(log n).
    package func value(forKey key: String) -> StoredValue? {
        let (index, found) = index(of: key)
        return found ? values[index] : nil
    }
}

/// The node of a map: a slot for its keys and one for its values.
enum MapRoot {
    static let slotsOffset = 24
    static let size = 24 + 2 * 32

    static func make(_ account: Unmanaged<NodeAccount>) -> Node {
        Node.allocate(.map, size: size, account: account)
    }
}

extension Chunk {
    /// Represents a map's value whose object was deleted; no row has this key.
    static var nullLink: Int64 { .min }

    /// The element at `index` of a list leaf.
    func element(_ index: Int, _ kind: ValueKind) -> StoredValue {
        switch kind.layout {
        case .bit: return .bool(int(index) != 0)
        case .integer:
            let value = int(index)
            if kind == .link, value == Chunk.nullLink { return .null }
            return StoredValue(kind, integer: value)
        case .fixed(let width): return StoredValue(kind, fixed: fixed(index, width))
        case .bytes: return StoredValue(kind, bytes: bytes(index))
        }
    }

    // Unsafe: valid as long as the chunk, which has values of this width.
    /// The bytes of the element at `index`.
    func fixed(_ index: Int, _ width: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: data + index &* width, count: width)
    }
}
