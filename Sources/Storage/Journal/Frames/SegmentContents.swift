/// What a segment's file holds.
struct SegmentContents {
    private let buffer: AlignedBuffer
    /// Behind this all bytes are zero.
    let end: Int

    /// No segment is larger.
    static let sizeMax = 16 << 20
    /// How much of a file is read at once.
    private static let stepSize = 16 << 10
    /// So many zeros at the end of what was read, and the rest will be zeros, in most cases.
    private static let pageSize = 4 << 10

    /// Reads the bytes from `start` on; those before it are zero.
    init(
        _ path: String, _ fileSystem: any FileSystem, from start: Int = 0
    ) throws(StorageError) {
        let file = try fileSystem.open(path, .readOnly)
        let length = try Self.length(of: file, path)
        // A whole multiple of 8; what the file lacks of it reads as zeros.
        buffer = AlignedBuffer(capacity: length.roundedUpTo8)
        // Where the file was written ahead with zeros, behind a page of them, they are read
        // elsewhere, so that the buffer's own memory, which is zero, is not touched.
        let scratch = AlignedBuffer(capacity: min(length, Self.stepSize))
        var isWritten = true
        var end = start
        for step in stride(from: start, to: length, by: Self.stepSize) {
            let range = step..<min(step + Self.stepSize, length)
            let target = buffer.bytes.slice(range)
            let read = isWritten ? target : scratch.bytes.slice(0..<range.count)
            let count = try file.read(into: read, at: step)
            // Unsafe: what was just read, of buffers that outlive its use.
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
