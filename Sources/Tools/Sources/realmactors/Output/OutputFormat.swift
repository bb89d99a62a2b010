import ArgumentParser
import Foundation
import RealmActors

/// The output format of a command.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people, fitted to the terminal.
    case table
    /// One JSON value.
    case json
    /// A JSON value on each line.
    case jsonl
    /// Comma-separated values, with a line of names.
    case csv
}

/// The choice of people or a script.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
}

/// How JSON is written: the same text for the same values, and links as primary keys.
enum JSONText {
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.linksAsKeys] = true
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            if let text = DateText.exact(date) {
                try container.encode(text)
            } else {
                try container.encode(date.timeIntervalSinceReferenceDate)
            }
        }
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            if let seconds = try? container.decode(Double.self) {
                return Date(timeIntervalSinceReferenceDate: seconds)
            }
            let text = try container.decode(String.self)
            if let date = DateText.date(text) { return date }
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "'\(text)' is not a date in ISO 8601.")
        }
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }

    /// Whether a text is JSON, a value alone included.
    static func isJSON(_ text: String) -> Bool {
        let data = Data(text.utf8)
        return (try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)) != nil
    }

    /// A value as JSON, which is none of a store: those are for ``ValueJSON``.
    static func text(_ value: some Encodable, isPretty: Bool = false) throws -> String {
        var text = String(decoding: try encoder().encode(value), as: UTF8.self)
        // The encoder escapes the others. They stand within texts alone.
        if text.unicodeScalars.contains(where: isHighControl) {
            text = text.unicodeScalars.map { isHighControl($0) ? escaped($0) : "\($0)" }.joined()
        }
        return isPretty ? pretty(text) : text
    }

    /// The same JSON, which has no spaces yet, with a line for each value.
    static func pretty(_ json: String) -> String {
        var bytes: [UInt8] = []
        var depth = 0
        var (isInText, isEscaped) = (false, false)
        // Behind the bracket that begins an object or an array.
        var isBehindBegin = false
        func endLine() {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        for byte in json.utf8 {
            if isInText {
                bytes.append(byte)
                isInText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            let isBegin = byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            let isEnd = byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
            if isEnd { depth -= 1 }
            // Brackets with nothing between them stay together.
            if isBehindBegin != isEnd { endLine() }
            if byte == UInt8(ascii: ":") {
                bytes.append(contentsOf: " : ".utf8)
            } else {
                bytes.append(byte)
            }
            if isBegin { depth += 1 }
            if byte == UInt8(ascii: ",") { endLine() }
            isInText = byte == UInt8(ascii: "\"")
            isBehindBegin = isBegin
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A character of a text as JSON has it. Those that a terminal could obey are escaped as well.
    static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default:
            scalar.value < 0x20 || isHighControl(scalar)
                ? String(format: "\\u%04x", scalar.value) : "\(scalar)"
        }
    }

    private static func isHighControl(_ scalar: Unicode.Scalar) -> Bool {
        (0x7F...0x9F).contains(scalar.value)
    }
}
