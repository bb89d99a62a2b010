package import Storage
import Synchronization

/// Keeps what was written of the log when there was no space for more, although it is to go: a
/// canary.
package struct StickyFiles: WrappedFiles {
    package enum Kept: Sendable { case bytes, segments }

    package let base: any FileSystem
    private let kept: Kept
    private let memory = Memory()

    package init(base: any FileSystem, kept: Kept) {
        self.base = base
        self.kept = kept
    }

    fileprivate final class Memory: Sendable {
        /// Whether the last write met a full disk.
        let hasFailed = Atomic<Bool>(false)
    }

    package func open(_ path: String, _ mode: OpenMode) throws(StorageError) -> any File {
        let file = try base.open(path, mode)
        return path.hasSuffix(".log") ? StickyFile(file, kept, memory) : file
    }

    package func remove(_ path: String) throws(StorageError) {
        let isMeant = kept == .segments && path.hasSuffix(".log")
        if isMeant, memory.hasFailed.load(ordering: .relaxed) { return }
        try base.remove(path)
    }
}

private final class StickyFile: WrappedFile {
    let base: any File
    private let kept: StickyFiles.Kept
    private let memory: StickyFiles.Memory

    init(_ base: any File, _ kept: StickyFiles.Kept, _ memory: StickyFiles.Memory) {
        self.base = base
        self.kept = kept
        self.memory = memory
    }

    /// Whether zeros in this place take back what stays. New segments are zeros from their begin
    /// on, and more of them.
    private func isKept(_ offset: Int, _ count: Int) -> Bool {
        switch kept {
        case .bytes: offset > 0
        case .segments: offset == 0 && count <= 4096
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
        let isZero = bytes.allSatisfy { $0 == 0 }
        if isZero, isKept(offset, bytes.count), memory.hasFailed.load(ordering: .relaxed) { return }
        do throws(StorageError) {
            try base.write(bytes, at: offset)
            if !isZero { memory.hasFailed.store(false, ordering: .relaxed) }
        } catch {
            memory.hasFailed.store(true, ordering: .relaxed)
            throw error
        }
    }
}
