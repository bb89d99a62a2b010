// Safety: unchecked exclusivity is safe for the properties that each commit accesses. The buffer
// has one owner at a time, and no access calls code that accesses the buffer again.

// Unchecked, and safe, because it has one owner at a time: the writer while it collects, the log
// between the hand-over and the end of `append`; each hand-over goes through a mutex or an actor.
/// The commits of one group, encoded one after another as the payload of the frame that will hold
/// them. The bytes before the payload are room for the headers, so that the log writes the group
/// with one call and copies nothing. A buffer is filled, appended to the log, reset, and filled
/// again.
///
/// A record is, little-endian:
///
///     offset  bytes  field
///          0      8  version that the commit makes
///          8      4  length of its payload
///         12      4  reserved, zero
///         16      -  payload, then zeros up to a multiple of 8
package final class CommitGroupBuffer: @unchecked Sendable {
    /// Bytes before a record's payload.
    static let recordHeaderSize = 16
    /// Space before the group's payload, for a segment header, an epoch frame and a frame header.
    static let frontRoom = 512
    /// The capacity above which a reset frees the memory.
    static let keptCapacity = 4 << 20

    // Unsafe: allocated, moved and freed only by this class, never passed out beyond the duration
    // of a call.
    /// Begin of the front room.
    @exclusivity(unchecked) private(set) var base: UnsafeMutableRawPointer
    /// Bytes after the front room.
    @exclusivity(unchecked) private var capacity: Int

    /// Bytes of payload, a multiple of 8.
    @exclusivity(unchecked) package private(set) var byteCount = 0
    /// Number of commits.
    @exclusivity(unchecked) package private(set) var recordCount = 0
    /// Version of the first commit.
    @exclusivity(unchecked) package private(set) var firstVersion = Version.zero
    /// Version of the last commit.
    @exclusivity(unchecked) package private(set) var lastVersion = Version.zero
    /// Whether it has a page commit, so that the group's tree must be written to the page files
    /// first.
    var needsTree = false
    /// Whether ``append(_:)`` was called.
    private(set) var holdsTree = false
    /// Whether every commit only deletes, so that the group may use the space reserved for
    /// deletions.
    package var onlyDeletes = true
    /// The offsets in the payload of the old values of commits, at the ends of their records.
    @exclusivity(unchecked) private(set) var oldValues: [Int] = []
    /// Whether the log has modified the bytes, so that they cannot be appended again.
    var isUsedUp = false
    /// Whether the log has begun to write the commits and has not revoked that: after a failure,
    /// some of them may be on disk.
    var hasBegun = false

    package init(capacity: Int = 1 << 16) {
        self.capacity = max(capacity.roundedUpTo8, 1 << 10)
        base = .allocate(byteCount: Self.frontRoom + self.capacity, alignment: 8)
    }

    deinit { base.deallocate() }

    package var isEmpty: Bool { recordCount == 0 }

    /// The group's payload, valid until the buffer is next changed.
    var payload: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base + Self.frontRoom, count: byteCount)
    }

    /// Adds a commit whose payload is already encoded. Throws `.invalid` beyond 4 GiB.
    package func append(
        version: Version, payload: UnsafeRawBufferPointer
    ) throws(StorageError) {
        try append(version: version) { writer throws(StorageError) in writer.write(payload) }
    }

    /// Records that only old values follow in the current record.
    func noteOldValues(at offset: Int) { oldValues.append(offset) }

    /// Adds a commit that `encode` writes in place. If it throws, the buffer is unchanged.
    package func append(
        version: Version, encode: (inout PayloadWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        precondition(isEmpty || version > lastVersion, "Commits are appended in order")
        let start = byteCount
        var writer = PayloadWriter(buffer: self, at: start)
        writer.write(version.rawValue)
        writer.write(UInt64(0))
        do {
            try encode(&writer)
        } catch {
            oldValues.removeAll { $0 >= start }
            throw error
        }
        let length = writer.count
        writer.padTo8()
        let end = start + Self.recordHeaderSize + writer.count
        guard let encodedLength = UInt32(exactly: length) else {
            throw .invalid("A transaction of \(length) bytes is over the limit of 4 GiB; split it")
        }
        let field = base + Self.frontRoom + start + 8
        field.storeBytes(of: encodedLength.littleEndian, as: UInt32.self)
        byteCount = end
        if recordCount == 0 { firstVersion = version }
        lastVersion = version
        recordCount += 1
    }

    /// Removes the commits and keeps the memory, unless it is large.
    package func reset() {
        byteCount = 0
        recordCount = 0
        needsTree = false
        holdsTree = false
        onlyDeletes = true
        isUsedUp = false
        hasBegun = false
        if !oldValues.isEmpty { oldValues = [] }
        guard capacity > Self.keptCapacity else { return }
        base.deallocate()
        capacity = 1 << 16
        base = .allocate(byteCount: Self.frontRoom + capacity, alignment: 8)
    }

    /// Makes room for `count` payload bytes in total, of which `used` are kept.
    func reserve(_ count: Int, keeping used: Int) {
        guard count > capacity else { return }
        let grown = max(count.roundedUpTo8, capacity * 2)
        // Unsafe: larger than the bytes copied into it; the old memory is freed once, below.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.frontRoom + grown, alignment: 8)
        memory.copyMemory(from: base, byteCount: Self.frontRoom + used)
        base.deallocate()
        base = memory
        capacity = grown
    }

    /// Adds a piece of an already encoded group; the caller accounts for the commits in it.
    func appendBytes(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(byteCount + bytes.count, keeping: byteCount)
        (base + Self.frontRoom + byteCount).copyMemory(from: source, byteCount: bytes.count)
        byteCount += bytes.count
    }

    /// Appends the reference to the group's tree in the page files, at the end of the group.
    func append(_ tree: GroupTree) {
        precondition(!holdsTree, "A group has one tree")
        reserve(byteCount + GroupTree.size, keeping: byteCount)
        // Unsafe: within the bytes just reserved.
        let bytes = UnsafeMutableRawBufferPointer(
            start: base + Self.frontRoom + byteCount, count: GroupTree.size)
        tree.encode(into: bytes)
        byteCount += GroupTree.size
        holdsTree = true
    }

    /// A copy of up to `count` bytes of the payload from `offset` on.
    func payload(behind offset: Int, count: Int) -> [UInt8] {
        Array(UnsafeRawBufferPointer(payload)[offset..<min(offset + count, byteCount)])
    }

    /// Bytes of payload that fit without growing.
    var payloadCapacity: Int { capacity }
}

/// A position in a group, between two commits.
struct GroupMark: Sendable {
    fileprivate let byteCount: Int

    /// Before the first commit of a group.
    static let start = GroupMark(byteCount: 0)
}

extension CommitGroupBuffer {
    /// The commits since `mark`, valid until the buffer is next changed.
    func payload(since mark: GroupMark) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(payload).slice(mark.byteCount..<byteCount)
    }

    /// The current end of the group.
    var mark: GroupMark { GroupMark(byteCount: byteCount) }
}

extension FixedWidthInteger {
    /// The next multiple of 8.
    var roundedUpTo8: Self { (self &+ 7) & ~7 }
}
