import Foundation
import RealmActors

/// A value that a person or a CSV file gives as text, as the JSON that an import takes.
struct TextValue {
    let schema: Schema

    /// The JSON of a value of a property: empty and `null` are nil where that may be.
    ///
    /// - Parameter isQuoted: whether it is a text whatever it says.
    func json(
        _ text: String, isQuoted: Bool = false, _ property: Property, in type: ObjectSchema
    ) throws -> String {
        if property.isCollection {
            return text.isEmpty ? "null" : try checked(text, property, type)
        }
        let isText = isQuoted && [.string, .object, .data].contains(property.type)
        if property.isOptional || property.type == .any, text.isEmpty || text == "null", !isText {
            return "null"
        }
        switch property.type {
        case .string, .uuid, .objectId, .data: return try quoted(text)
        case .date:
            // The number is what an exact date has that ISO 8601 has no text for.
            return Double(text)?.isFinite == true
                ? try checked(text, property, type) : try quoted(text)
        case .int, .bool: return try checked(text, property, type)
        case .float, .double, .decimal128:
            return try (try? checked(text, property, type)) ?? quoted(text)
        case .any: return try (try? checked(text, property, type)) ?? quoted(text)
        case .object: return try link(text, property, type)
        case .linkingObjects: throw mistake(text, property, type)
        }
    }

    /// A link, given by the primary key, by the number that an export has for it or, embedded ones
    /// too, as an object in JSON.
    private func link(_ text: String, _ property: Property, _ type: ObjectSchema) throws -> String {
        let target = property.objectClassName.flatMap { schema[$0] }
        // A key may be a text that begins like an object.
        if text.hasPrefix("{"),
            target?.primaryKeyProperty?.type != .string || JSONText.isJSON(text)
        {
            return try checked(text, property, type)
        }
        guard let key = target?.primaryKeyProperty else {
            guard let number = Int64(text) else { throw mistake(text, property, type) }
            return "\(number)"
        }
        return key.type == .int ? try checked(text, property, type) : try quoted(text)
    }

    private func quoted(_ text: String) throws -> String { try JSONText.text(text) }

    /// A text that is JSON already.
    private func checked(
        _ text: String, _ property: Property, _ type: ObjectSchema
    ) throws -> String {
        guard JSONText.isJSON(text) else { throw mistake(text, property, type) }
        return text
    }

    private func mistake(_ text: String, _ property: Property, _ type: ObjectSchema) -> ToolError {
        let shown = text.count > 80 ? text.prefix(80) + "..." : text[...]
        return ToolError(
            .badInput,
            "'\(shown)' is not a value of '\(type.className).\(property.name)': \(property).")
    }
}
