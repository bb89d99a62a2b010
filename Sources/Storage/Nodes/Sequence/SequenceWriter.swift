import Foundation

/// Edits one list, through the slot of its root.
///
/// The node of the slot must be uniquely owned. Unlike the chunks of clusters, leaves are never
/// appended to while shared: readers take their count from the leaf itself. Nodes that cannot be
/// read are left unchanged; an index that was computed without their elements may be out of range.
struct SequenceWriter {
    let slot: Slot
    let kind: ValueKind
    // Unowned: the working tree retains the account.
    let account: Unmanaged<NodeAccount>

    static let leafMax = Chunk.elementsMax

    private var shape: ChunkShape { kind.chunkShape }

    var view: SequenceView { SequenceView(root: slot.node(.sequence(shape)), kind: kind) }

    func insert(_ value: StoredValue, at index: Int) {
        guard let root = slot.uniqueNode(.sequence(shape)) else {
            guard slot.isEmpty else { return }
            let leaf = makeLeaf()
            slot.put(leaf.node)
            write(value, at: 0, in: slot)
            return
        }
        guard let sibling = insert(value, at: index, in: slot, .sequence(shape)) else { return }
        let level = root.kind == .chunk ? 1 : Int(root.level) + 1
        let parent = SequenceBranch.make(level: level, account: account)
        parent.insert(slot.take(.sequence(shape)).unsafelyUnwrapped, at: 0)
        parent.insert(sibling, at: 1)
        slot.put(parent.node)
    }

    private func insert(
        _ value: StoredValue, at index: Int, in slot: Slot, _ demand: NodeDemand
    ) -> Node? {
        guard let node = slot.uniqueNode(demand) else { return nil }
        if node.kind == .chunk { return insertLeaf(value, at: index, in: slot) }
        let branch = SequenceBranch(node: node)
        let (child, rest) = branch.child(for: index)
        let sibling = insert(
            value, at: rest, in: branch.slot(child), branch.demand(child, shape))
        if let below = branch.slot(child).resident {
            branch.setElements(child, SequenceView.count(below))
        }
        guard let sibling else { return nil }
        if node.count < SequenceBranch.fanOut {
            branch.insert(sibling, at: child + 1)
            return nil
        }
        let atEnd = child == node.count - 1
        let other = branch.split(at: atEnd ? node.count : node.count / 2, shape)
        if child + 1 > node.count || atEnd {
            other.insert(sibling, at: child + 1 - node.count)
        } else {
            branch.insert(sibling, at: child + 1)
        }
        return other.node
    }

    private func insertLeaf(_ value: StoredValue, at index: Int, in slot: Slot) -> Node? {
        let count = Chunk(node: slot.resident.unsafelyUnwrapped).used
        let index = min(index, count)
        if count < Self.leafMax {
            place(value, at: index, in: slot)
            return nil
        }
        // A full leaf that is appended to stays full; one that is inserted into is halved.
        let middle = index == count ? count : count / 2
        let leaf = Chunk(node: slot.resident.unsafelyUnwrapped)
        let holder = Node.allocate(.map, size: MapRoot.size, account: account)
        let other = holder.slot(MapRoot.slotsOffset, 0)
        other.put(middle == count ? makeLeaf().node : leaf.copyRange(middle..<count).node)
        if middle < count {
            slot.replace(with: leaf.copyRange(0..<middle).node)
        }
        if index > middle || middle == count {
            place(value, at: index - middle, in: other)
        } else {
            place(value, at: index, in: slot)
        }
        let sibling = other.take(.any)
        holder.release()
        return sibling
    }

    /// Appends to the leaf and rotates the element to its index.
    private func place(_ value: StoredValue, at index: Int, in slot: Slot) {
        let count = Chunk(node: slot.resident.unsafelyUnwrapped).used
        write(value, at: count, in: slot)
        Chunk(node: slot.resident.unsafelyUnwrapped).rotate(last: count, to: index)
    }

    func set(_ value: StoredValue, at index: Int) {
        var slot = slot
        var rest = index
        var demand = NodeDemand.sequence(shape)
        while let node = slot.uniqueNode(demand), node.kind == .sequenceBranch {
            let branch = SequenceBranch(node: node)
            let (child, below) = branch.child(for: rest)
            rest = below
            slot = branch.slot(child)
            demand = branch.demand(child, shape)
        }
        guard let leaf = slot.resident, rest < Chunk(node: leaf).used else { return }
        write(value, at: rest, in: slot)
    }

