import Synchronization

/// Reads nodes by their refs, each checked against the logical size of the file.
///
/// A reader is for one pass over a part of the file. In an intact file, no two refs refer to the
/// same node, so a pass is bounded by the size of the file; in a damaged one, there may be cycles
/// or exponential trees. So a pass ends with an error when it has read the size of the file many
/// times.
final class RealmNodeReader: Sendable {
    /// How often a pass may read the size of the whole file: a program may read the same collection
    /// or large value several times.
    private static let readingsMax = 16

    let bytes: RealmFileBytes
    /// The limit that every node ends before.
    let limit: Int
    private let allowance: Int
    private let spent = Atomic(0)

    init(_ bytes: RealmFileBytes, limit: Int) {
        self.bytes = bytes
        self.limit = limit
        let total = max(limit, 1 << 12).multipliedReportingOverflow(by: Self.readingsMax)
        allowance = total.overflow ? .max : total.partialValue
    }

    /// A reader for another pass.
    func renewed() -> RealmNodeReader { RealmNodeReader(bytes, limit: limit) }

    /// The number of bytes of nodes that were read.
    var total: Int { spent.load(ordering: .relaxed) }

    func damaged(_ offset: Int, _ reason: String) -> RealmFileError {
        .damaged(path: bytes.path, offset: offset, reason: reason)
    }

    /// The header of the node at `ref`, whose payload ends before the limit.
    func header(_ ref: UInt64, _ what: String) throws(RealmFileError) -> RealmNodeHeader {
        // The file's own header precedes all nodes.
        guard let offset = Int(exactly: ref), offset & 7 == 0, offset >= RealmFileHeader.size,
            offset <= limit - RealmNode.headerSize
        else {
            throw damaged(
                Int(clamping: ref), "the ref of \(what) is not the place of a node in the file")
        }
        guard let header = RealmNodeHeader(try bytes.word(at: offset)) else {
            throw damaged(offset, "\(what) has an invalid width type")
        }
        guard header.payloadSize <= limit - RealmNode.headerSize - offset else {
            throw damaged(offset, "\(what) ends after the end of the file")
        }
        try spend(RealmNode.headerSize + header.payloadSize, at: offset)
        return header
    }

    /// The node at `ref`. `what` describes it in messages.
    func node(_ ref: UInt64, _ what: String) throws(RealmFileError) -> RealmNode {
        try node(ref, header(ref, what))
    }

    /// The node at `ref`, whose header was read before.
    func node(_ ref: UInt64, _ header: RealmNodeHeader) throws(RealmFileError) -> RealmNode {
        let offset = Int(ref)
        let payload = try bytes.read(
            at: offset + RealmNode.headerSize, count: header.payloadSize)
        return RealmNode(offset: offset, header: header, payload: payload)
    }

    private func spend(_ count: Int, at offset: Int) throws(RealmFileError) {
        let total = spent.wrappingAdd(count, ordering: .relaxed).newValue
        guard total <= allowance else {
            throw damaged(offset, "nodes are referred to more often than in any valid file")
        }
    }
}

extension RealmNodeReader {
    /// A node of refs.
    func refs(_ ref: UInt64, _ what: String) throws(RealmFileError) -> RealmNode {
        let node = try node(ref, what)
        guard node.header.hasRefs, node.header.isPacked else {
            throw damaged(node.offset, "\(what) is not a node of refs")
        }
        return node
    }

    /// A node of integers, with the expected number of them, if that is known.
    func integers(
        _ ref: UInt64, count: Int? = nil, _ what: String
    ) throws(RealmFileError) -> RealmNode {
        let node = try node(ref, what)
        guard !node.header.hasRefs, node.header.isPacked else {
            throw damaged(node.offset, "\(what) is not a node of integers")
        }
        if let count { try check(node, count: count, what) }
        return node
    }

    /// A node of bytes.
    func blob(_ ref: UInt64, _ what: String) throws(RealmFileError) -> RealmNode {
        let node = try node(ref, what)
        guard !node.header.hasRefs, node.header.widthType == .count else {
            throw damaged(node.offset, "\(what) is not a node of bytes")
        }
        return node
    }

    /// The ref at an index of a node of refs.
    func ref(
        _ node: RealmNode, _ index: Int, _ what: String
    ) throws(RealmFileError) -> UInt64 {
        guard case .ref(let ref) = node.element(at: index) else {
            throw damaged(node.offset, "element \(index) of it is not the ref of \(what)")
        }
        return ref
    }

    func check(_ node: RealmNode, count: Int, _ what: String) throws(RealmFileError) {
        guard node.count == count else {
            throw damaged(node.offset, "\(what) has \(node.count) elements in place of \(count)")
        }
    }
}
