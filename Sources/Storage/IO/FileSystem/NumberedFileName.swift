/// Names of numbered files: ten digits, so that names sort like their numbers, and a suffix.
enum NumberedFileName {
    private static let digits = 10

    /// `0000000001.log` for 1 and `.log`.
    static func make(_ number: UInt32, _ suffix: String) -> String {
        let shown = String(number)
        return String(repeating: "0", count: digits - shown.count) + shown + suffix
    }

    /// The number in a name, which is positive; nil for any other name.
    static func number(in name: String, _ suffix: String) -> UInt32? {
        // `UInt32(_:)` also accepts a sign.
        let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        guard name.utf8.count == digits + suffix.utf8.count, name.hasSuffix(suffix),
            name.utf8.prefix(digits).allSatisfy(isDigit),
            let number = UInt32(name.prefix(digits)), number > 0
        else { return nil }
        return number
    }
}
