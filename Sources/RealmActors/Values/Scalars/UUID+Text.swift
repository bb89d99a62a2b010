import Foundation

extension UUID {
    /// The UUID with this canonical form: 32 hexadecimal digits in five groups.
    ///
    /// `init(uuidString:)` also accepts blanks and signs in place of digits.
    init?(canonical text: String) {
        let isCanonical = text.utf8.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index)
                ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit
        }
        guard isCanonical, text.utf8.count == 36 else { return nil }
        self.init(uuidString: text)
    }
}
