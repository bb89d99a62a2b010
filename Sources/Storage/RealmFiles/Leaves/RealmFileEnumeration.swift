import Synchronization

/// The strings of an enumerated column, to which all its leaves refer.
///
/// Strings with a blob of their own count only once toward the limit of a pass, however many
/// objects have them. As many as fit into 16 MiB are cached after they were read; of the others,
/// which are read again, one bit notes that they were counted.
final class RealmFileEnumeration: Sendable {
    /// The maximum size of a string that counts once. Longer ones count each time: otherwise a
    /// small damaged file could have a large one in each of millions of objects.
    static let lengthMax = 16 << 10
    /// The maximum size of all cached strings.
    private static let sizeMax = 16 << 20

    private struct Kept {
        var strings: [Int: ArraySlice<UInt8>] = [:]
        var size = 0
        /// The strings that were counted and had no room, 64 in each word; empty if there are none.
        private var counted: [UInt64] = []

        func isCounted(_ index: Int) -> Bool {
            index / 64 < counted.count && counted[index / 64] >> (index % 64) & 1 != 0
        }

        mutating func noteCounted(_ index: Int, of count: Int) {
            if counted.isEmpty { counted = [UInt64](repeating: 0, count: (count + 63) / 64) }
            counted[index / 64] |= 1 << (index % 64)
        }
    }

    let texts: RealmFileTexts
    private let kept = Mutex(Kept())

    init(_ texts: RealmFileTexts) { self.texts = texts }

    /// The bytes of the string at an index below the count; nil for null.
    func bytes(at index: Int) throws(RealmFileError) -> ArraySlice<UInt8>? {
        guard case .big = texts.form else { return try texts.bytes(at: index) }
        let (known, isCounted) = kept.withLock { ($0.strings[index], $0.isCounted(index)) }
        if let known { return known }
        if isCounted { return try texts.uncounted.bytes(at: index) }
        let before = texts.reader.total
        guard let bytes = try texts.bytes(at: index) else { return nil }
        // Realm has only very long strings in parts. One in thousands of small ones would take far
        // more time to be read again than its length suggests.
        let isInParts = texts.reader.total - before > 2 * Self.lengthMax
        if bytes.count > Self.lengthMax || isInParts { return bytes }
        kept.withLock { kept in
            let size = kept.size + bytes.count
            guard size <= Self.sizeMax else { return kept.noteCounted(index, of: texts.count) }
            if kept.strings.updateValue(bytes, forKey: index) == nil { kept.size = size }
        }
        return bytes
    }
}
