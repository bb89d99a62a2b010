// Safety: the bytes that are passed on are slices of a part, lent for the call.

/// The destination of the files of an image.
protocol SharedImageFiles {
    /// Begins the next file, whose size in bytes is given.
    mutating func begin(_ name: String, _ size: Int) throws(StorageError)

    /// Appends bytes to the file. The buffer may be modified.
    mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError)

    /// All files are complete.
    mutating func end() throws(StorageError)
}

/// Extracts the files of a store from the parts of an image, see ``SharedImageWriter``.
struct SharedImageReader<Files: SharedImageFiles> {
    var files: Files
    private let header: SharedImageHeader
    private var missing: Int
    /// The bytes read so far of the next file's name length, size and name.
    private var head: [UInt8] = []
    /// How many bytes of the current file are missing.
    private var rest = 0

    init(_ files: Files, _ header: SharedImageHeader) {
        self.files = files
        self.header = header
        missing = header.length
    }

    /// Consumes the contents of the next part.
    mutating func take(_ contents: inout [UInt8]) throws(StorageError) {
        guard contents.starts(with: header.id.bytes) else {
            throw damage("it has a part of another one")
        }
        missing -= contents.count - SharedImageWriter.idSize
        guard missing >= 0 else { throw damage("it exceeds its recorded length") }
        let result = contents.withUnsafeMutableBytes { bytes in
            Result { () throws(StorageError) in
                var offset = SharedImageWriter.idSize
                while offset < bytes.count {
                    offset += try takeSome(bytes.slice(offset..<bytes.count))
                }
            }
        }
        try result.get()
    }

    /// Throws unless all files are complete.
    mutating func end() throws(StorageError) {
        guard missing == 0, head.isEmpty, rest == 0 else { throw damage("it is not complete") }
        try files.end()
    }

    /// Consumes bytes of one file, or of the fields before it; returns how many.
    private mutating func takeSome(
        _ bytes: UnsafeMutableRawBufferPointer
    ) throws(StorageError) -> Int {
        if rest > 0 {
            let count = min(rest, bytes.count)
            try files.take(bytes.slice(0..<count))
            rest -= count
            return count
        }
        let count = min(headSize - head.count, bytes.count)
        head += bytes.slice(0..<count)
        if head.count == headSize { try beginFile() }
        return count
    }

    /// The size of the fields before the next file, as far as known.
    private var headSize: Int {
        head.count < SharedImageWriter.headSizeMin
            ? SharedImageWriter.headSizeMin
            : SharedImageWriter.headSizeMin + (Int(head[0]) | Int(head[1]) << 8)
    }

    private mutating func beginFile() throws(StorageError) {
        var size: UInt64 = 0
        for byte in head[2..<SharedImageWriter.headSizeMin].reversed() {
            size = size << 8 | UInt64(byte)
        }
        let name = String(decoding: head[SharedImageWriter.headSizeMin...], as: UTF8.self)
        guard SharedImageWriter.isName(name), let size = Int(exactly: size), size <= header.length
        else { throw damage("it has a file that no store has") }
        head = []
        rest = size
        try files.begin(name, size)
    }

    private func damage(_ reason: String) -> StorageError { header.damage(reason) }
}

extension SharedImageHeader {
    /// The error for damage in the image.
    func damage(_ reason: String) -> StorageError {
        .sharedLogDiverged(reason: "the image of slot \(cursor.next): \(reason)")
    }
}
