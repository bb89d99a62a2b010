import ArgumentParser
import Foundation
import RealmActors

/// How a command writes what it has found.
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
    static func encoder(isPretty: Bool = false) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
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
                in: container, debugDescription: "'\(text)' is no date in the form of ISO 8601.")
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

    static func text(_ value: some Encodable, isPretty: Bool = false) throws -> String {
        let text = String(decoding: try encoder(isPretty: isPretty).encode(value), as: UTF8.self)
        // The encoder escapes the others. They stand within texts alone.
        guard text.unicodeScalars.contains(where: isHighControl) else { return text }
        return text.unicodeScalars.map { isHighControl($0) ? escaped($0) : "\($0)" }.joined()
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
