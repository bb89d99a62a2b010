/// Bytes of a segment that were read at once, for a reader to find its frames in.
///
/// What is written behind the end of a log changes. A reader that finds no frame in a window looks
/// for it in the file again before it says so.
struct LogWindow {
    /// As much as a follower reads of a log that it is at the end of.
    static let small = 4 << 10
    /// As much as is read of a log that holds more.
    static let large = 64 << 10

    private var buffer: AlignedBuffer
    /// How much is read at once of frames whose length is yet to be learned.
    private let size: Int
    private var segment: SegmentIndex?
    /// The place of its bytes in the segment.
    private var range = 0..<0

    init(size: Int = LogWindow.small) {
        self.size = size
        buffer = AlignedBuffer(capacity: size)
    }

    /// Keeps the bytes alive.
    var owner: AnyObject { buffer }

    // Unsafe: valid until the window is filled again, and while it lives.
    /// The bytes from `offset` of a segment on, nil where they were not read.
    func bytes(of index: SegmentIndex, from offset: Int) -> UnsafeRawBufferPointer? {
        guard segment == index, range.contains(offset) else { return nil }
        return UnsafeRawBufferPointer(buffer.bytes)
            .slice(offset - range.lowerBound..<range.count)
    }

    /// Reads the bytes from `offset` of a segment on. Where the segment ends there are fewer.
    mutating func fill(from file: LogSegment, at offset: Int) throws(StorageError) {
        segment = nil
        let count = try file.file.read(into: buffer.bytes.slice(0..<size), at: offset)
        range = offset..<offset + count
        segment = file.header.index
    }

    /// Reads on, for the window to have `count` bytes where the segment has them.
    mutating func extend(to count: Int, in file: LogSegment) throws(StorageError) {
        let known = range.count
        if known < size || count <= known { return }
        if count > buffer.bytes.count { buffer = buffer.grown(to: count, keeping: known) }
        let rest = buffer.bytes.slice(known..<count)
        let more = try file.file.read(into: rest, at: range.upperBound)
        range = range.lowerBound..<range.upperBound + more
    }

    /// Forgets what was read.
    mutating func clear() { segment = nil }
}
