import Storage

/// How full a simulated disk is.
struct SimulatedSpace: Sendable {
    static let blockSize = 4096

    /// Bytes that it has space for; nil for any number.
    var capacity: Int?
    /// Whether blocks are never written in place.
    var copiesOnWrite = false
    /// How many files it may have; nil for any number.
    var filesMax: Int?
    /// How often files are open.
    private(set) var open: [SimulatedFile.ID: Int] = [:]

    mutating func noteOpen(_ id: SimulatedFile.ID) { open[id, default: 0] += 1 }

    mutating func noteClosed(_ id: SimulatedFile.ID) {
        let count = (open[id] ?? 0) - 1
        open[id] = count > 0 ? count : nil
    }

    mutating func forgetOpen() { open = [:] }
}

extension SimulatedDisk.State {
    /// Bytes of all blocks in use: a file keeps its own until it has neither a name nor a reader.
    var usedBytes: Int {
        var ids = Set(space.open.keys)
        for file in names.files { ids.insert(file.id) }
        return ids.reduce(0) { $0 + Self.blocks(contents[$1]?.bytes.count ?? 0) }
            * SimulatedSpace.blockSize
    }

    private static func blocks(_ bytes: Int) -> Int {
        (bytes + SimulatedSpace.blockSize - 1) / SimulatedSpace.blockSize
    }

    /// Refuses another file where there are as many as there may be.
    func requireAnotherFile(_ path: String) throws(StorageError) {
        guard let most = space.filesMax, names.files.count >= most else { return }
        throw .outOfSpace(path: path)
    }

    /// How many of `count` bytes at `offset` there is space for.
    func bytesThatFit(_ count: Int, at offset: Int, of id: SimulatedFile.ID) -> Int {
        guard let capacity = space.capacity, count > 0 else { return count }
        let size = SimulatedSpace.blockSize
        let free = max(0, (capacity - usedBytes) / size)
        let first =
            space.copiesOnWrite ? offset / size : Self.blocks(contents[id]?.bytes.count ?? 0)
        // The end of the last block that can be had.
        let end = (first + free) * size
        return min(count, max(0, end - offset))
    }

    /// Forgets what stands in files that nobody can find any more, on a disk that is to be filled.
    mutating func forgetLost() {
        if space.capacity == nil { return }
        let reachable = names.reachableFiles
        contents = contents.filter { reachable.contains($0.key) || space.open[$0.key] != nil }
    }
}
