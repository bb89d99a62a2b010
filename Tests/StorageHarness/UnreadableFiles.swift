package import Storage
import Synchronization

/// A file system whose page files cannot be read while it is told so, or not in some place: a disk
/// that goes away, and comes back.
package final class UnreadableFiles: WrappedFiles {
    package let base: any FileSystem
    private let reads = PageReads()

    package init(_ base: any FileSystem) { self.base = base }

    /// The bytes of every page file that cannot be read.
    package var unreadable: Range<Int> {
        get { reads.state.withLock { $0.unreadable } }
        set { reads.state.withLock { $0.unreadable = newValue } }
    }

    package var arePagesUnreadable: Bool {
        get { !unreadable.isEmpty }
        set { unreadable = newValue ? 0..<Int.max : 0..<0 }
    }

    /// What was asked for of page files so far.
    package var asked: Set<Range<Int>> { reads.state.withLock { $0.asked } }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(".pages") ? UnreadableFile(file, path, reads) : file
    }
}

private final class PageReads: Sendable {
    struct State {
        var unreadable = 0..<0
        var asked: Set<Range<Int>> = []
    }

    let state = Mutex(State())

    /// Notes that bytes are asked for, and whether they cannot be read.
    func fails(at bytes: Range<Int>) -> Bool {
        state.withLock { state in
            state.asked.insert(bytes)
            return state.unreadable.overlaps(bytes)
        }
    }
}

private final class UnreadableFile: WrappedFile {
    let base: any File
    private let path: String
    private let reads: PageReads

    init(_ base: any File, _ path: String, _ reads: PageReads) {
        self.base = base
        self.path = path
        self.reads = reads
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(StorageError) -> Int {
        if reads.fails(at: offset..<offset + buffer.count) {
            throw .io(operation: .read, path: path, errno: Platform.inputOutput)
        }
        return try base.read(into: buffer, at: offset)
    }
}
