import Foundation

/// Memory for the contents of a file, 8-byte aligned, freed with its last reference. Unwritten
/// bytes are zero, and untouched pages take no memory.
final class AlignedBuffer {
    // Unsafe: owned by this object; the user of the pointer keeps the object alive.
    let bytes: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        let count = max(capacity, 8)
        guard let zeros = calloc(count, 1) else {
            preconditionFailure("There is no memory for \(count) bytes of a file.")
        }
        // Unsafe: `calloc` has allocated that many bytes, all of them zero.
        bytes = UnsafeMutableRawBufferPointer(start: zeros, count: count)
    }

    /// A larger buffer with the first `count` bytes of this one.
    func grown(to capacity: Int, keeping count: Int) -> AlignedBuffer {
        let grown = AlignedBuffer(capacity: capacity)
        // The caller may have replaced the last reference to this one with the larger one.
        withExtendedLifetime(self) {
            grown.bytes.copyMemory(from: UnsafeRawBufferPointer(bytes).slice(0..<count))
        }
        return grown
    }

    deinit { free(bytes.baseAddress) }
}
