/// Damages the bytes of a `.realm` file, in ways that its reader must survive.
package enum RealmFileMutation: CaseIterable, Sendable {
    case flipsBits, overwritesByte, overwritesWord, copiesWord, changesHeader, swapsRefs, cuts

    /// The bytes, damaged as the generator says.
    package static func damaged(
        _ bytes: [UInt8], _ random: inout SeededGenerator
    ) -> [UInt8] {
        var bytes = bytes
        guard bytes.count >= 64 else { return bytes }
        for _ in 0...random.next(below: 4) {
            let kind = allCases[random.next(below: allCases.count)]
            // A file that is cut is refused mostly, which says little.
            if kind == .cuts && !random.oneIn(8) { continue }
            kind.apply(to: &bytes, &random)
            if bytes.count < 64 { break }
        }
        return bytes
    }

    private static let words: [UInt64] = [
        0, 1, 3, 24, .max, .max - 7, 1 << 63, 0x7FFF_FFFF_FFFF_FFFF, 0xFFFF_FFFF, 0x00FF_FFFF, 0x1F,
    ]

    private func apply(to bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let offset = random.next(below: bytes.count - 8)
        let word = offset & ~7
        switch self {
        case .flipsBits: bytes[offset] ^= 1 << UInt8(random.next(below: 8))
        case .overwritesByte: bytes[offset] = UInt8(truncatingIfNeeded: random.next())
        case .overwritesWord:
            let value = Self.words[random.next(below: Self.words.count)]
            let count = 1 + random.next(below: 8)
            for index in 0..<count {
                bytes[word + index] = UInt8(truncatingIfNeeded: value >> (index * 8))
            }
        case .copiesWord:
            let source = random.next(below: bytes.count - 8) & ~7
            for index in 0..<8 { bytes[word + index] = bytes[source + index] }
        case .changesHeader:
            // What says the kind, the width and the count of the next node in the file.
            guard let header = Self.header(in: bytes, from: word) else { return }
            bytes[header + 4 + random.next(below: 4)] = UInt8(truncatingIfNeeded: random.next())
        case .swapsRefs:
            let other = random.next(below: bytes.count - 8) & ~3
            for index in 0..<4 { bytes.swapAt(word + index, other + index) }
        case .cuts: bytes.removeLast(bytes.count - word)
        }
    }

    /// Where the next node begins, by the letters that stand in the place of a checksum.
    private static func header(in bytes: [UInt8], from offset: Int) -> Int? {
        stride(from: offset, to: min(bytes.count - 8, offset + 4096), by: 8).first { place in
            bytes[place..<place + 4].allSatisfy { $0 == 0x41 }
        }
    }
}
