extension File {
    /// Writes zeros, so that the blocks are not only allocated but written: overwriting them later
    /// changes no metadata, which makes each sync cheaper. `.outOfSpace` when the disk is full.
    package func writeZeros(from start: Int, to end: Int) throws(StorageError) {
        let zeros = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(1 << 18, max(end - start, 8)), alignment: 8)
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        defer { zeros.deallocate() }
        var offset = start
        while offset < end {
            let count = min(zeros.count, end - offset)
            do {
                try write(UnsafeRawBufferPointer(rebasing: zeros[..<count]), at: offset)
            } catch {
                throw error.claimingSpace
            }
            offset += count
        }
    }

    /// The same with almost no free space, on a copy-on-write file system: each block frees the
    /// space that the next one needs.
    func writeZerosBlockwise(from start: Int, to end: Int) throws(StorageError) {
        var offset = start
        while offset < end {
            let next = min(DiskBlock.end(at: offset), end)
            try writeZeros(from: offset, to: next)
            try sync()
            offset = next
        }
    }
}

extension StorageError {
    /// The error in a step that allocates space before anything depends on it: a full disk is then
    /// a refusal, which does not latch.
    var claimingSpace: StorageError {
        if case .io(_, let path, let number) = self, Platform.isOutOfSpace(number) {
            return .outOfSpace(path: path)
        }
        return self
    }
}
