// Safety: the bytes that are checked and written are slices of a part, lent for the call, or of the
// kept end of the part before; headers are read only if there are enough bytes.

/// A page file of an image that becomes one of a store without page files. The nodes keep their
/// bytes and offsets, so that references between them stay valid; only the header gets the store's
/// own database.
struct AdoptedPages {
    /// How many bytes are needed to determine the length of a node.
    private static let nodeHeadSize = 16

    private let index: PageIndex
    let size: Int
    private let store: PageStore
    private let image: SharedImageHeader
    let file: any File
    /// The database of the image's store; known after the header.
    private(set) var database = Bits128.zero
    /// The salt of its node hashes; known after the header.
    private var salt = Bits128.zero
    /// The number of bytes written.
    private var offset = 0
    /// The start of an incomplete header or node.
    private var pending: [UInt8] = []

    init(
        _ index: PageIndex, size: Int, of image: SharedImageHeader, in store: PageStore
    ) throws(StorageError) {
        self.index = index
        self.size = size
        self.image = image
        self.store = store
        // An earlier attempt may have left the file, also as an open one.
        try store.remove(index)
        store.close([index])
        file = try store.fileSystem.open(store.path(index), .create)
    }

    /// Appends bytes: verifies and writes the complete nodes.
    mutating func take(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError) {
        var rest = bytes
        while !pending.isEmpty, !rest.isEmpty {
            let needed = try pendingSize() ?? Self.nodeHeadSize
            let count = min(needed - pending.count, rest.count)
            pending += rest.slice(0..<count)
            rest = rest.slice(count..<rest.count)
            if pending.count == (try pendingSize()) { try writePending() }
        }
        var end = 0
        while let size = try unitSize(UnsafeRawBufferPointer(rest.slice(end..<rest.count)), end),
            size <= rest.count - end
        {
            try check(rest.slice(end..<end + size), end)
            end += size
        }
        if end > 0 { try write(rest.slice(0..<end)) }
        pending += rest.slice(end..<rest.count)
    }

    /// Throws unless the file is complete. Does not sync it.
    func end() throws(StorageError) {
        guard pending.isEmpty, offset == size else { throw damage(at: offset) }
    }

    private func pendingSize() throws(StorageError) -> Int? {
        let result = pending.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try unitSize(bytes, 0) }
        }
        return try result.get()
    }

    private mutating func writePending() throws(StorageError) {
        var unit = pending
        pending = []
        let result = unit.withUnsafeMutableBytes { bytes in
            Result { () throws(StorageError) in
                try check(bytes, 0)
                try write(bytes)
            }
        }
        try result.get()
    }

    private mutating func write(_ bytes: UnsafeMutableRawBufferPointer) throws(StorageError) {
        try file.write(UnsafeRawBufferPointer(bytes), at: offset)
        offset += bytes.count
    }

    /// The size of the header or node that begins with these bytes, at `distance` from the written
    /// end; nil if they are too few to determine it.
    private func unitSize(
        _ bytes: UnsafeRawBufferPointer, _ distance: Int
    ) throws(StorageError) -> Int? {
        if offset + distance == 0 { return bytes.isEmpty ? nil : PageSegmentHeader.size }
        guard bytes.count >= Self.nodeHeadSize else { return nil }
        let length = Int(bytes.integer(at: 8, as: UInt32.self))
        guard length >= Node.headerSize, length % 8 == 0, length <= NodeImage.lengthMax,
            length <= size - offset - distance
        else { throw damage(at: offset + distance) }
        return length
    }

    /// Throws unless a header or a node verifies. Changes the header to the store's database.
    private mutating func check(
        _ unit: UnsafeMutableRawBufferPointer, _ distance: Int
    ) throws(StorageError) {
        let place = offset + distance
        if place > 0 {
            let address = PageAddress(segment: index, offset: place)
            guard NodeImage.isWhole(unit, salt: salt, at: address) else { throw damage(at: place) }
            return
        }
        guard let found = PageSegmentHeader(UnsafeRawBufferPointer(unit)), found.index == index,
            found.algorithm == .none
        else { throw damage(at: 0) }
        (database, salt) = (found.database, found.salt)
        PageSegmentHeader(index: index, database: store.database, salt: salt).encode(into: unit)
    }

    private func damage(at offset: Int) -> StorageError {
        image.damage("\(index.fileName) in it is damaged at offset \(offset)")
    }
}
