/// Walks the leaves of a B+tree, which contains the elements of a list or set in order, or the keys
/// or the values of a dictionary.
///
/// After an error, `next()` continues after the damaged part.
struct RealmListTree {
    static let leafCountMax = 1000

    private struct Level {
        let node: RealmNode
        let total: UInt64
        let start: Int
        /// The first child follows the element with the number of elements per child.
        var next = 1

        /// The total is the last element.
        var end: Int { node.count - 1 }
    }

    private let reader: RealmNodeReader
    private var root: UInt64?
    private var path: [Level] = []
    private var count = 0
    private var isIncomplete = false

    init(root: UInt64?, _ reader: RealmNodeReader) {
        self.root = root
        self.reader = reader
    }

    /// The number of elements according to an inner root; nil if the root is a leaf.
    static func count(
        _ root: UInt64, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> Int? {
        let header = try reader.header(root, "a list")
        guard header.isInner else { return nil }
        let level = try RealmListTree(root: nil, reader).level(root, header)
        return Int(clamping: level.total)
    }

    /// The ref and the header of the next leaf.
    mutating func next() throws(RealmFileError) -> (ref: UInt64, header: RealmNodeHeader)? {
        do throws(RealmFileError) {
            return try advance()
        } catch {
            isIncomplete = true
            throw error
        }
    }

    /// Records the number of elements of the last returned leaf; nil if it cannot be read.
    mutating func took(_ elements: Int?) {
        count += elements ?? 0
        if elements == nil { isIncomplete = true }
    }

    private mutating func advance() throws(RealmFileError) -> (UInt64, RealmNodeHeader)? {
        if let root {
            self.root = nil
            if let leaf = try enter(root) { return leaf }
        }
        while let level = path.last {
            guard level.next < level.end else {
                path.removeLast()
                try checkEnd(of: level)
                continue
            }
            path[path.count - 1].next += 1
            let child = try reader.ref(level.node, level.next, "a part of a list")
            if let leaf = try enter(child) { return leaf }
        }
        return nil
    }

    private func checkEnd(of level: Level) throws(RealmFileError) {
        guard isIncomplete || UInt64(count - level.start) == level.total else {
            throw reader.damaged(
                level.node.offset,
                "there are \(count - level.start) elements in place of \(level.total)")
        }
    }

    private mutating func enter(_ ref: UInt64) throws(RealmFileError) -> (UInt64, RealmNodeHeader)?
    {
        let header = try reader.header(ref, "a part of a list")
        guard header.isInner else { return (ref, header) }
        path.append(try level(ref, header))
        return nil
    }

    private func level(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> Level {
        let offset = Int(ref)
        guard path.count < RealmTreeDepth.max else {
            throw reader.damaged(offset, "the tree of a list is too deep")
        }
        guard header.hasRoomForRefs, header.count > 2 else {
            throw reader.damaged(offset, "an inner node of a list is incomplete")
        }
        let node = try reader.node(ref, header)
        guard case .tagged(let total) = node.element(at: node.count - 1) else {
            throw reader.damaged(offset, "an inner node of a list has no count of elements")
        }
        return Level(node: node, total: total, start: count)
    }
}
