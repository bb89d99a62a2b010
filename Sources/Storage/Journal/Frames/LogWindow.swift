/// A buffer with a range of a segment, in which a reader finds frames.
///
/// The bytes after the end of a log change while it is written. A reader that finds no frame in a
/// window reads the file again before it reports that there is none.
struct LogWindow {
    /// The read size at the end of a log, for followers.
    static let small = 4 << 10
    /// The read size elsewhere.
    static let large = 64 << 10

    private var buffer: AlignedBuffer
    /// The read size for frames of unknown length.
    private let size: Int
    private var segment: SegmentIndex?
    /// The range of its bytes in the segment.
    private var range = 0..<0

    init(size: Int = LogWindow.small) {
        self.size = size
        buffer = AlignedBuffer(capacity: size)
    }

    /// Keeps the bytes alive.
    var owner: AnyObject { buffer }

    // Unsafe: valid until the window is filled again, and while it lives.
    /// The bytes from `offset` of a segment on, nil if they were not read.
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

    /// Extends the window to `count` bytes, if the segment has them.
    mutating func extend(to count: Int, in file: LogSegment) throws(StorageError) {
        let known = range.count
        if known < size || count <= known { return }
        if count > buffer.bytes.count { buffer = buffer.grown(to: count, keeping: known) }
        let rest = buffer.bytes.slice(known..<count)
        let more = try file.file.read(into: rest, at: range.upperBound)
        range = range.lowerBound..<range.upperBound + more
    }

    /// Discards its contents.
    mutating func clear() { segment = nil }
}
