// Safety: loads and stores of the log's fixed headers, little-endian, at offsets their callers have
// checked against the buffer's count. The debug checks of the buffers stay on for the rest. A slice
// is valid as long as the buffer that it is a part of.

extension UnsafeRawBufferPointer {
    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: Value.Type = Value.self
    ) -> Value {
        Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }

    /// The bytes in `range` as a buffer of their own.
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// Whether every byte from `start` on is zero.
    func isZero(from start: Int) -> Bool {
        var offset = start
        while offset & 7 != 0, offset < count {
            if self[offset] != 0 { return false }
            offset += 1
        }
        // One branch for several words, so that the compiler uses vector registers: an opening
        // checks all that a segment has left.
        while offset + 64 <= count {
            var bits: UInt64 = 0
            for word in 0..<8 {
                bits |= loadUnaligned(fromByteOffset: offset + 8 * word, as: UInt64.self)
            }
            if bits != 0 { return false }
            offset += 64
        }
        while offset < count {
            if self[offset] != 0 { return false }
            offset += 1
        }
        return true
    }
}

extension UnsafeMutableRawBufferPointer {
    func store<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }

    /// The bytes in `range` as a buffer of their own.
    func slice(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[range])
    }

    func fillWithZeros() {
        initializeMemory(as: UInt8.self, repeating: 0)
    }
}

/// 128 bits: the identifier of a database, or the salt of an epoch.
package struct Bits128: Hashable, Sendable {
    package let low: UInt64
    package let high: UInt64

    package init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Fresh random bits from the system's generator.
    package static func random() -> Bits128 {
        var generator = SystemRandomNumberGenerator()
        return Bits128(low: generator.next(), high: generator.next())
    }

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        low = bytes.integer(at: offset)
        high = bytes.integer(at: offset + 8)
    }

    func store(in bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes.store(low, at: offset)
        bytes.store(high, at: offset + 8)
    }

    static let zero = Bits128(low: 0, high: 0)
}
