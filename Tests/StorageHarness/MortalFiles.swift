package import Storage
import Synchronization

/// The files of a process that can be killed: what it does from then on goes to memory of its own,
/// and nothing of it to the disk.
package final class MortalFiles: WrappedFiles {
    private let living: any FileSystem
    private let nowhere = MemoryFileSystem()
    private let isKilled = Atomic<Bool>(false)

    package init(_ base: any FileSystem) { living = base }

    package func kill() { isKilled.store(true, ordering: .releasing) }

    fileprivate var isAlive: Bool { !isKilled.load(ordering: .acquiring) }

    package var base: any FileSystem { isAlive ? living : nowhere }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        MortalFile(
            try base.open(path, mode), try nowhere.open("file", .create), self)
    }
}

private final class MortalFile: WrappedFile {
    private let living: any File
    private let nowhere: any File
    private let files: MortalFiles

    init(_ living: any File, _ nowhere: any File, _ files: MortalFiles) {
        self.living = living
        self.nowhere = nowhere
        self.files = files
    }

    var base: any File { files.isAlive ? living : nowhere }
}
