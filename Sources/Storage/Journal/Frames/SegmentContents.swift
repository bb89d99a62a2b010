/// The contents of a segment's file.
struct SegmentContents {
    private let buffer: AlignedBuffer
    /// From here on all bytes are zero.
    let end: Int

    /// No segment is larger.
    static let sizeMax = 16 << 20
    /// How much of a file is read at once.
    private static let stepSize = 16 << 10
    /// After this many zeros at the end of a read, the rest is usually zero, too.
    private static let pageSize = 4 << 10

    /// Reads the bytes from `start` on; those before it are zero.
    init(
        _ path: String, _ fileSystem: any FileSystem, from start: Int = 0
    ) throws(StorageError) {
        let file = try fileSystem.open(path, .readOnly)
        let length = try Self.length(of: file, path)
        // A multiple of 8; bytes that the file lacks are zero.
        buffer = AlignedBuffer(capacity: length.roundedUpTo8)
        // Where a page of zeros suggests that the rest was preallocated, it is read into another
        // buffer, so that the untouched zero memory of the main buffer is not allocated.
        let scratch = AlignedBuffer(capacity: min(length, Self.stepSize))
        var isWritten = true
        var end = start
        for step in stride(from: start, to: length, by: Self.stepSize) {
            let range = step..<min(step + Self.stepSize, length)
            let target = buffer.bytes.slice(range)
            let read = isWritten ? target : scratch.bytes.slice(0..<range.count)
            let count = try file.read(into: read, at: step)
            // Unsafe: bytes that were just read, of buffers that outlive their use.
            let bytes = UnsafeRawBufferPointer(read).slice(0..<count)
            if !isWritten {
                if bytes.isZero(from: 0) { continue }
                target.copyMemory(from: bytes)
            }
            end = step + count
            isWritten = !bytes.isZero(from: max(0, (count - Self.pageSize) & ~7))
        }
        self.end = end
    }

    /// How long the file of a segment is. Throws `.corrupted` for one that is longer than any.
    static func length(of file: any File, _ path: String) throws(StorageError) -> Int {
        let length = try file.size().length
        guard length <= sizeMax else {
            throw .corrupted(segment: path, offset: length, reason: "the file is over 16 MiB")
        }
        return length
    }

    // Unsafe: valid as long as this value.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer.bytes) }
}
