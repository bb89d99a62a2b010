@testable import Storage

// Safety: the tests own the arrays whose bytes they lend for the length of a call.

/// Where the frames of a store's first segment stand.
struct LogFrames {
    let offsets: [Int]
    private let keys: [FrameKey]

    init(_ bytes: [UInt8]) {
        var offsets: [Int] = []
        var keys: [FrameKey] = []
        bytes.withUnsafeBytes { bytes in
            var reader = FrameReader(Bits128(bytes, at: 16))
            var offset = SegmentHeader.size
            while let frame = try? reader.frame(in: bytes, at: offset) {
                offsets.append(offset)
                keys.append(frame.key)
                reader.resume(with: frame.key)
                offset += frame.header.frameSize
            }
        }
        self.offsets = offsets
        self.keys = keys
    }

    /// Makes the checksums of the frame at `offset`, and the chain behind it, fit what it holds.
    func seal(_ bytes: inout [UInt8], at offset: Int) {
        guard let number = offsets.firstIndex(of: offset) else { return }
        bytes.withUnsafeMutableBytes { bytes in
            var hash: FrameHash?
            for (offset, key) in zip(offsets, keys).dropFirst(number) {
                let headerBytes = bytes.slice(offset..<offset + FrameHeader.size)
                guard var header = FrameHeader(UnsafeRawBufferPointer(headerBytes)) else { return }
                let start = offset + FrameHeader.size
                let payload = bytes.slice(start..<start + Int(header.payloadLength))
                header.payloadChecksum = key.payloadChecksum(UnsafeRawBufferPointer(payload))
                if let hash { header.previousHash = hash }
                hash = header.encode(into: headerBytes, key: key)
            }
        }
    }
}
