/// The units of a text, written by means of a ``FoldingTable``: what ``TextFolding`` gives, many
/// times faster for nearly all texts.
struct TextUnits: ~Copyable {
    /// How many bytes have to be there for the units of a text: a scalar takes 16 bytes while it is
    /// written.
    static func capacity(for text: UnsafeRawBufferPointer) -> Int { text.count * 8 + 32 }

    private let table: FoldingTable
    // Unsafe: both are borrowed from the caller for as long as this value lives. Reading is bounded
    // by the first's count; writing by `hasRoom`, which is checked before each scalar.
    private let text: UnsafeRawBufferPointer
    private let units: UnsafeMutableRawBufferPointer  // Unsafe: as above.
    private var count = 1
    /// Where the last letter begins, in the text and in the units: a part that follows belongs to
    /// it.
    private var letter = (start: 0, units: 1)

    private init(
        _ text: UnsafeRawBufferPointer, _ table: FoldingTable,
        _ units: UnsafeMutableRawBufferPointer
    ) {
        (self.text, self.table, self.units) = (text, table, units)
        units[0] = TextFolding.border
    }

    /// Writes the units of a text.
    ///
    /// - Parameter units: of at least ``capacity(for:)`` bytes.
    /// - Returns: how many bytes were written; nil for what is not UTF-8, or has letters that need
    ///   more room than any others.
    static func write(
        _ text: UnsafeRawBufferPointer, _ table: FoldingTable,
        into units: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var writer = TextUnits(text, table, units)
        return writer.writeAll() ? writer.count : nil
    }

    private var hasRoom: Bool { count &+ 16 <= units.count }

    private mutating func writeAll() -> Bool {
        var position = 0
        let foldsCase = table.options.contains(.caseInsensitive)
        var block = table.block(0)
        while position < text.count {
            guard hasRoom else { return false }
            let byte = text[position]
            if byte < 0x80 {
                letter = (position, count)
                units[count] = foldsCase ? TextFolding.lower(byte) : byte
                units[count &+ 1] = TextFolding.border
                count &+= 2
                position &+= 1
                continue
            }
            guard let (code, length) = scalar(at: position) else { return false }
            if code < 0x1_0000 {
                if block.number != code &>> 8 { block = table.block(code &>> 8) }
                let entry = block.entries[code & 0xFF]
                if entry[15] != FoldingBlock.isPart {
                    if entry[15] != 0 { letter = (position, count) }
                    units.storeBytes(of: entry, toByteOffset: count, as: FoldingBlock.Entry.self)
                    count &+= Int(entry[15])
                    position &+= length
                    continue
                }
            }
            guard let end = writeJoined(from: position) else { return false }
            position = end
        }
        return true
    }

    /// Writes the last letter again, with the part at `position`, and what may belong to them.
    ///
    /// - Returns: where the text continues; nil where it has to be read otherwise.
    private mutating func writeJoined(from position: Int) -> Int? {
        guard let end = endOfJoined(from: position) else { return nil }
        count = letter.units
        var bytes: [UInt8] = []
        let joined = String(decoding: text[letter.start..<end], as: UTF8.self)
        TextFolding.appendUnits(of: joined, table.options, to: &bytes)
        guard count + bytes.count + 16 <= units.count else { return nil }
        for byte in bytes {
            units[count] = byte
            count += 1
        }
        return end
    }

    /// The first letter after `position` that surely begins there: one that joins nothing, after
    /// another such.
    private func endOfJoined(from position: Int) -> Int? {
        var position = position
        var isBehindWhole = false
        while position < text.count {
            guard let (code, length) = scalar(at: position) else { return nil }
            let kind = code < 0x1_0000 ? table.block(code >> 8).entries[code & 0xFF][15] : 0xFF
            if kind == FoldingBlock.isPart {
                isBehindWhole = false
            } else if kind != 0 {
                if isBehindWhole { return position }
                isBehindWhole = true
            }
            position += length
        }
        return position
    }

    /// The scalar at a position and its length; nil where there is none.
    @inline(__always)
    private func scalar(at position: Int) -> (code: Int, length: Int)? {
        let first = Int(text[position])
        if first < 0x80 { return (first, 1) }
        let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard first >= 0xC2, first < 0xF5, position &+ length <= text.count else { return nil }
        var code = first & (0x7F &>> length)
        for offset in 1..<length {
            let byte = Int(text[position &+ offset])
            guard byte & 0xC0 == 0x80 else { return nil }
            code = code &<< 6 | byte & 0x3F
        }
        // Longer than need be, half of a pair, or beyond the last.
        let isScalar =
            switch length {
            case 2: true
            case 3: code >= 0x800 && code & 0xF800 != 0xD800
            default: code >= 0x1_0000 && code < 0x11_0000
            }
        return isScalar ? (code, length) : nil
    }
}
