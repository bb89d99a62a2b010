import Testing

@testable import Storage

/// The known answers of FIPS 180-4 and RFC 4231.
@Suite struct SHA2Tests {
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static let twoBlocks =
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"

    @Test(arguments: [
        ("", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
        ("abc", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (twoBlocks, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
    ])
    func sha224(_ text: String, _ digest: String) {
        #expect(Self.hex(SHA2.digest(.sha224, of: Array(text.utf8))) == digest)
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (twoBlocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    ])
    func sha256(_ text: String, _ digest: String) {
        #expect(Self.hex(SHA2.digest(.sha256, of: Array(text.utf8))) == digest)
    }

    @Test func aMillionBytesInParts() {
        var hash = SHA2(.sha224)
        let part = [UInt8](repeating: 0x61, count: 1000)
        for _ in 0..<1000 { hash.update(part) }
        #expect(
            Self.hex(hash.digest()) == "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67")
    }

    @Test(arguments: 0...130)
    func partsMakeNoDifference(_ count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var hash = SHA2(.sha224)
        for byte in bytes { hash.update([byte]) }
        #expect(hash.digest() == SHA2.digest(.sha224, of: bytes))
    }

    /// The first, the second and the sixth case of RFC 4231: in the last one, the key is longer
    /// than a block.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e"
        ),
    ])
    func authenticationCode(_ key: [UInt8], _ text: String, _ code: String) {
        let found = SHA2.authenticationCode(.sha224, of: Array(text.utf8), key: key)
        #expect(Self.hex(found) == code)
    }
}
