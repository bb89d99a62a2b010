/// The top array: the root of a commit.
struct RealmFileTop: Sendable {
    /// The refs of tables by their slots, and the names; nil in a file without a commit.
    let tables: (refs: RealmNode, names: RealmFileNames)?
    /// The end of all nodes.
    let limit: Int
    /// The number of the commit, if there is one.
    let commit: UInt64?

    private static let tablesMax = 1 << 16
    /// The valid numbers of elements of a top array, to which generations of Realm have added some.
    private static let counts: Set<Int> = [3, 5, 7, 9, 10, 11, 12]

    init(
        _ header: RealmFileHeader, _ bytes: RealmFileBytes, salvage: Bool
    ) throws(RealmFileError) {
        guard header.topRef != 0 else {
            (tables, limit, commit) = (nil, bytes.length, nil)
            return
        }
        let end = header.isStreaming ? bytes.length - RealmFileHeader.footerSize : bytes.length
        let whole = RealmNodeReader(bytes, limit: end)
        let top = try whole.refs(header.topRef, "the top array")
        guard Self.counts.contains(top.count) else {
            throw whole.damaged(top.offset, "a top array of \(top.count) elements")
        }
        guard case .tagged(let size) = top.element(at: 2), let size = Int(exactly: size) else {
            throw whole.damaged(top.offset, "the top array has no size of the file")
        }
        guard size <= bytes.length || salvage else {
            throw whole.damaged(
                bytes.length, "the file was \(size) bytes long and is truncated")
        }
        limit = min(size, end)
        if case .tagged(let number) = top.element(at: 6) { commit = number } else { commit = nil }
        let reader = RealmNodeReader(bytes, limit: limit)
        // Read again with the limit, since the top array itself may be after the end that it
        // states.
        _ = try reader.header(header.topRef, "the top array")
        tables = try Self.tables(top, reader)
    }

    private static func tables(
        _ top: RealmNode, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> (refs: RealmNode, names: RealmFileNames) {
        let names = try RealmFileNames(
            try reader.ref(top, 0, "the names of tables"), "the names of tables", reader)
        let refs = try reader.refs(
            try reader.ref(top, 1, "the tables"), "the node of tables")
        guard refs.count == names.count, refs.count <= tablesMax else {
            throw reader.damaged(
                refs.offset, "there are \(refs.count) tables and \(names.count) names of tables")
        }
        return (refs, names)
    }

    /// Whether the slot that is not selected refers to a newer commit than this one.
    static func isBehind(
        _ commit: UInt64?, _ header: RealmFileHeader, _ bytes: RealmFileBytes
    ) -> Bool {
        let reader = RealmNodeReader(bytes, limit: bytes.length)
        // Errors are ignored: the slot is not used otherwise, and other data may have replaced its
        // top array.
        guard let commit, let other = try? header.otherTopRef(bytes),
            let head = try? reader.header(other, "a top array"), counts.contains(head.count),
            let top = try? reader.refs(other, "a top array"),
            case .tagged(let number) = top.element(at: 6)
        else { return false }
        return number > commit
    }
}
