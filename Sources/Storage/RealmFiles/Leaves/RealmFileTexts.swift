/// Strings or data, in one of the forms of leaves.
package final class RealmFileTexts: Sendable {
    enum Form: Sendable {
        /// All entries have the same width; the last byte of each is the length of the padding.
        case short(RealmNode)
        /// One blob, the end of each entry in it, and null flags.
        case medium(ends: RealmNode, blob: RealmNode, nulls: RealmNode)
        /// One blob per entry.
        case big(RealmNode)
        /// Indices into an enumeration.
        case enumerated(RealmNode, RealmFileEnumeration)
    }

    let form: Form
    /// Whether a zero byte ends each entry of the longer forms.
    let hasFinalZero: Bool
    let isNullable: Bool
    let reader: RealmNodeReader

    /// The maximum size of a value in a store.
    private static let valueBytesMax = (1 << 30) - (1 << 10)

    init(_ form: Form, hasFinalZero: Bool, isNullable: Bool, _ reader: RealmNodeReader) {
        self.form = form
        self.hasFinalZero = hasFinalZero
        self.isNullable = isNullable
        self.reader = reader
    }

    /// The same values, whose reading does not count toward the limit of the pass.
    var uncounted: RealmFileTexts {
        RealmFileTexts(
            form, hasFinalZero: hasFinalZero, isNullable: isNullable, reader.renewed())
    }

    /// The number of values.
    package var count: Int {
        switch form {
        case .short(let node), .big(let node): node.count
        case .medium(let ends, _, _): ends.count
        case .enumerated(let indices, _): indices.count
        }
    }

    var heldBytes: Int {
        switch form {
        case .short(let node), .big(let node): node.payload.count
        case .medium(let ends, let blob, _): ends.payload.count + blob.payload.count
        case .enumerated(let indices, let strings):
            indices.payload.count + strings.texts.heldBytes
        }
    }

    /// The text at an index below the count.
    package func string(at index: Int) throws(RealmFileError) -> RealmFileValue {
        guard let bytes = try bytes(at: index) else { return .null }
        if let string = String(validating: bytes, as: UTF8.self) { return .string(string) }
        return .malformedString(Array(bytes))
    }

    /// The bytes at an index below the count; nil for null.
    package func bytes(at index: Int) throws(RealmFileError) -> ArraySlice<UInt8>? {
        precondition(index >= 0 && index < count)
        switch form {
        case .short(let node): return try short(node, index)
        case .medium(let ends, let blob, let nulls):
            return nulls.integer(at: index) != 0 ? nil : try medium(ends, blob, index)
        case .big(let node):
            switch node.element(at: index) {
            case .none: return nil
            case .ref(let ref): return try big(ref)
            case .tagged: throw reader.damaged(node.offset, "value \(index) is not in a blob")
            }
        case .enumerated(let indices, let strings):
            let (key, count) = (indices.integer(at: index), strings.texts.count)
            guard key >= 0, key < count else {
                throw reader.damaged(
                    indices.offset, "string \(key) of an enumeration of \(count)")
            }
            return try strings.bytes(at: Int(key))
        }
    }

    private func short(_ node: RealmNode, _ index: Int) throws(RealmFileError) -> ArraySlice<UInt8>?
    {
        let width = node.header.width
        if width == 0 { return isNullable ? nil : [] }
        let last = (index + 1) * width - 1
        let padding = Int(node.payload[last])
        if padding == width { return nil }
        guard padding < width else {
            throw reader.damaged(
                node.offset + RealmNode.headerSize + last, "a string has an invalid length")
        }
        return node.payload[index * width..<last - padding]
    }

    private func medium(
        _ ends: RealmNode, _ blob: RealmNode, _ index: Int
    ) throws(RealmFileError) -> ArraySlice<UInt8> {
        let start = index == 0 ? 0 : ends.integer(at: index - 1)
        let end = ends.integer(at: index)
        let zero: Int64 = hasFinalZero ? 1 : 0
        // Realm has no values of more than 64 bytes here, and an enumerated one may be in many
        // objects.
        guard start >= 0, end >= start, end - start >= zero, end <= blob.count,
            end - start <= RealmFileEnumeration.lengthMax
        else {
            throw reader.damaged(
                ends.offset, "value \(index) goes from \(start) to \(end) of \(blob.count) bytes")
        }
        guard !hasFinalZero || blob.payload[Int(end) - 1] == 0 else {
            throw reader.damaged(
                blob.offset + RealmNode.headerSize + Int(end) - 1, "no zero byte ends a string")
        }
        return blob.payload[Int(start)..<Int(end - zero)]
    }

    private func big(_ ref: UInt64) throws(RealmFileError) -> ArraySlice<UInt8> {
        let header = try reader.header(ref, "a blob")
        if header.hasRefs && header.context { return try split(ref, header) }
        guard !header.hasRefs, header.widthType == .count else {
            throw reader.damaged(Int(ref), "a value is not in a blob")
        }
        let blob = try reader.node(ref, header)
        guard hasFinalZero else { return blob.payload[...] }
        guard blob.payload.last == 0 else {
            throw reader.damaged(blob.offset, "no zero byte ends a string")
        }
        return blob.payload.dropLast()
    }

    /// A value that is too large for one node. It has no final zero byte.
    private func split(
        _ ref: UInt64, _ header: RealmNodeHeader
    ) throws(RealmFileError) -> ArraySlice<UInt8> {
        guard header.isPacked else {
            throw reader.damaged(Int(ref), "a large value is not in blobs")
        }
        let parts = try reader.node(ref, header)
        let countMax = min(reader.limit, Self.valueBytesMax)
        var bytes: [UInt8] = []
        for index in 0..<parts.count {
            let part = try reader.blob(
                try reader.ref(parts, index, "a part of a value"), "a part of a value")
            guard part.count > 0, part.count <= countMax - bytes.count else {
                throw reader.damaged(
                    parts.offset, "a value is larger than the file, or than a realm takes")
            }
            bytes += part.payload
        }
        return bytes[...]
    }
}
