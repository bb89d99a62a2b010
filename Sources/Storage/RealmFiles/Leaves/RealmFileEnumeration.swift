import Synchronization

/// The strings of an enumerated column, to which all its leaves refer.
///
/// Those that have a blob of their own are kept when they have been read: however many objects have
/// one, it counts once toward what a pass may read. Memory: 16 MiB.
final class RealmFileEnumeration: Sendable {
    /// Bytes of a string that is kept. Longer ones count each time: a small file that is damaged
    /// would have a large one in each of millions of objects.
    static let lengthMax = 16 << 10
    /// Bytes of all that are.
    private static let sizeMax = 16 << 20

    private struct Kept {
        var strings: [Int: ArraySlice<UInt8>] = [:]
        var size = 0
    }

    let texts: RealmFileTexts
    private let kept = Mutex(Kept())

    init(_ texts: RealmFileTexts) { self.texts = texts }

    /// The bytes of the string at an index below the count; nil for null.
    func bytes(at index: Int) throws(RealmFileError) -> ArraySlice<UInt8>? {
        guard case .big = texts.form else { return try texts.bytes(at: index) }
        if let known = kept.withLock({ $0.strings[index] }) { return known }
        guard let bytes = try texts.bytes(at: index) else { return nil }
        kept.withLock { kept in
            let size = kept.size + bytes.count
            guard bytes.count <= Self.lengthMax, size <= Self.sizeMax else { return }
            if kept.strings.updateValue(bytes, forKey: index) == nil { kept.size = size }
        }
        return bytes
    }
}
