/// The reference to the tree of a group with a page commit, at the end of the group's payload.
/// Replay continues with this tree instead of applying the commits, at least one of which has no
/// values. Little-endian:
///
///     offset  bytes  field
///          0     24  place of the tree's root: as in a slot, without its first eight bytes
///         24     24  place of the blob with schema and page segments
///
/// Both were durable before the frame of the group was written.
struct GroupTree: Hashable, Sendable {
    static let size = 48

    var root: NodePlace
    var contents: NodePlace

    init(root: NodePlace, contents: NodePlace) {
        self.root = root
        self.contents = contents
    }

    func encode(into bytes: UnsafeMutableRawBufferPointer) {
        root.encode(into: bytes, at: 0)
        contents.encode(into: bytes, at: 24)
    }

    /// Decodes the end of a group's payload; nil if that is no reference.
    init?(endOf payload: UnsafeRawBufferPointer) {
        let start = payload.count - Self.size
        guard start >= 0,
            let root = NodePlace(payload, at: start), root.kind == .storeRoot,
            let contents = NodePlace(payload, at: start + 24), contents.kind == .blob
        else { return nil }
        self.init(root: root, contents: contents)
    }
}
