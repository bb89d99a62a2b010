import Foundation
import RealmActors

/// A value in one cell.
enum Cell {
    /// How many elements of a collection are shown.
    private static let shownElements = 10

    /// For people: an object is its primary key or, where it has none, what it holds.
    static func text(_ value: FrozenValue) -> String {
        switch value {
        case .none: return ""
        case .date(let date): return DateText.text(date)
        case .object(let object):
            let key = object.withObject { $0.objectSchema.primaryKeyProperty?.name }
            let value = key.flatMap { (name: String) -> FrozenValue? in try? object[name] }
            return value.map { text($0) } ?? "\(object)".replacing("\n", with: " ")
        case .list(let values):
            return listed(values.prefix(shownElements).map { element($0) }, of: values.count)
        case .dictionary(let entries):
            let keys = entries.keys.sorted().prefix(shownElements)
            return listed(
                keys.map { "\($0): \(element(entries[$0] ?? .none))" }, of: entries.count)
        default: return "\(value)"
        }
    }

    /// The text without what would break a line, or tell a terminal what to do.
    static func visible(_ text: String) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.generalCategory == .control
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            scalar == "\n" ? "\\n" : isControl(scalar) ? "?" : "\(scalar)"
        }.joined()
    }

    private static func element(_ value: FrozenValue) -> String {
        value == .none ? "nil" : text(value)
    }

    private static func listed(_ shown: [String], of count: Int) -> String {
        let rest = count > shown.count ? ", ... \(count - shown.count) more" : ""
        return "[\(shown.joined(separator: ", "))\(rest)]"
    }

    /// So that an import into the property reads the same value: empty for nil, collections and
    /// objects as JSON.
    static func exact(
        _ value: FrozenValue, of property: Property, _ encoder: JSONEncoder
    ) throws -> String {
        let text = try exact(value, encoder)
        guard property.type == .any, case .string = value else { return text }
        // A text that says a number is no number.
        return text.isEmpty || JSONText.isJSON(text) ? try JSONText.text(text) : text
    }

    /// Empty for nil, collections and objects as JSON.
    static func exact(_ value: FrozenValue, _ encoder: JSONEncoder) throws -> String {
        switch value {
        case .none: return ""
        case .string(let text): return text
        case .data(let data): return data.base64EncodedString()
        default:
            let json = String(decoding: try encoder.encode(value), as: UTF8.self)
            // A key, a date or an identifier, which is a text in JSON.
            guard json.hasPrefix("\"") else { return json }
            return try JSONDecoder().decode(String.self, from: Data(json.utf8))
        }
    }
}
