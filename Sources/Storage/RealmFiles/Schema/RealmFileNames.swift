/// The names of tables or of columns: short strings that are never null.
struct RealmFileNames {
    private let node: RealmNode

    init(
        _ ref: UInt64, _ what: String, _ reader: RealmNodeReader
    ) throws(RealmFileError) {
        node = try reader.node(ref, what)
        guard !node.header.hasRefs, node.header.widthType == .bytes else {
            throw reader.damaged(node.offset, "\(what) are not short strings")
        }
        // It could claim millions of them.
        guard node.header.width > 0 || node.count == 0 else {
            throw reader.damaged(node.offset, "\(what) are empty")
        }
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
