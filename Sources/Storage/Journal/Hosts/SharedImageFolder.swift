// Safety: the written bytes are lent for the call.

/// Writes the files of an image to a folder, which must be empty, without syncing them.
struct SharedImageFolder: SharedImageFiles {
    private let folder: StoreDirectory
    private var current: (file: any File, offset: Int)?

    /// Creates the folder.
    init(_ folder: StoreDirectory) throws(StorageError) {
        self.folder = folder
        try folder.fileSystem.createDirectory(folder.path)
        for inner in StoreDirectory.folderNames {
            try folder.fileSystem.createDirectory(folder.path + "/" + inner)
        }
    }

    mutating func begin(_ name: String, _ size: Int) throws(StorageError) {
        current = (try folder.fileSystem.open(folder.path + "/" + name, .create), 0)
    }

    mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError) {
        guard let (file, offset) = current else { return }
        try file.write(UnsafeRawBufferPointer(bytes), at: offset)
        current = (file, offset + bytes.count)
    }

    mutating func end() { current = nil }
}
