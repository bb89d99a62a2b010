/// The names of tables or of columns: short strings that are never null.
struct RealmFileNames {
    private static let countMax = 1 << 16

    private let node: RealmNode

    init(
        _ ref: UInt64, _ what: String, _ reader: RealmNodeReader
    ) throws(RealmFileError) {
        let header = try reader.header(ref, what)
        guard !header.hasRefs, header.widthType == .bytes else {
            throw reader.damaged(Int(ref), "\(what) are not short strings")
        }
        guard header.width > 0 || header.count == 0 else {
            throw reader.damaged(Int(ref), "\(what) are empty")
        }
        // A damaged node could claim millions of them, with or without a payload.
        guard header.count <= Self.countMax else {
            throw reader.damaged(Int(ref), "\(what) are \(header.count)")
        }
        node = try reader.node(ref, header)
    }

    var count: Int { node.count }

    func bytes(
        at index: Int, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> [UInt8] {
        let width = node.header.width
        let end = (index + 1) * width - 1
        let padding = Int(node.payload[end])
        guard padding < width else {
            throw reader.damaged(
                node.offset + RealmNode.headerSize + end, "name \(index) has an invalid length")
        }
        return Array(node.payload[index * width..<end - padding])
    }

    func name(
        at index: Int, _ reader: RealmNodeReader
    ) throws(RealmFileError) -> String {
        guard let name = String(validating: try bytes(at: index, reader), as: UTF8.self) else {
            throw reader.damaged(node.offset, "name \(index) is not UTF-8")
        }
        guard !name.isEmpty else { throw reader.damaged(node.offset, "name \(index) is empty") }
        return name
    }
}
