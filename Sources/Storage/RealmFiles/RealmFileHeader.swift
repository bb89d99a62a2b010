/// The first 24 bytes of a file, of which a commit changes one of two slots and then the bit that
/// selects it:
///
///     | 0  | 8 bytes | top ref of slot 0 |
///     | 8  | 8 bytes | top ref of slot 1 |
///     | 16 | 4 bytes | T-DB |
///     | 20 | 1 byte  | format of slot 0 |
///     | 21 | 1 byte  | format of slot 1 |
///     | 22 | 1 byte  | reserved |
///     | 23 | 1 byte  | bit 0 selects the slot |
struct RealmFileHeader: Hashable, Sendable {
    static let size = 24
    /// The offset of `T-DB`.
    static let mnemonicOffset = 16
    static let mnemonic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]

    let topRef: UInt64
    let format: Int
    /// A copy that was written in one pass: its top ref is at the end of the file.
    let isStreaming: Bool

    init(_ bytes: RealmFileBytes) throws(RealmFileError) {
        let slots = [try bytes.word(at: 0), try bytes.word(at: 8)]
        let flags = try bytes.word(at: Self.mnemonicOffset)
        let selected = Int(flags >> 56 & 1)
        format = Int(flags >> (selected == 0 ? 32 : 40) & 0xFF)
        isStreaming = selected == 0 && slots[0] == .max
        topRef = isStreaming ? try Self.footer(bytes, format: format) : slots[selected]
        try check(bytes.path)
    }

    /// The top ref of the slot that is not selected; nil if it has none.
    func otherTopRef(_ bytes: RealmFileBytes) throws(RealmFileError) -> UInt64? {
        if isStreaming { return nil }
        let selected = try bytes.word(at: Self.mnemonicOffset) >> 56 & 1
        let ref = try bytes.word(at: selected == 0 ? 8 : 0)
        return ref == 0 || ref == .max ? nil : ref
    }

    /// The last 16 bytes of a streamed copy: the top ref and a mark. The copy of a file without a
    /// commit has neither a ref nor a format.
    private static func footer(
        _ bytes: RealmFileBytes, format: Int
    ) throws(RealmFileError) -> UInt64 {
        let offset = bytes.length - footerSize
        guard offset >= size, try bytes.word(at: offset + 8) == 0x3034_1252_37E5_26C8 else {
            throw .damaged(
                path: bytes.path, offset: max(offset, 0),
                reason: "the end of the copy is missing, so it was not written completely")
        }
        let ref = try bytes.word(at: offset)
        guard ref != 0 || format == 0 else {
            throw .damaged(
                path: bytes.path, offset: offset, reason: "the end of the copy leads nowhere")
        }
        return ref
    }

    static let footerSize = 16

    private func check(_ path: String) throws(RealmFileError) {
        // A file that was created without a commit has neither a ref nor a format.
        if topRef == 0 && format == 0 { return }
        if format == 0 {
            throw .damaged(
                path: path, offset: Self.mnemonicOffset + 4,
                reason: "there are contents, and no number of a format")
        }
        let found = RealmFileFormat(rawValue: format)
        if found < .oldest { throw .formatTooOld(path: path, format: format) }
        if found > .newest { throw .formatTooNew(path: path, format: format) }
    }
}
