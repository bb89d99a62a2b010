/// The commits in the payload of a group. Its checksum was valid, but every length is checked
/// nevertheless.
struct GroupRecords {
    // Unsafe: borrowed from the caller while it walks the records.
    private let payload: UnsafeRawBufferPointer
    private var offset = 0

    init(_ payload: UnsafeRawBufferPointer) { self.payload = payload }

    /// The payload is not a sequence of commit records.
    struct Malformed: Error {
        let offset: Int
    }

    /// The next commit, or nil at the end.
    mutating func next() throws(Malformed) -> CommitView? {
        let rest = payload.count - offset
        guard rest > 0 else { return nil }
        guard rest >= CommitGroupBuffer.recordHeaderSize else { throw Malformed(offset: offset) }
        let version: UInt64 = payload.integer(at: offset)
        let length = Int(payload.integer(at: offset + 8, as: UInt32.self))
        let reserved: UInt32 = payload.integer(at: offset + 12)
        let start = offset + CommitGroupBuffer.recordHeaderSize
        guard reserved == 0, version <= Version.max.rawValue,
            length.roundedUpTo8 <= payload.count - start
        else {
            throw Malformed(offset: offset)
        }
        offset = start + length.roundedUpTo8
        return CommitView(
            version: Version(version), payload: payload.slice(start..<start + length),
            offset: start)
    }
}
