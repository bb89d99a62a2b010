/// The persons that every workload uses, made from their number alone.
enum Dataset {
    static let standardCount = 1_000_000

    private static let golden: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let personSeed: UInt64 = 0x0123_4567_89AB_CDEF
    private static let lookupSeed: UInt64 = 0xA5A5_A5A5_DEAD_BEEF

    /// A bijection that scatters 64 bits.
    static func mix64(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    static func draw(_ seed: UInt64, _ index: UInt64) -> UInt64 {
        mix64(seed &+ (index &+ 1) &* golden)
    }

    /// `count` lower-case letters, spelled by a number.
    static func letters(_ number: UInt64, _ count: Int) -> String {
        // Bounds: the buffer has room for `count` bytes, and exactly those are written.
        String(unsafeUninitializedCapacity: count) { bytes in
            var rest = number
            for index in 0..<count {
                bytes[index] = UInt8(ascii: "a") + UInt8(rest % 26)
                rest /= 26
            }
            return count
        }
    }

    /// The j-th person that stream `stream` looks up.
    static func pick(_ stream: UInt64, _ index: Int, of count: Int) -> Int {
        let number = draw(lookupSeed &+ stream &* 0x100_0003, UInt64(index))
        return Int(number % UInt64(count))
    }

    private static func personDraw(_ person: Int, _ field: UInt64) -> UInt64 {
        draw(personSeed, UInt64(person) * 8 + field)
    }

    static func name(_ person: Int) -> String { letters(personDraw(person, 0), 12) }

    static func age(_ person: Int) -> Int { Int(personDraw(person, 1) % 100) }

    static func score(_ person: Int) -> Double {
        Double(personDraw(person, 2) >> 11) * 0x1p-53 * 1000
    }

    static func isActive(_ person: Int) -> Bool { personDraw(person, 3) & 1 == 1 }

    static func email(_ person: Int) -> String {
        letters(personDraw(person, 4), 10) + "@mail.test"
    }

    /// The text of a string object.
    static func text(_ number: Int) -> String { letters(personDraw(number, 5), 12) }

    /// Keys that come in no order, for w01b.
    static func shuffledKey(_ person: Int) -> Int {
        Int(mix64(UInt64(person)) >> 1)
    }
}
