import Synchronization

/// The strings of an enumerated column, to which all its leaves refer.
///
/// Strings with a blob of their own are cached after they were read, so that each counts only once
/// toward the limit of a pass, however many objects have it. Memory: 16 MiB.
final class RealmFileEnumeration: Sendable {
    /// The maximum size of a cached string. Longer ones count each time: otherwise a small damaged
    /// file could have a large one in each of millions of objects.
    static let lengthMax = 16 << 10
    /// The maximum size of all cached strings.
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
