import StorageHarness
import Testing

@testable import Storage

/// Disks on which removing and renaming need space, as on copy-on-write file systems, and stores
/// that are moved into place on disks without space for them.
@Suite struct ScarceRemovalTests {
    /// The reserve could not be removed, and so freed none of its space.
    @Test func aReserveThatCannotBeRemovedIsTruncated() throws {
        let disk = SimulatedDisk()
        try disk.createDirectory("store.realm")
        let reserve = SpaceReserve(
            fileSystem: CopyingFiles(base: disk), path: "store.realm/reserve", targetSize: 60_000)
        try reserve.refill()
        #expect(reserve.size == 60_000)
        reserve.spend()
        #expect(reserve.size == 0)
        #expect(disk.files.isEmpty)
        try reserve.refill()
        #expect(reserve.isWhole && reserve.size == 60_000)
    }

    /// A realm that had filled the disk could not be deleted, because its superblock could not be
    /// renamed.
    @Test func aStoreIsRemovedWithTheSpaceOfItsReserve() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        #expect(try store.insert(100))
        try store.close()
        let directory = StoreDirectory(fileSystem: CopyingFiles(base: disk), path: "store.realm")
        try directory.removeStore()
        #expect(disk.files.isEmpty)
    }

    /// Without a reserve the store stays, with an error that says why.
    @Test func aStoreThatCannotBeRemovedStays() throws {
        let disk = SimulatedDisk()
        let store = try FillingStore(disk)
        #expect(try store.insert(100))
        try store.close()
        let files = CopyingFiles(base: disk, hasSpace: { false })
        let directory = StoreDirectory(fileSystem: files, path: "store.realm")
        #expect {
            try directory.removeStore()
        } throws: { error in
            if case .outOfSpace? = error as? StorageError { true } else { false }
        }
        try store.recover()
        try store.check()
        #expect(try store.insert(100))
    }

    /// The disk may store only a part of a written piece, which was reported as an I/O error.
    @Test func movingACopyIntoPlaceReportsAFullDisk() throws {
        let store = try FillingStore(SimulatedDisk())
        #expect(try store.insert(5_000))
        let snapshot = store.engine.latest
        let disk = SimulatedDisk()
        let place = StoreDirectory(fileSystem: disk, path: "copy.realm")
        for blocks in 30..<60 {
            disk.limit(to: blocks * 4096)
            #expect {
                try place.makeStore(LogOptions()) { growing in
                    var copy = StoreCopy(of: snapshot, to: disk, directory: growing.path)
                    copy.preparesInBackground = false
                    try copy.fill()
                }
            } throws: { error in
                if case .outOfSpace? = error as? StorageError { true } else { false }
            }
            #expect(disk.files.isEmpty, "\(blocks) blocks")
        }
    }
}

/// A file system on which nothing can be removed or renamed without space.
private struct CopyingFiles: WrappedFiles {
    let base: any FileSystem
    /// Whether there is space; nil: only while the store's reserve does not exist.
    var hasSpace: (@Sendable () -> Bool)?

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        try base.open(path, mode)
    }

    func rename(_ path: String, to newPath: String) throws(StorageError) {
        try requireSpace(.rename, path)
        try base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(StorageError) {
        if (try? base.open(path, .readOnly)) != nil { try requireSpace(.remove, path) }
        try base.remove(path)
    }

    private func requireSpace(_ operation: IOOperation, _ path: String) throws(StorageError) {
        if hasSpace?() ?? isReserveSpent { return }
        throw .io(operation: operation, path: path, errno: Platform.noSpace)
    }

    private var isReserveSpent: Bool {
        guard let reserve = try? base.open("store.realm/reserve", .readOnly),
            let size = try? reserve.size()
        else { return true }
        return size.length == 0
    }
}
