import StorageHarness
import Synchronization

@testable import Storage

/// A file system that, on request, removes none of the files of log and pages.
final class FullFiles: WrappedFiles {
    let base: any FileSystem
    let isFull = Atomic<Bool>(false)
    /// Whether there is space as long as the store's reserve does not exist.
    let hasOnlyReserve = Atomic<Bool>(false)
    /// Whether segments with contents cannot be overwritten from the start either.
    let keepsBegins = Atomic<Bool>(false)
    let refusals = Atomic<Int>(0)

    init(_ base: any FileSystem) { self.base = base }

    func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(".log") ? FullFile(base: file, path: path, files: self) : file
    }

    func remove(_ path: String) throws(StorageError) {
        let isMeant = path.hasSuffix(".log") || path.hasSuffix(".pages")
        if isMeant, isRefusing, (try? base.open(path, .readOnly)) != nil {
            refusals.wrappingAdd(1, ordering: .relaxed)
            throw .io(operation: .remove, path: path, errno: Platform.noSpace)
        }
        try base.remove(path)
    }

    fileprivate var isRefusing: Bool {
        if isFull.load(ordering: .relaxed) { return true }
        return hasOnlyReserve.load(ordering: .relaxed)
            && (try? base.open("store.realm/reserve", .readOnly)) != nil
    }
}

private final class FullFile: WrappedFile {
    let base: any File
    private let path: String
    private let files: FullFiles

    init(base: any File, path: String, files: FullFiles) {
        (self.base, self.path, self.files) = (base, path, files)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        let isKept = files.keepsBegins.load(ordering: .relaxed) && files.isRefusing
        if isKept, offset == 0, try base.size().length > 0, bytes.allSatisfy({ $0 == 0 }) {
            throw .outOfSpace(path: path)
        }
        try base.write(bytes, at: offset)
    }
}
