import Foundation
import RealmActors

/// A value in one cell.
enum Cell {
    /// How many elements of a collection are shown.
    private static let shownElements = 10

    /// The text for people: an object by its primary key or, without one, by its values.
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

    /// The text without line breaks and terminal control characters.
    static func visible(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            scalar == "\n" ? "\\n" : isControl(scalar) ? "?" : "\(scalar)"
        }.joined()
    }

    /// Lines without terminal control characters.
    static func visibleLines(_ lines: String) -> String {
        func isHidden(_ scalar: Unicode.Scalar) -> Bool {
            isControl(scalar) && scalar != "\n" && scalar != "\t"
        }
        guard lines.unicodeScalars.contains(where: isHidden) else { return lines }
        return lines.unicodeScalars.map { isHidden($0) ? "?" : "\($0)" }.joined()
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
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
        _ value: FrozenValue, of property: Property, _ json: inout ValueJSON
    ) throws -> String {
        if case .string(let text) = value {
            return isAmbiguous(text, property) ? try JSONText.text(text) : text
        }
        if value == .none { return "" }
        let written = try json.text(value, of: property)
        let text = try unquoted(written)
        return written.hasPrefix("\"") && isAmbiguous(text, property) ? written : text
    }

    /// Whether a text would be read as a value of another type, or as nil.
    private static func isAmbiguous(_ text: String, _ property: Property) -> Bool {
        property.type == .any && (text.isEmpty || JSONText.isJSON(text))
    }

    /// Empty for nil, collections and objects as JSON.
    static func exact(_ value: FrozenValue, _ json: inout ValueJSON) throws -> String {
        try value == .none ? "" : unquoted(json.text(value))
    }

    /// What JSON says: a text, a date, bytes and an identifier without the quotation marks.
    private static func unquoted(_ json: String) throws -> String {
        guard json.hasPrefix("\"") else { return json }
        return try JSONDecoder().decode(String.self, from: Data(json.utf8))
    }
}
