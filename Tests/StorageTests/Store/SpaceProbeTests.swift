import StorageHarness
import Synchronization
import Testing

@testable import Storage

/// A disk with a limited file size. Bytes beyond the first few blocks of a file are only counted.
private final class SmallFiles: WrappedFiles {
    let base: any FileSystem = MemoryFileSystem()
    let sizeMax: Int
    let capacity: Int
    let used = Atomic<Int>(0)

    init(sizeMax: Int, capacity: Int) { (self.sizeMax, self.capacity) = (sizeMax, capacity) }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        SmallFile(base: try base.open(path, mode), path: path, files: self)
    }

    /// Whether no probe files are left.
    var isClean: Bool {
        used.load(ordering: .relaxed) == 0 && (try? base.open("reserve.new", .readOnly)) == nil
    }
}

private final class SmallFile: WrappedFile {
    let base: any File
    private let path: String
    private let files: SmallFiles
    private let counted = Atomic<Int>(0)

    init(base: any File, path: String, files: SmallFiles) {
        (self.base, self.path, self.files) = (base, path, files)
    }

    deinit {
        files.used.wrappingSubtract(counted.load(ordering: .relaxed), ordering: .relaxed)
    }

    func allocate(_ length: Int) throws(StorageError) {
        if length <= 1 << 16 { return try base.allocate(length) }
        let used = files.used.load(ordering: .relaxed)
        guard length <= files.sizeMax, used + length <= files.capacity else {
            throw .outOfSpace(path: path)
        }
        files.used.wrappingAdd(length, ordering: .relaxed)
        counted.wrappingAdd(length, ordering: .relaxed)
    }
}

/// A disk with space for any number of files of a limited size.
private struct LimitedFiles: WrappedFiles {
    let base: any FileSystem
    let sizeMax: Int

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        LimitedFile(base: try base.open(path, mode), path: path, sizeMax: sizeMax)
    }
}

private final class LimitedFile: WrappedFile {
    let base: any File
    private let path: String
    private let sizeMax: Int

    init(base: any File, path: String, sizeMax: Int) {
        (self.base, self.path, self.sizeMax) = (base, path, sizeMax)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        guard offset + bytes.count <= sizeMax else { throw .outOfSpace(path: path) }
        try base.write(bytes, at: offset)
    }

    func allocate(_ length: Int) throws(StorageError) {
        guard length <= sizeMax else { throw .outOfSpace(path: path) }
        try base.allocate(length)
    }
}

/// Probing for the space of a full compaction, or of an image.
@Suite struct SpaceProbeTests {
    private static let gigabyte = 1 << 30

    // One probe file of the full size exceeds the limit of FAT32, or of `ulimit -f`: a full
    // compaction of a large store ended half way, on a disk with enough space.
    @Test func filesMayBeSmallerThanTheSpace() throws {
        let files = SmallFiles(sizeMax: Self.gigabyte, capacity: 20 * Self.gigabyte)
        let reserve = SpaceReserve(fileSystem: files, path: "reserve", targetSize: 4096)
        for size in [1, 4, 19] {
            #expect(try reserve.hasSpaceBeside(size * Self.gigabyte + 12_345))
            #expect(files.isClean)
        }
        #expect(reserve.isWhole)
    }

    /// It emptied the segments that fit into the reserve, and reported that the disk was full.
    @Test func aCompactionOfMoreThanAFileHoldsIsComplete() throws {
        let disk = SimulatedDisk()
        var options = FillingStore.options
        options.segmentSizeGrown = 512 << 10
        options.segmentSizeMax = 512 << 10
        options.pages.segmentSizeGrown = 256 << 10
        let files = LimitedFiles(base: disk, sizeMax: 900_000)
        let store = try FillingStore(files, options: options)
        for _ in 0..<10 { #expect(try store.insert(2_000)) }
        try store.engine.checkpoint()
        #expect(store.engine.storedBytes > files.sizeMax)
        #expect(try store.delete { $0 % 2 == 0 })
        try store.compact()
        #expect(store.engine.liveBytes > files.sizeMax)
        #expect(store.engine.storedBytes < store.engine.liveBytes * 5 / 4)
        try store.check()
    }

    @Test func missingSpaceIsDetected() throws {
        let files = SmallFiles(sizeMax: Self.gigabyte, capacity: 20 * Self.gigabyte)
        let reserve = SpaceReserve(fileSystem: files, path: "reserve", targetSize: 4096)
        for size in [21, 100, 1 << 30] {
            #expect(try !reserve.hasSpaceBeside(size * Self.gigabyte))
            #expect(files.isClean)
        }
        // A smaller limit than the size of the probe files.
        let tiny = SmallFiles(sizeMax: 2 << 20, capacity: Self.gigabyte)
        let other = SpaceReserve(fileSystem: tiny, path: "reserve", targetSize: 4096)
        #expect(try !other.hasSpaceBeside(100 << 20))
        #expect(try other.hasSpaceBeside(50 << 20))
        #expect(tiny.isClean)
    }

    /// Without descriptors, the disk was reported as full.
    @Test func aLackOfDescriptorsIsNotALackOfSpace() throws {
        let files = RefusingFiles(MemoryFileSystem()) { path, _ in
            .io(operation: .open, path: path, errno: 24)
        }
        let reserve = SpaceReserve(fileSystem: files, path: "reserve", targetSize: 4096)
        // First without the reserve, then with it.
        for _ in 0..<2 {
            files.isRefusing = true
            #expect {
                try reserve.hasSpaceBeside(4096)
            } throws: { error in
                (error as? StorageError)?.lacksDescriptors ?? false
            }
            files.isRefusing = false
            #expect(try reserve.hasSpaceBeside(4096))
        }
    }
}
