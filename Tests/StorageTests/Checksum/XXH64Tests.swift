import Storage
import Testing

// Safety: the bytes of arrays are lent for the call that hashes them.

@Suite struct XXH64Tests {
    static let prime: UInt64 = 2_654_435_761

    /// The buffer of the reference implementation's self test.
    static let sanityBuffer: [UInt8] = {
        var state: UInt32 = 2_654_435_761
        return (0..<101).map { _ in
            let byte = UInt8(state >> 24)
            state = state &* state
            return byte
        }
    }()

    @Test(
        arguments: [
            (0, 0, 0xEF46_DB37_51D8_E999), (0, prime, 0xAC75_FDA2_929B_17EF),
            (1, 0, 0x4FCE_394C_C889_52D8), (1, prime, 0x7398_40CB_819F_A723),
            (14, 0, 0xCFFA_8DB8_81BC_3A3D), (14, prime, 0x5B96_1158_5EFC_C9CB),
            (101, 0, 0x0EAB_5433_84F8_78AD), (101, prime, 0xCAA6_5939_306F_1E21),
        ] as [(Int, UInt64, UInt64)])
    func publishedVectors(length: Int, seed: UInt64, expected: UInt64) {
        let hash = Self.sanityBuffer.withUnsafeBytes {
            XXH64.hash(UnsafeRawBufferPointer(rebasing: $0[..<length]), seed: seed)
        }
        #expect(hash == expected)
    }

    @Test func publishedStrings() {
        func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { XXH64.hash($0) } }
        #expect(hash("") == 0xEF46_DB37_51D8_E999)
        #expect(hash("a") == 0xD24E_C4F1_A98C_6E5B)
        #expect(hash("abc") == 0x44BC_2CF5_AD77_0999)
    }

    @Test func everyBitCounts() {
        var bytes = Self.sanityBuffer
        let whole = bytes.withUnsafeBytes { XXH64.hash($0) }
        for place in bytes.indices {
            for bit in 0..<8 {
                bytes[place] ^= 1 << bit
                #expect(bytes.withUnsafeBytes { XXH64.hash($0) } != whole)
                bytes[place] ^= 1 << bit
            }
        }
    }
}
