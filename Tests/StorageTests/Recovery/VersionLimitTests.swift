import Testing

@testable import Storage

/// Found by the store fuzzer: a commit numbered 2^64 - 1 had no successor, and the first write to
/// the store trapped.
// Unsafe: every buffer is lent for the length of the call it is given to.
@Suite struct VersionLimitTests {
    @Test(arguments: [UInt64.max, UInt64(1 << 62) + 1] as [UInt64])
    func aVersionWithoutANextOneIsDamage(version: UInt64) throws {
        let group = CommitGroupBuffer()
        try group.append(version: Version(version)) { (_) throws(StorageError) in }
        var records = GroupRecords(UnsafeRawBufferPointer(group.payload))
        #expect(throws: GroupRecords.Malformed.self) { try records.next() }

        let header = FrameHeader(
            kind: .group, payloadLength: 0, version: Version(version),
            position: LogPosition(0), syncedThrough: LogPosition(0), previousHash: FrameHash(0))
        let bytes = AlignedBuffer(capacity: 4096)
        let key = FrameKey(salt: Bits128(low: 1, high: 2), database: Bits128(low: 3, high: 4))
        _ = header.encode(into: bytes.bytes, key: key)
        #expect(FrameHeader(UnsafeRawBufferPointer(bytes.bytes)) == nil)
    }
}
