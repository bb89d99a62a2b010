/// Files that store two copies of their contents, in slots of a fixed size.
extension File {
    /// Reads slots of `size` bytes, as many as the buffer has room for. A sector that the disk
    /// cannot read affects no slot but its own.
    ///
    /// - Returns: how many bytes there are, and why slots could not be read, by their offsets:
    ///   these are zero.
    func readSlots(
        of size: Int, into buffer: UnsafeMutableRawBufferPointer
    ) -> (count: Int, failures: [Int: StorageError]) {
        if let count = try? read(into: buffer, at: 0) { return (count, [:]) }
        var end = 0
        var failures: [Int: StorageError] = [:]
        for start in stride(from: 0, to: buffer.count, by: size) {
            let slot = buffer.slice(start..<min(start + size, buffer.count))
            do throws(StorageError) {
                let count = try read(into: slot, at: start)
                if count > 0 { end = start + count }
            } catch {
                slot.fillWithZeros()
                failures[start] = error
            }
        }
        return (end, failures)
    }
}
