import Synchronization

/// The foldings of letters of the Basic Multilingual Plane that are one scalar, computed in blocks
/// of 256 when a text first has one of the block.
///
/// Folding a letter takes Foundation microseconds, and a search meets the same few letters in every
/// text.
final class FoldingTable: Sendable {
    static let caseInsensitive = FoldingTable(.caseInsensitive)
    static let diacriticInsensitive = FoldingTable(.diacriticInsensitive)
    static let both = FoldingTable([.caseInsensitive, .diacriticInsensitive])

    static func of(_ options: StringOptions) -> FoldingTable {
        if !options.contains(.caseInsensitive) { return diacriticInsensitive }
        return options.contains(.diacriticInsensitive) ? both : caseInsensitive
    }

    private final class Place: Sendable {
        let block = AtomicLazyReference<FoldingBlock>()
    }

    let options: StringOptions
    private let places = (0..<256).map { _ in Place() }

    private init(_ options: StringOptions) { self.options = options }

    /// The block of the scalars that have this number when divided by 256.
    @inline(__always)
    func block(_ number: Int) -> FoldingBlock {
        let place = places[number]
        return place.block.load() ?? place.block.storeIfNil(FoldingBlock(number, options))
    }
}

/// The foldings of 256 scalars.
final class FoldingBlock: Sendable {
    /// The folding of one scalar: the bytes of its unit and the border after them, with their count
    /// in the last byte. Empty for a mark, which folds to nothing.
    typealias Entry = SIMD16<UInt8>

    /// Marks a scalar that may be part of a letter of several scalars, which must be folded as a
    /// whole.
    static let isPart: UInt8 = 0xFF

    let number: Int
    let entries: [Entry]

    init(_ number: Int, _ options: StringOptions) {
        self.number = number
        entries = (0..<256).map { Self.entry(UInt32(number * 256 + $0), options) }
    }

    private static func entry(_ code: UInt32, _ options: StringOptions) -> Entry {
        var entry = Entry()
        entry[15] = isPart
        guard let scalar = Unicode.Scalar(code) else { return entry }
        let properties = scalar.properties
        if properties.generalCategory == .nonspacingMark {
            // A virama joins the letters around it.
            let vanishes =
                options.contains(.diacriticInsensitive)
                && properties.canonicalCombiningClass != .virama
            if vanishes { entry[15] = 0 }
            return entry
        }
        if !properties.isUnifiedIdeograph, joins(scalar) { return entry }
        let unit = TextFolding.units(of: String(scalar), options).dropFirst()
        guard unit.count < 16, unit.firstIndex(of: TextFolding.border) == unit.indices.last else {
            return entry
        }
        for (index, byte) in unit.enumerated() { entry[index] = byte }
        entry[15] = UInt8(unit.count)
        return entry
    }

    /// Whether a letter may have this scalar and others that are not marks. Two that do not join
    /// others never join each other.
    private static func joins(_ scalar: Unicode.Scalar) -> Bool {
        let text = String(scalar)
        return "a\(text)".count == 1 || "\(text)a".count == 1 || isJamo(scalar)
    }

    /// Parts of Korean syllables; syllables join nothing else.
    private static func isJamo(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF: true
        default: false
        }
    }
}
