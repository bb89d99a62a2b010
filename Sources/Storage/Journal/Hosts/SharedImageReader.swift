/// Makes the files of a store of the parts of an image, as ``SharedImageWriter`` has lined them up.
/// They are not durable.
struct SharedImageReader {
    private let folder: StoreDirectory
    private let header: SharedImageHeader
    private var missing: Int
    private var pending: [UInt8] = []
    private var current: (file: any File, offset: Int, rest: Int)?

    /// Makes the folder, in which nothing may be.
    init(_ folder: StoreDirectory, _ header: SharedImageHeader) throws(StorageError) {
        self.folder = folder
        self.header = header
        missing = header.length
        try folder.fileSystem.createDirectory(folder.path)
        for inner in StoreDirectory.folderNames {
            try folder.fileSystem.createDirectory(folder.path + "/" + inner)
        }
    }

    /// Whether a file of this name belongs into an image, outside of its folders.
    static func isNameAtTop(_ name: String) -> Bool {
        name == StoreDirectory.superblockName || name == "key"
    }

    /// Whether an image may have a file of this name: none leads out of the folder.
    private static func isName(_ name: String) -> Bool {
        if isNameAtTop(name) { return true }
        let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
        guard pieces.count == 2, StoreDirectory.folderNames.contains(String(pieces[0]))
        else { return false }
        return !pieces[1].isEmpty && !pieces[1].hasPrefix(".")
    }

    /// Takes the contents of the next part behind the header's.
    mutating func take(_ contents: [UInt8]) throws(StorageError) {
        guard contents.starts(with: header.id.bytes) else {
            throw damage("it has a part of another one")
        }
        pending += contents.dropFirst(SharedImageWriter.idSize)
        missing -= contents.count - SharedImageWriter.idSize
        while try writeOn() {}
    }

    /// Throws unless everything was there.
    func end() throws(StorageError) {
        guard missing == 0, pending.isEmpty, current?.rest ?? 0 == 0 else {
            throw damage("it is not complete")
        }
    }

    /// Writes what is pending of one file; false when more is needed for that.
    private mutating func writeOn() throws(StorageError) -> Bool {
        guard let (file, offset, rest) = current, rest > 0 else { return try beginFile() }
        let count = min(rest, pending.count)
        if count == 0 { return false }
        // Unsafe: lent for the call.
        let result = pending.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in
                try file.write(bytes.slice(0..<count), at: offset)
            }
        }
        try result.get()
        pending.removeFirst(count)
        current = (file, offset + count, rest - count)
        return true
    }

    private mutating func beginFile() throws(StorageError) -> Bool {
        guard pending.count >= 10 else { return false }
        let length = Int(pending[0]) | Int(pending[1]) << 8
        guard pending.count >= 10 + length else { return false }
        var size: UInt64 = 0
        for byte in pending[2..<10].reversed() { size = size << 8 | UInt64(byte) }
        let name = String(decoding: pending[10..<10 + length], as: UTF8.self)
        guard Self.isName(name), let size = Int(exactly: size), size <= header.length else {
            throw damage("it has a file that no store has")
        }
        pending.removeFirst(10 + length)
        current = (try folder.fileSystem.open(folder.path + "/" + name, .create), 0, size)
        return true
    }

    private func damage(_ reason: String) -> StorageError {
        .sharedLogDiverged(reason: "the image of slot \(header.cursor.next): \(reason)")
    }
}
