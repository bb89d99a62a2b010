/// Concatenates the files of a store and splits them into the parts of an image.
///
/// The first part is the header. The others have, for each file, the length of its name (2 bytes),
/// its size (8 bytes), its name and its contents; every part begins with the identifier of the
/// image.
struct SharedImageWriter {
    static let idSize = 16
    /// The size of the fields before the name of a file.
    static let headSizeMin = 10

    private let folder: StoreDirectory
    private let files: [(name: String, size: Int)]
    private let header: SharedImageHeader
    private let partBytes: Int
    private var number = 0
    private var nextFile = 0
    /// The file that is being read, and how much of it remains.
    private var current: (file: any File, offset: Int, rest: Int)?
    private var buffer: [UInt8] = []

    /// An image of the closed store in `folder`, whose log is at `cursor`.
    init(
        _ folder: StoreDirectory, host: Bits128, cursor: SharedCursor, time: Double,
        partBytes: Int
    ) throws(StorageError) {
        self.folder = folder
        self.partBytes = partBytes
        var files: [(name: String, size: Int)] = []
        for name in try Self.names(in: folder) {
            let file = try folder.fileSystem.open(folder.path + "/" + name, .readOnly)
            files.append((name, try file.size().length))
        }
        self.files = files
        let length = files.reduce(0) { $0 + Self.head(of: $1.name, $1.size).count + $1.size }
        header = SharedImageHeader(time: time, length: length, host: host, cursor: cursor)
    }

    /// Whether a file at the top level of a store belongs to an image.
    private static func isNameAtTop(_ name: String) -> Bool {
        name == StoreDirectory.superblockName || name == "key"
    }

    /// Whether an image may have a file of this name, which must not lead out of the folder.
    static func isName(_ name: String) -> Bool {
        if isNameAtTop(name) { return true }
        let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
        guard pieces.count == 2, StoreDirectory.folderNames.contains(String(pieces[0]))
        else { return false }
        return !pieces[1].isEmpty && !pieces[1].hasPrefix(".")
    }

    private static func names(in folder: StoreDirectory) throws(StorageError) -> [String] {
        let files = folder.fileSystem
        var names = try files.list(folder.path).filter(isNameAtTop)
        for inner in StoreDirectory.folderNames {
            names += try files.list(folder.path + "/" + inner).map { inner + "/" + $0 }
        }
        return names
    }

    private static func head(of name: String, _ size: Int) -> [UInt8] {
        let name = Array(name.utf8)
        let fields = [(UInt64(name.count), 2), (UInt64(size), 8)]
        return fields.flatMap { value, count in
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        } + name
    }

    /// The description of the image for the engine.
    func described(sealedBy cipher: SharedLogCipher?) -> SharedLogImage {
        let parts = 1 + (header.length + partBytes - 1) / partBytes
        let overhead = SharedImagePart.overhead(cipher) + Self.idSize
        return SharedLogImage(
            slot: header.cursor.next, parts: parts,
            bytes: SharedImageHeader.size + header.length + parts * overhead)
    }

    /// The contents of the next part; nil after the last one.
    mutating func next() throws(StorageError) -> [UInt8]? {
        defer { number += 1 }
        if number == 0 { return header.id.bytes + header.encoded }
        while buffer.count < partBytes, try fillBuffer() {}
        if buffer.isEmpty { return nil }
        let piece = buffer.prefix(partBytes)
        buffer.removeFirst(piece.count)
        return header.id.bytes + piece
    }

    /// Appends to the buffer; false at the end.
    private mutating func fillBuffer() throws(StorageError) -> Bool {
        if let (file, offset, rest) = current, rest > 0 {
            let count = min(rest, partBytes)
            buffer += try file.bytes(count, at: offset)
            current = (file, offset + count, rest - count)
            return true
        }
        guard nextFile < files.count else { return false }
        let (name, size) = files[nextFile]
        nextFile += 1
        let file = try folder.fileSystem.open(folder.path + "/" + name, .readOnly)
        current = (file, 0, size)
        buffer += Self.head(of: name, size)
        return true
    }
}

extension File {
    /// `count` bytes from `offset` on, which must exist.
    fileprivate func bytes(_ count: Int, at offset: Int) throws(StorageError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // Unsafe: lent for the call.
        let result = bytes.withUnsafeMutableBytes { bytes in
            Result { () throws(StorageError) in try read(into: bytes, at: offset) }
        }
        guard try result.get() == count else {
            throw .invalid("A file of an image became shorter while it was read.")
        }
        return bytes
    }
}
