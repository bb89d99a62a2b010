/// The order of byte strings: by the first different byte, then by length.
@usableFromInline
package enum ByteOrder {
    /// The length of the common prefix of both; the bytes before `start` are known to be equal.
    package static func commonPrefix(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, from start: Int
    ) -> Int {
        let common = min(a.count, b.count)
        var index = min(start, common)
        // Unsafe: both buffers have `common` bytes.
        if let left = a.baseAddress, let right = b.baseAddress {
            while index &+ 8 <= common {
                let x = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let y = right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if x != y { break }
                index &+= 8
            }
        }
        while index < common, a[index] == b[index] { index &+= 1 }
        return index
    }

    /// Negative if `a` precedes `b`, 0 if they are equal, otherwise positive.
    @inlinable
    @inline(__always)
    package static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        var index = 0
        // Unsafe: both buffers have `common` bytes.
        if common >= 8, let left = a.baseAddress, let right = b.baseAddress {
            while index &+ 8 <= common {
                let x = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let y = right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if x != y { return UInt64(bigEndian: x) < UInt64(bigEndian: y) ? -1 : 1 }
                index &+= 8
            }
        }
        while index < common {
            if a[index] != b[index] { return a[index] < b[index] ? -1 : 1 }
            index &+= 1
        }
        return a.count == b.count ? 0 : (a.count < b.count ? -1 : 1)
    }
}
