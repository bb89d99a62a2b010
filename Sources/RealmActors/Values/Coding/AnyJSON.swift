import Foundation

/// A JSON value of unknown type: imported into ``AnyRealmValue``, and shown in the error of a value
/// that does not fit.
struct AnyJSON: Decodable {
    /// `NSNull`, `Bool`, `Int`, `Double`, `String`, an array or a dictionary.
    let value: Any

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            value = NSNull()
        } else if let text = try? container.decode(String.self) {
            value = text
        } else if let whole = try? container.decode(Int.self) {
            if Self.isReal(decoder), let number = try? container.decode(Double.self) {
                value = number
            } else {
                value = whole
            }
        } else if let number = try? container.decode(Double.self) {
            value = number
        } else if let flag = try? container.decode(Bool.self) {
            value = flag
        } else if let array = try? container.decode([AnyJSON].self) {
            value = array.map(\.value)
        } else {
            value = try container.decode([String: AnyJSON].self).mapValues(\.value)
        }
    }

    /// Whether a number that decoders accept as an integer is written with a fraction or an
    /// exponent, which is known in an import.
    private static func isReal(_ decoder: any Decoder) -> Bool {
        let texts = decoder.userInfo[.decimalTexts] as? DecimalTexts
        return texts?.isReal(at: decoder.codingPath) ?? false
    }

    /// The value at a path from here; nil if there is none.
    static func value(_ any: Any, at path: some Collection<any CodingKey>) -> Any? {
        guard let key = path.first else { return any }
        let next: Any?
        if let index = key.intValue, let array = any as? [Any] {
            next = array.indices.contains(index) ? array[index] : nil
        } else {
            next = (any as? [String: Any])?[key.stringValue]
        }
        return next.flatMap { value($0, at: path.dropFirst()) }
    }
}
