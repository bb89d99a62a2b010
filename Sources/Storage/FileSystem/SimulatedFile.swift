import Synchronization

/// What a file holds, as readers see it and as it is on the medium.
struct SimulatedContent {
    static let sectorSize = 512

    private(set) var bytes: [UInt8] = []
    private var durable: [UInt8] = []
    /// Sectors that the next sync has to write.
    private var dirty: Set<Int> = []

    mutating func write(_ source: SendableBytes, at offset: Int) {
        guard source.count > 0 else { return }
        let oldLength = bytes.count
        bytes.write(source, at: offset)
        markDirty(min(offset, oldLength)..<offset + source.count)
    }

    mutating func extend(to length: Int) {
        let start = bytes.count
        guard length > start else { return }
        bytes.extend(to: length)
        markDirty(start..<length)
    }

    private mutating func markDirty(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        dirty.formUnion(
            range.lowerBound / Self.sectorSize...(range.upperBound - 1) / Self.sectorSize)
    }

    mutating func sync() {
        durable.extend(to: bytes.count)
        for sector in dirty { copy(sector, upTo: Self.sectorSize) }
        dirty.removeAll()
    }

    /// The medium did not take the bytes, and the system forgets that it should have.
    mutating func dropDirty() { dirty.removeAll() }

    mutating func flip(_ offset: Int, _ mask: UInt8) {
        guard bytes.indices.contains(offset), durable.indices.contains(offset) else { return }
        bytes[offset] ^= mask
        durable[offset] ^= mask
    }

    /// Keeps what is durable, and of each unsynced sector all, nothing, or the bytes up to a tear.
    mutating func crash(_ random: inout SeededGenerator) {
        let grown = bytes.count - durable.count
        if grown > 0 {
            // The length may be there without the data; what was never written reads as anything.
            let kept = [0, grown, random.next(below: grown + 1)][random.next(below: 3)]
            let fill: UInt8 = random.next(below: 4) == 0 ? 0xA7 : 0
            durable.append(contentsOf: repeatElement(fill, count: kept))
        }
        let policy = random.next(below: 4)
        for sector in dirty.sorted() {
            switch policy == 0 ? 0 : policy == 1 ? 1 : random.next(below: 3) {
            case 0: break
            case 1: copy(sector, upTo: Self.sectorSize)
            default: copy(sector, upTo: random.next(below: Self.sectorSize))
            }
        }
        bytes = durable
        dirty.removeAll()
    }

    private mutating func copy(_ sector: Int, upTo count: Int) {
        let start = sector * Self.sectorSize
        let end = min(start + count, durable.count, bytes.count)
        guard start < end else { return }
        durable.replaceSubrange(start..<end, with: bytes[start..<end])
    }
}

/// A file opened on a simulated disk; it stops working when the disk crashes.
final class SimulatedFile: File {
    typealias ID = Int

    private let disk: SimulatedDisk
    private let id: ID
    private let path: String
    private let boot: Int

    init(disk: SimulatedDisk, id: ID, path: String, boot: Int) {
        self.disk = disk
        self.id = id
        self.path = path
        self.boot = boot
    }

    func size() throws(StorageError) -> FileSize {
        try disk.state.withLock { state throws(StorageError) in
            _ = try begin(.size, &state)
            let length = state.contents[id]?.bytes.count ?? 0
            return FileSize(length: length, allocated: length)
        }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        let target = SendableBytes(start: buffer.baseAddress, count: buffer.count)
        return try disk.state.withLock { state throws(StorageError) in
            _ = try begin(.read, &state)
            return state.contents[id]?.bytes.read(into: target, at: offset) ?? 0
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        // Unsafe: never written through; the caller lends the bytes for this call.
        let source = SendableBytes(
            start: UnsafeMutableRawPointer(mutating: bytes.baseAddress), count: bytes.count)
        try disk.state.withLock { state throws(StorageError) in
            if try begin(.write, &state) == .shortWrite {
                let half = SendableBytes(start: source.start, count: source.count / 2)
                state.contents[id]?.write(half, at: offset)
                throw .io(operation: .write, path: path, errno: Platform.noSpace)
            }
            state.contents[id]?.write(source, at: offset)
        }
    }

    func allocate(_ length: Int) throws(StorageError) {
        try disk.state.withLock { state throws(StorageError) in
            _ = try begin(.allocate, &state)
            state.contents[id]?.extend(to: length)
        }
    }

    func sync() throws(StorageError) {
        try disk.state.withLock { state throws(StorageError) in
            if try begin(.sync, &state) == .failedSync {
                state.contents[id]?.dropDirty()
                throw .io(operation: .sync, path: path, errno: Platform.inputOutput)
            }
            guard !state.ignoresSync else { return }
            state.contents[id]?.sync()
        }
    }

    private func begin(
        _ operation: IOOperation, _ state: inout SimulatedDisk.State
    ) throws(StorageError) -> SimulatedDisk.Fault.Kind? {
        guard state.boot == boot else {
            throw .io(operation: operation, path: path, errno: Platform.inputOutput)
        }
        return try state.begin(operation, path)
    }
}
