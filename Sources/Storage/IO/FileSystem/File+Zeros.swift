extension File {
    /// Writes zeros, so that the blocks are not only claimed but written: overwriting them later
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

    /// The same in place with next to no space, where nothing is written in place: each block gives
    /// back the space that it takes.
    func writeZerosBlockwise(from start: Int, to end: Int) throws(StorageError) {
        var offset = start
        while offset < end {
            let next = min((offset & ~4095) + 4096, end)
            try writeZeros(from: offset, to: next)
            try sync()
            offset = next
        }
    }
}

extension StorageError {
    /// The error as it reads where space is claimed before anything depends on it: a full disk is
    /// then a refusal, not a failure.
    var claimingSpace: StorageError {
        if case .io(_, let path, let number) = self, Platform.isOutOfSpace(number) {
            return .outOfSpace(path: path)
        }
        return self
    }
}
