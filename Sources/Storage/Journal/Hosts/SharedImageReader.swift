// Safety: what is handed on of a part is a slice of it, lent for the call.

/// Where the files of an image come to.
protocol SharedImageFiles {
    /// The next file begins, of so many bytes.
    mutating func begin(_ name: String, _ size: Int) throws(StorageError)

    /// Takes more bytes of the file, behind those before. They may be changed meanwhile.
    mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError)

    /// All files were there.
    mutating func end() throws(StorageError)
}

/// Reads the files of a store out of the parts of an image, as ``SharedImageWriter`` has lined them
/// up.
struct SharedImageReader<Files: SharedImageFiles> {
    var files: Files
    private let header: SharedImageHeader
    private var missing: Int
    /// What is there of the length, the size and the name of the next file.
    private var head: [UInt8] = []
    /// How much is to come of the file that began last.
    private var rest = 0

    init(_ files: Files, _ header: SharedImageHeader) {
        self.files = files
        self.header = header
        missing = header.length
    }

    /// Takes the contents of the next part behind the header's, which are of no use afterwards.
    mutating func take(_ contents: inout [UInt8]) throws(StorageError) {
        guard contents.starts(with: header.id.bytes) else {
            throw damage("it has a part of another one")
        }
        missing -= contents.count - SharedImageWriter.idSize
        guard missing >= 0 else { throw damage("it is longer than it says") }
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

    /// Throws unless everything was there.
    mutating func end() throws(StorageError) {
        guard missing == 0, head.isEmpty, rest == 0 else { throw damage("it is not complete") }
        try files.end()
    }

    /// How many bytes were taken: those of one file, or of what stands before it.
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

    /// How much stands before the next file, as far as that can be determined.
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
    /// What is wrong with the image.
    func damage(_ reason: String) -> StorageError {
        .sharedLogDiverged(reason: "the image of slot \(cursor.next): \(reason)")
    }
}
