/// SHA-224 and SHA-256 of FIPS 180-4, and the HMAC of RFC 2104 with them.
///
/// For old files only: swift-crypto has no SHA-224, and Realm authenticates the pages of an
/// encrypted file with that.
struct SHA2 {
    enum Variant {
        case sha224
        case sha256

        fileprivate var start: [UInt32] {
            switch self {
            case .sha224:
                [
                    0xC105_9ED8, 0x367C_D507, 0x3070_DD17, 0xF70E_5939,
                    0xFFC0_0B31, 0x6858_1511, 0x64F9_8FA7, 0xBEFA_4FA4,
                ]
            case .sha256:
                [
                    0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A,
                    0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
                ]
            }
        }

        fileprivate var size: Int { self == .sha224 ? 28 : 32 }
    }

    private static let blockSize = 64

    private let variant: Variant
    private var state: [UInt32]
    private var schedule = [UInt32](repeating: 0, count: 64)
    /// The bytes of an incomplete block.
    private var rest: [UInt8] = []
    private var count: UInt64 = 0

    init(_ variant: Variant) {
        self.variant = variant
        state = variant.start
    }

    mutating func update(_ bytes: some Collection<UInt8>) {
        count += UInt64(bytes.count)
        rest += bytes
        var done = 0
        while rest.count - done >= Self.blockSize {
            compress(from: done)
            done += Self.blockSize
        }
        rest.removeFirst(done)
    }

    /// The digest of all that was given; nothing is given after that.
    mutating func digest() -> [UInt8] {
        let bits = count * 8
        let zeros = (Self.blockSize * 2 - 9 - rest.count) % Self.blockSize
        update([0x80] + [UInt8](repeating: 0, count: zeros))
        update((0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - $0 * 8)) })
        let bytes = state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - $0 * 8)) }
        }
        return Array(bytes.prefix(variant.size))
    }

    static func digest(_ variant: Variant, of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA2(variant)
        hash.update(bytes)
        return hash.digest()
    }

    /// The HMAC of `bytes`.
    static func authenticationCode(
        _ variant: Variant, of bytes: [UInt8], key: [UInt8]
    ) -> [UInt8] {
        let short = key.count > blockSize ? digest(variant, of: key) : key
        let padded = short + [UInt8](repeating: 0, count: blockSize - short.count)
        var inner = SHA2(variant)
        inner.update(padded.map { $0 ^ 0x36 })
        inner.update(bytes)
        var outer = SHA2(variant)
        outer.update(padded.map { $0 ^ 0x5C })
        outer.update(inner.digest())
        return outer.digest()
    }

    private mutating func compress(from start: Int) {
        for index in 0..<16 {
            let offset = start + index * 4
            schedule[index] =
                UInt32(rest[offset]) << 24 | UInt32(rest[offset + 1]) << 16
                | UInt32(rest[offset + 2]) << 8 | UInt32(rest[offset + 3])
        }
        for index in 16..<64 {
            let low = schedule[index - 15]
            let high = schedule[index - 2]
            let sigma0 = low.rotated(7) ^ low.rotated(18) ^ low >> 3
            let sigma1 = high.rotated(17) ^ high.rotated(19) ^ high >> 10
            schedule[index] = schedule[index - 16] &+ sigma0 &+ schedule[index - 7] &+ sigma1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let sum1 = e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)
            let choice = (e & f) ^ (~e & g)
            let first = h &+ sum1 &+ choice &+ Self.constants[index] &+ schedule[index]
            let sum0 = a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)
            let second = sum0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4,
        0xAB1C_5ED5, 0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE,
        0x9BDC_06A7, 0xC19B_F174, 0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F,
        0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA, 0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7,
        0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967, 0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC,
        0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85, 0xA2BF_E8A1, 0xA81A_664B,
        0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070, 0x19A4_C116,
        0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7,
        0xC671_78F2,
    ]
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}
