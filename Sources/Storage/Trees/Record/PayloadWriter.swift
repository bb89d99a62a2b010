// Unsafe: raw pointers into the buffer's memory. They are valid because the writer exists only
// inside `CommitGroupBuffer.append`, where nothing else accesses the buffer, and because memory is
// only moved in `grow`, which updates the pointers.
/// Writes the payload of one commit into the group that it belongs to. Integers are little-endian.
package struct PayloadWriter: ~Copyable {
    private let buffer: CommitGroupBuffer
    private var cursor: UnsafeMutableRawPointer
    private var end: UnsafeMutableRawPointer
    /// Offset of the record in the group's payload.
    private let recordStart: Int

    init(buffer: CommitGroupBuffer, at offset: Int) {
        self.buffer = buffer
        recordStart = offset
        let payload = buffer.base + CommitGroupBuffer.frontRoom
        cursor = payload + offset
        end = payload + buffer.payloadCapacity
    }

    /// Bytes of this commit's payload so far.
    package var count: Int { groupOffset - recordStart - CommitGroupBuffer.recordHeaderSize }

    /// The rest of the commit's payload are old values.
    func noteOldValues() { buffer.noteOldValues(at: groupOffset) }

    private var groupOffset: Int { cursor - (buffer.base + CommitGroupBuffer.frontRoom) }

    /// Writes an integer at the end.
    package mutating func write<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        if end - cursor < size { grow(by: size) }
        cursor.storeBytes(of: value.littleEndian, as: Value.self)
        cursor += size
    }

    /// Writes bytes at the end.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        if end - cursor < bytes.count { grow(by: bytes.count) }
        cursor.copyMemory(from: source, byteCount: bytes.count)
        cursor += bytes.count
    }

    /// Writes an unsigned integer in 7-bit groups, low ones first: 1 to 10 bytes.
    package mutating func writeVarint(_ value: UInt64) {
        if end - cursor < 10 { grow(by: 10) }
        var rest = value
        while rest >= 0x80 {
            cursor.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            cursor += 1
            rest >>= 7
        }
        cursor.storeBytes(of: UInt8(rest), as: UInt8.self)
        cursor += 1
    }

    /// Adds `size` bytes at the end that `fill` initializes. Do not keep the pointer.
    package mutating func write(size: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        if end - cursor < size { grow(by: size) }
        fill(UnsafeMutableRawBufferPointer(start: cursor, count: size))
        cursor += size
    }

    /// Replaces an integer written earlier, `offset` bytes into this commit's payload.
    package mutating func overwrite<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value, at offset: Int
    ) {
        precondition(offset >= 0 && offset + MemoryLayout<Value>.size <= count)
        let payload = buffer.base + CommitGroupBuffer.frontRoom
        let field = payload + recordStart + CommitGroupBuffer.recordHeaderSize + offset
        field.storeBytes(of: value.littleEndian, as: Value.self)
    }

    /// Adds zeros until the length is a multiple of 8.
    package mutating func padTo8() {
        let padding = -count & 7
        if end - cursor < padding { grow(by: padding) }
        for _ in 0..<padding {
            cursor.storeBytes(of: 0, as: UInt8.self)
            cursor += 1
        }
    }

    private mutating func grow(by size: Int) {
        let used = groupOffset
        buffer.reserve(used + size, keeping: used)
        let payload = buffer.base + CommitGroupBuffer.frontRoom
        cursor = payload + used
        end = payload + buffer.payloadCapacity
    }
}
