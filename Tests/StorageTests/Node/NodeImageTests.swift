import Testing

@testable import Storage

// Safety: the chunk is written within its size, and its image copied into an array.

/// Which bytes of a node are written to disk.
@Suite struct NodeImageTests {
    /// Uninitialized memory may contain any data of the process, including secrets.
    @Test(arguments: [
        (Chunk.Form.strings, 16), (.integers, 1), (.integers, 8), (.fixed, 4),
    ])
    func nothingIsWrittenToDiskThatWasNeverStored(_ form: Chunk.Form, _ width: Int) {
        let account = NodeAccount()
        let remains: UInt8 = 0xAA
        let chunk = Chunk.make(
            form, width: width, capacity: 8, heap: form == .strings ? 256 : 0,
            account: .passUnretained(account))
        chunk.data.initializeMemory(
            as: UInt8.self, repeating: remains, count: chunk.node.size - Chunk.dataOffset)
        let used = 3
        let texts = [
            "short", "a text that is not in its view", String(repeating: "long", count: 99),
        ]
        for (index, text) in texts.enumerated() {
            if form == .strings {
                var text = text
                text.withUTF8 { chunk.storeBytes(index, UnsafeRawBufferPointer($0)) }
            } else {
                (chunk.data + index * width)
                    .initializeMemory(as: UInt8.self, repeating: 1, count: width)
            }
            chunk.used = index + 1
        }
        let place = NodePlace(
            address: PageAddress(8), length: 64, hash: 1, kind: .blob, hasSlots: false)
        let length = NodeImage.length(of: chunk.node, used: used)
        let image = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            _ = NodeImage.encode(
                chunk.node, used: used, into: UnsafeMutableRawBufferPointer(buffer),
                salt: Bits128(low: 1, high: 2), at: PageAddress(16), place: { _ in place })
            count = length
        }
        #expect(!image.contains(remains))
        chunk.node.release()
    }
}
