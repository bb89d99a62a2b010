import Foundation

// Safety: a chunk is read only after its node was found to be as large as its fields say, and only
// up to the slots of its cluster; the bytes of a view are read after they were found to be within
// the heap or the blob.

/// The columns of a cluster.
extension StoreVerifier {
    /// Checks one column: bits, chunk, values. `mayChange`: a writer may be appending to the chunk.
    func checkColumn(
        _ cluster: Cluster, _ column: Int, mayChange: Bool, _ walk: RowWalk
    ) throws(CancellationError) {
        let schema = walk.columns[column]
        let place = StoreProblem.Place(walk.classID, column, row: RowKey(cluster.firstKey))
        checkBits(cluster, column, schema, place)
        tally.counts.values += cluster.slotCount
        let cell = cluster.cell(column)
        if cell.isEmpty { return }
        let shape = schema.chunkShape
        if shape == .none { return damaged(place, "a column of bits has a chunk") }
        let demand = NodeDemand.chunk(shape, count: cluster.slotCount)
        guard let node = child(cell, demand, [.chunk], place) else { return }
        let chunk = Chunk(node: node)
        guard
            checkChunk(
                chunk, shape, count: cluster.slotCount, mayChange: mayChange, place)
        else { return }
        switch schema.container {
        case .none:
            let kind = schema.kind
            guard kind.chunkShape == .strings else { return }
            for slot in 0..<cluster.slotCount {
                checkBytes(
                    chunk, slot, kind, mayChange: mayChange,
                    place.at(row: cluster.key(slot)))
            }
        case .list, .set, .map:
            for slot in 0..<cluster.slotCount where cluster.isLive(slot) {
                try checkContainer(
                    chunk.slot(slot), schema, place.at(row: cluster.key(slot)))
            }
        }
    }

    private func checkBits(
        _ cluster: Cluster, _ column: Int, _ schema: ColumnSchema, _ place: StoreProblem.Place
    ) {
        let isBoolean = schema.container == .none && schema.kind == .bool && !schema.isNullable
        for index in 0..<4 {
            let word = cluster.bitsWord(column, index)
            let behind = ~Cluster.mask(cluster.slotCount, index)
            if schema.hasNullBits {
                if word & behind != behind {
                    return tally.note(.value, place, "null bits after the last row are clear")
                }
            } else if word & (isBoolean ? behind : ~0) != 0 {
                return tally.note(.value, place, "bits are set that the column does not use")
            }
        }
    }

    /// Whether a chunk has the form of its column and room for `count` elements.
    private func checkChunk(
        _ chunk: Chunk, _ shape: ChunkShape, count: Int,
        mayChange: Bool, _ place: StoreProblem.Place
    ) -> Bool {
        guard shape.allows(chunk.width) else {
            damaged(place, "a chunk has elements of the invalid width \(chunk.width)")
            return false
        }
        if chunk.width == 8, shape == .integers, chunk.base != 0 {
            tally.note(.value, place, "a chunk with elements of 8 bytes has a base")
        }
        guard chunk.capacity >= count else {
            damaged(
                place, "a chunk has a capacity of \(chunk.capacity) elements, expected \(count)")
            return false
        }
        // The writer changes these while it appends.
        if mayChange { return true }
        guard chunk.soundForm == shape.form else {
            damaged(place, "a chunk has the invalid form \(chunk.node.flags & 0xFF)")
            return false
        }
        guard chunk.used >= count, chunk.used <= chunk.capacity else {
            damaged(place, "a chunk has \(chunk.used) elements, expected \(count)")
            return false
        }
        guard chunk.heapUsed <= chunk.heapCapacity else {
            damaged(place, "the used bytes of a chunk exceed its heap")
            return false
        }
        return true
    }

    /// Checks one string, data or mixed value.
    private func checkBytes(
        _ chunk: Chunk, _ slot: Int, _ kind: ValueKind, mayChange: Bool,
        _ place: StoreProblem.Place
    ) {
        let view = chunk.stringView(slot)
        let length = view.length
        if length <= StringView.inlineMax {
            let tail = UnsafeRawBufferPointer(start: view.raw + 4, count: StringView.inlineMax)
            if !tail.dropFirst(length).allSatisfy({ $0 == 0 }) {
                tally.note(.value, place, "bytes after a short text are not zero")
            }
        } else if length <= StringView.heapMax {
            let offset = Int(view.raw.load(fromByteOffset: 8, as: UInt32.self))
            let room = mayChange ? chunk.heapCapacity : chunk.heapUsed
            guard offset <= room, length <= room - offset else {
                return damaged(place, "a text of \(length) bytes exceeds its chunk")
            }
        } else if !checkBlob(chunk, view, mayChange: mayChange, place) {
            return
        }
        let bytes = chunk.bytes(slot)
        if length > StringView.inlineMax,
            !bytes.prefix(4).elementsEqual(UnsafeRawBufferPointer(start: view.raw + 4, count: 4))
        {
            tally.note(.value, place, "the beginning of a text differs from its view")
        }
        checkContents(bytes, kind, place)
    }

    /// Whether a long value's node exists and is large enough.
    private func checkBlob(
        _ chunk: Chunk, _ view: StringView, mayChange: Bool, _ place: StoreProblem.Place
    ) -> Bool {
        let isFlagged = mayChange || chunk.node.flags & Chunk.blobFlag != 0
        let room = (mayChange ? chunk.heapCapacity : chunk.heapUsed) - Slot.size
        guard isFlagged, view.heapOffset & 7 == 0, view.heapOffset <= room,
            !view.blobSlot(heap: UnsafeRawPointer(chunk.heap)).isEmpty
        else {
            damaged(place, "a text of \(view.length) bytes is missing")
            return false
        }
        let slot = view.blobSlot(heap: UnsafeRawPointer(chunk.heap))
        guard let blob = child(slot, .any, [.blob], place) else { return false }
        guard blob.size - Blob.dataOffset >= view.length else {
            damaged(place, "a text of \(view.length) bytes is truncated")
            return false
        }
        return true
    }

    private func checkContents(
        _ bytes: UnsafeRawBufferPointer, _ kind: ValueKind, _ place: StoreProblem.Place
    ) {
        switch kind {
        case .string:
            if !bytes.isUTF8 { tally.note(.value, place, "a text is not UTF-8") }
        case .mixed:
            if !MixedCodec.isSound(bytes) {
                tally.note(.value, place, "a mixed value has an unknown kind")
            }
        default: break
        }
    }

    /// Checks a leaf of a list, set or map, whose elements are of `kind`.
    func checkLeaf(_ leaf: Chunk, _ kind: ValueKind, _ place: StoreProblem.Place) -> Bool {
        guard leaf.used <= SequenceWriter.leafMax else {
            damaged(place, "a leaf has the invalid count \(leaf.used)")
            return false
        }
        guard checkChunk(leaf, kind.chunkShape, count: leaf.used, mayChange: false, place) else {
            return false
        }
        if kind.chunkShape == .strings {
            for index in 0..<leaf.used {
                checkBytes(leaf, index, kind, mayChange: false, place)
            }
        }
        return true
    }
}
