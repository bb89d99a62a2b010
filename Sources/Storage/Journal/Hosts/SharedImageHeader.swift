// Safety: loads and stores are within ``size`` bytes, whose presence is checked before.

/// The header of an image, in its first part. Little-endian:
///
///     offset  bytes  field
///          0      8  magic: 89 "RLMIMG" 0A
///          8     16  identifier that all parts of this image, and no others, begin with
///         24      8  latest time of the commits in it, in seconds since 1970; images of earlier
///                    versions have the time of their creation
///         32      8  bytes of the folder's files, as ``SharedImageWriter`` lines them up
///         40    104  where the log continues, as in ``SharedRealmFile``
///
struct SharedImageHeader: Sendable, Hashable {
    static let size = 40 + SharedRealmFile.size
    private static let magic: UInt64 = 0x0A47_4D49_4D4C_5289
    /// Others cannot be formatted as a date.
    private static let times = -1e11...1e11

    var id = Bits128.random()
    /// The latest time of the commits in it, in seconds since 1970, by the clocks of their hosts.
    var time: Double
    var length: Int
    /// The host that made it.
    var host: Bits128
    var cursor: SharedCursor

    init(time: Double, length: Int, host: Bits128, cursor: SharedCursor) {
        self.time = time
        self.length = length
        self.host = host
        self.cursor = cursor
    }

    /// The nearest time that a header may have.
    static func limited(_ time: Double) -> Double {
        min(max(time, times.lowerBound), times.upperBound)
    }

    var encoded: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.store(Self.magic, at: 0)
            id.store(in: bytes, at: 8)
            bytes.store(time.bitPattern, at: 24)
            bytes.store(UInt64(length), at: 32)
            SharedRealmFile(host: host, cursor: cursor).encode(into: bytes.slice(40..<Self.size))
        }
        return bytes
    }

    /// Decodes a header; nil if the bytes are none.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        let decoded = bytes.withUnsafeBytes { bytes -> SharedImageHeader? in
            guard bytes.integer(at: 0) == Self.magic,
                let place = SharedRealmFile(decoding: bytes.slice(40..<Self.size)),
                let length = Int(exactly: bytes.integer(at: 32, as: UInt64.self))
            else { return nil }
            let time = Double(bitPattern: bytes.integer(at: 24))
            guard Self.times.contains(time) else { return nil }
            var header = SharedImageHeader(
                time: time, length: length, host: place.host, cursor: place.cursor)
            header.id = Bits128(bytes, at: 8)
            return header
        }
        guard let decoded else { return nil }
        self = decoded
    }
}
