import Testing

@testable import Storage

@Suite struct ZeroBytesTests {
    /// Words are checked several at a time, and the bytes before and after them one by one.
    @Test func aSingleByteIsFoundWhereverItIs() {
        let count = 203
        let buffer = AlignedBuffer(capacity: count)
        // Unsafe: within the life of the buffer.
        let bytes = UnsafeRawBufferPointer(buffer.bytes)
        for start in 0...bytes.count { #expect(bytes.isZero(from: start)) }
        for place in 0..<bytes.count {
            buffer.bytes[place] = 0x80
            for start in 0...bytes.count {
                #expect(bytes.isZero(from: start) == (start > place), "\(place), \(start)")
            }
            buffer.bytes[place] = 0
        }
        withExtendedLifetime(buffer) {}
    }
}
