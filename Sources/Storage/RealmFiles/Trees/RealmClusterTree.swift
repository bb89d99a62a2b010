/// Walks the leaves of a cluster tree, which contains the objects of a table by their keys, or,
/// until format 22, the entries of a dictionary by their hashes. Keys are relative: those of a leaf
/// are offsets from the sum of the offsets on the path to it.
///
/// After an error, `next()` continues after the damaged part.
struct RealmClusterTree {
    /// The contents of a tree.
    enum Contents {
        /// Their keys have 63 bits.
        case objects
        /// The second of two keys with the same hash is after all others, with a number whose
        /// highest bit is set.
        case entries

        fileprivate var keyMax: UInt64 {
            switch self {
            case .objects: UInt64(Int64.max)
            case .entries: .max
            }
        }
    }

    /// A leaf, and the keys of its objects.
    struct Leaf: Sendable {
        static let countMax = 256

        let node: RealmNode
        /// For entries, the bits of their hashes.
        let keys: [Int64]
    }

    private struct Level {
        let node: RealmNode
        /// Nil if keys are determined by the depth.
        let offsets: RealmNode?
        /// The number of keys per child, without offsets.
        let stride: UInt64
        let base: UInt64
        let total: UInt64
        /// The number of objects before this node.
        let start: Int
        var next = 0

        /// The number of elements before the refs of children.
        static let head = 3
        var childCount: Int { node.count - Self.head }
    }

    private let reader: RealmNodeReader
    private let keyMax: UInt64
    private var root: UInt64?
    private var path: [Level] = []
    private var lastKey: UInt64?
    private var count = 0
    /// Whether a part was skipped, so that counts cannot match.
    private var isIncomplete = false

    init(root: UInt64, of contents: Contents, _ reader: RealmNodeReader) {
        self.root = root
        self.reader = reader
        keyMax = contents.keyMax
    }

    /// The number of objects or entries according to the root.
    static func count(
        _ root: UInt64, of contents: Contents, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> Int {
        let node = try reader.refs(root, "a cluster")
        if node.header.isInner { return Int(clamping: try total(node, reader)) }
        let tree = RealmClusterTree(root: root, of: contents, reader)
        return try tree.keys(of: node, base: 0).count
    }

    mutating func next() throws(RealmFileError) -> Leaf? {
        do throws(RealmFileError) {
            return try advance()
        } catch {
            isIncomplete = true
            throw error
        }
    }

    private mutating func advance() throws(RealmFileError) -> Leaf? {
        if let root {
            self.root = nil
            if let leaf = try enter(root, base: 0) { return leaf }
        }
        while let level = path.last {
            guard level.next < level.childCount else {
                path.removeLast()
                try checkEnd(of: level)
                continue
            }
            path[path.count - 1].next += 1
            let child = try reader.ref(level.node, Level.head + level.next, "a cluster")
            if let leaf = try enter(child, base: try base(of: level)) { return leaf }
        }
        return nil
    }

    /// The base of the keys of the next child.
    private func base(of level: Level) throws(RealmFileError) -> UInt64 {
        let offset: (partialValue: UInt64, overflow: Bool) =
            if let offsets = level.offsets {
                (offsets.unsigned(at: level.next), false)
            } else {
                level.stride.multipliedReportingOverflow(by: UInt64(level.next))
            }
        let sum = level.base.addingReportingOverflow(offset.partialValue)
        guard !offset.overflow, !sum.overflow, sum.partialValue <= keyMax else {
            throw reader.damaged(level.node.offset, "the keys of objects are too large")
        }
        return sum.partialValue
    }

    private func checkEnd(of level: Level) throws(RealmFileError) {
        guard isIncomplete || UInt64(count - level.start) == level.total else {
            throw reader.damaged(
                level.node.offset,
                "there are \(count - level.start) objects in place of \(level.total)")
        }
    }

    /// Returns a leaf; an inner node is added to the path.
    private mutating func enter(_ ref: UInt64, base: UInt64) throws(RealmFileError) -> Leaf? {
        let node = try reader.refs(ref, "a cluster")
        if node.header.isInner {
            path.append(try level(node, base: base))
            return nil
        }
        let keys = try keys(of: node, base: base)
        if let first = keys.first, let lastKey, first <= lastKey {
            throw reader.damaged(node.offset, "the keys of objects are out of order")
        }
        lastKey = keys.last ?? lastKey
        count += keys.count
        return Leaf(node: node, keys: keys.map { Int64(bitPattern: $0) })
    }

    private func level(_ node: RealmNode, base: UInt64) throws(RealmFileError) -> Level {
        guard path.count < RealmTreeDepth.max else {
            throw reader.damaged(node.offset, "the tree of objects is too deep")
        }
        let total = try Self.total(node, reader)
        guard case .tagged(let depth) = node.element(at: 1), node.count > Level.head,
            node.header.hasRoomForRefs
        else {
            throw reader.damaged(node.offset, "a node of clusters is incomplete")
        }
        let offsets: RealmNode?
        if case .ref(let ref) = node.element(at: 0) {
            offsets = try reader.integers(
                ref, count: node.count - Level.head, "the keys of clusters")
        } else {
            offsets = nil
            guard (1...7).contains(depth) else {
                throw reader.damaged(node.offset, "clusters of depth \(depth) without keys")
            }
        }
        return Level(
            node: node, offsets: offsets, stride: depth < 8 ? 1 << (8 * depth) : 0, base: base,
            total: total, start: count)
    }

    private static func total(
        _ node: RealmNode, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> UInt64 {
        guard case .tagged(let total) = node.element(at: 2) else {
            throw reader.damaged(node.offset, "a node of clusters has no count of objects")
        }
        return total
    }

    private func keys(of node: RealmNode, base: UInt64) throws(RealmFileError) -> [UInt64] {
        switch node.element(at: 0) {
        case .none:
            throw reader.damaged(node.offset, "a cluster has no keys")
        case .tagged(let count):
            guard count <= Leaf.countMax, base <= keyMax - count else {
                throw reader.damaged(node.offset, "a cluster of \(count) objects")
            }
            return (0..<count).map { base + $0 }
        case .ref(let ref):
            let node = try reader.integers(ref, "the keys of a cluster")
            guard node.count <= Leaf.countMax else {
                throw reader.damaged(node.offset, "a cluster of \(node.count) objects")
            }
            return try keys(node, base: base)
        }
    }

    private func keys(_ node: RealmNode, base: UInt64) throws(RealmFileError) -> [UInt64] {
        var keys: [UInt64] = []
        keys.reserveCapacity(node.count)
        for index in 0..<node.count {
            let (key, overflow) = base.addingReportingOverflow(node.unsigned(at: index))
            guard !overflow, key <= keyMax, keys.last.map({ $0 < key }) ?? true else {
                throw reader.damaged(
                    node.offset, "the keys of objects are too large, or out of order")
            }
            keys.append(key)
        }
        return keys
    }
}
