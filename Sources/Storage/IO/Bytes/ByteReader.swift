/// Takes values from the front of bytes that may be damaged: every take is checked.
struct ByteReader {
    // Unsafe: borrowed from the caller for the length of one decoding.
    private(set) var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    // Unsafe: parts of the borrowed bytes, valid as long as those; the count is checked.
    mutating func take(_ count: Int) throws(RecordError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= rest.count else { throw .truncated }
        // Unsafe: within `rest`, by the check above.
        let taken = UnsafeRawBufferPointer(rebasing: rest[..<(rest.startIndex + count)])
        rest = UnsafeRawBufferPointer(rebasing: rest[(rest.startIndex + count)...])
        return taken
    }

    mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type = T.self
    ) throws(RecordError) -> T {
        T(littleEndian: try take(MemoryLayout<T>.size).loadUnaligned(as: T.self))
    }

    mutating func varint() throws(RecordError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try integer(UInt8.self)
            guard shift < 63 || byte <= 1 else { throw .malformed("number out of range") }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
    }

    /// A count of elements, each of which takes at least `size` of the remaining bytes.
    mutating func count(of size: Int = 1) throws(RecordError) -> Int {
        let count = try varint()
        guard count <= UInt64(rest.count / max(size, 1)) else { throw .truncated }
        return Int(count)
    }

    mutating func int() throws(RecordError) -> Int {
        guard let value = Int(exactly: try varint()) else {
            throw .malformed("number out of range")
        }
        return value
    }

    mutating func string() throws(RecordError) -> String {
        let bytes = try take(count())
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("text is not UTF-8")
        }
        return string
    }
}

/// An error in a commit record.
package enum RecordError: Error, Equatable {
    case truncated
    case malformed(String)

    package var reason: String {
        switch self {
        case .truncated: "the record ends too early"
        case .malformed(let what): what
        }
    }
}