    func remove(at index: Int) {
        guard remove(at: index, in: slot, .sequence(shape)), let root = slot.resident else {
            return
        }
        if SequenceView.count(root) == 0 {
            slot.replace(with: nil)
        } else if root.kind == .sequenceBranch, root.count == 1 {
            let branch = SequenceBranch(node: root)
            slot.replace(with: branch.slot(0).take(branch.demand(0, shape)))
        }
    }

    /// Removes below `slot`; false when there is nothing that can be.
    private func remove(at index: Int, in slot: Slot, _ demand: NodeDemand) -> Bool {
        guard let node = slot.uniqueNode(demand) else { return false }
        if node.kind == .chunk {
            let leaf = Chunk(node: node)
            guard index < leaf.used else { return false }
            leaf.removeElement(index)
            return true
        }
        let branch = SequenceBranch(node: node)
        let (child, rest) = branch.child(for: index)
        guard remove(at: rest, in: branch.slot(child), branch.demand(child, shape)) else {
            return false
        }
        let count = branch.elements(child) - 1
        if count == 0 { branch.remove(child) } else { branch.setElements(child, count) }
        return true
    }

    func removeAll() { slot.replace(with: nil) }

    private func makeLeaf() -> Chunk {
        switch kind.layout {
        case .bit, .integer:
            Chunk.make(.integers, width: 1, capacity: 8, account: account)
        case .fixed(let width): Chunk.make(.fixed, width: width, capacity: 8, account: account)
        case .bytes:
            Chunk.make(.strings, width: StringView.size, capacity: 8, account: account)
        }
    }

    /// Writes an element of the leaf in `slot`, which belongs to the writer.
    private func write(_ value: StoredValue, at index: Int, in slot: Slot) {
        ChunkCell(slot: slot, shape: shape, count: 0, account: account)
            .setElement(index, value, kind)
    }
}

extension ChunkCell {
    /// Writes an element of a list leaf; its kind must be that of the leaf.
    func setElement(_ index: Int, _ value: StoredValue, _ kind: ValueKind) {
        precondition(
            kind == .mixed || value.kind == kind || kind == .link && value.isNull,
            "A \(kind) element cannot hold \(value)")
        switch kind.layout {
        case .bit, .integer: setInt(index, value.integer ?? Chunk.nullLink)
        // Unsafe: lent for the calls, which copy the bytes.
        case .fixed: _ = value.withFixedBytes { setFixed(index, bytes: $0) }
        case .bytes: _ = value.withBytes(in: kind) { setBytes(index, $0) }
        }
    }
}

extension Chunk {
    /// Moves the last element, at `last`, to `index`.
    func rotate(last: Int, to index: Int) {
        guard index < last else { return }
        let width = width
        let at = data + index * width
        // Unsafe: the buffer holds one element and is written first; the other copies end with the
        // element at `last`, which the chunk has.
        withUnsafeTemporaryAllocation(byteCount: width, alignment: 16) { buffer in
            let element = buffer.baseAddress.unsafelyUnwrapped
            element.copyMemory(from: data + last * width, byteCount: width)
            (at + width).copyMemory(from: at, byteCount: (last - index) * width)
            at.copyMemory(from: element, byteCount: width)
        }
    }

    func removeElement(_ index: Int) {
        if form == .strings { dropBlob(index) }
        let at = data + index * width
        at.copyMemory(from: at + width, byteCount: (used - index - 1) * width)
        used -= 1
    }

    /// A new chunk with the elements of `range`; long values are shared with it.
    func copyRange(_ range: Range<Int>) -> Chunk {
        let capacity = Chunk.capacity(for: range.count + 1)
        var heap = 0
        if form == .strings {
            for index in range { heap += StringView.heapSize(of: stringView(index).length) }
        }
        let copy = Chunk.make(
            form, width: width, capacity: capacity, heap: heap, account: node.account)
        copy.base = base
        copy.used = range.count
        if form == .strings {
            for (target, index) in range.enumerated() {
                if stringView(index).length > StringView.heapMax {
                    copy.shareBlob(target, with: self, index)
                } else {
                    copy.storeBytes(target, bytes(index))
                }
            }
        } else {
            copy.data.copyMemory(
                from: data + range.lowerBound * width, byteCount: range.count * width)
        }
        return copy
    }
}
