import Testing

@testable import Storage

// Unsafe: every buffer is lent for the length of the call it is given to.
@Suite struct MixedCodecTests {
    private static let values: [StoredValue] = [
        .null, .bool(true), .int(-5), .float(1.5), .double(.infinity), .string("text"), .string(""),
        .objectID(ObjectIDBits(high: 0x0102_0304_0506_0708, low: 9)),
        .decimal(DecimalBits(isNegative: true, coefficient: 125, exponent: -2)),
        .list(NestedID(7), []), .dictionary(NestedID(8), []),
        .list(NestedID(1), [.int(1), .list(NestedID(2), [.string("deep"), .null]), .null]),
        .dictionary(
            NestedID(3),
            [
                NestedEntry(key: "a", value: .int(1)),
                NestedEntry(key: "b", value: .list(NestedID(4), [.bool(false)])),
            ]),
    ]

    @Test(arguments: 0..<13)
    func everyValueIsDecodedAsItWasEncoded(index: Int) {
        let value = Self.values[index]
        let bytes = MixedCodec.encode(value)
        bytes.withUnsafeBytes { bytes in
            #expect(MixedCodec.isSound(bytes))
            #expect(MixedCodec.decode(bytes) == value)
            if case .list(let id, _) = value, case .list(let again, _) = MixedCodec.decode(bytes) {
                #expect(id == again)
            }
        }
    }

    /// Neither truncated nor changed bytes trap. Valid ones are decoded as a value of the kind in
    /// their tag.
    @Test(arguments: 0..<13)
    func damageIsNoticedOrReadsAsAnotherValue(index: Int) {
        let value = Self.values[index]
        let bytes = MixedCodec.encode(value)
        for length in 0..<bytes.count {
            expectKindOrDamage(Array(bytes[..<length]))
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                expectKindOrDamage(damaged)
            }
        }
    }

    private func expectKindOrDamage(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            let again = MixedCodec.encode(MixedCodec.decode(bytes))
            guard MixedCodec.isSound(bytes) else { return }
            #expect(again.first == bytes.first ?? 0)
            again.withUnsafeBytes { #expect(MixedCodec.isSound($0)) }
        }
    }

    @Test func collectionsThatNestTooDeepAreNotSound() {
        func nested(_ depth: Int) -> StoredValue {
            (0..<depth).reduce(.null) { value, _ in .list(NestedID(1), [value]) }
        }
        MixedCodec.encode(nested(StoredValue.nestingMax)).withUnsafeBytes {
            #expect(MixedCodec.isSound($0))
        }
        MixedCodec.encode(nested(StoredValue.nestingMax + 1)).withUnsafeBytes {
            #expect(!MixedCodec.isSound($0))
        }
    }

    /// Decoding recursed into each level, and overflowed the stack if there were too many.
    @Test func tooDeepNestingIsDecodedUpToTheLimit() {
        Self.nestedLists(200_000).withUnsafeBytes {
            #expect(!MixedCodec.isSound($0))
            #expect(MixedCodec.decode($0).nesting == StoredValue.nestingMax)
        }
    }

    /// The bytes of `count` lists, each of which contains the next one.
    static func nestedLists(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for inner in (0..<count).reversed() {
            bytes.append(13)
            // Unsafe: lent while the bytes are copied.
            withUnsafeBytes(of: UInt64(1).littleEndian) { bytes += $0 }
            // Unsafe: as above.
            withUnsafeBytes(of: UInt32(1 + inner * 13).littleEndian) { bytes += $0 }
        }
        return bytes + [0]
    }

    @Test func keysAscend() {
        let entries = [NestedEntry(key: "b", value: .null), NestedEntry(key: "a", value: .null)]
        MixedCodec.encode(.dictionary(NestedID(1), entries)).withUnsafeBytes {
            #expect(!MixedCodec.isSound($0))
        }
    }
}
