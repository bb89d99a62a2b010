import Foundation
import Storage

/// The errors for JSON that does not match the model.
enum ImportMessage {
    /// The error of a property whose value does not fit: it names the class, the property, the path
    /// in the JSON, what is expected and what was given.
    static func error(
        _ error: any Error, _ field: ImportField, _ plan: ImportPlan,
        _ source: KeyedDecodingContainer<NameKey>
    ) -> RealmError {
        let name = "Property '\(plan.model.className).\(field.property.name)'"
        if let error = error as? RealmError {
            // The error of a nested object, which names its path already, or of a conversion.
            guard case .invalidValue(let text) = error, !text.hasPrefix("Property "),
                !text.hasPrefix("The '")
            else {
                return error
            }
            return .invalidValue("\(name) at \(path(source.codingPath + [field.key])): \(text)")
        }
        let start = source.codingPath + [field.key]
        let place = codingPath(error).map { $0.count > start.count ? $0 : start } ?? start
        var given = ""
        if let json = try? source.decode(AnyJSON.self, forKey: field.key),
            let value = AnyJSON.value(json.value, at: place.dropFirst(start.count))
        {
            given = ", and was given " + text(value: value)
        }
        return .invalidValue(
            "\(name) at \(path(place)) takes \(field.property.shape.name)\(given). (\(text(error)))"
        )
    }

    /// The name of an object with its path in the JSON.
    static func name(
        of plan: ImportPlan, _ source: KeyedDecodingContainer<NameKey>
    ) -> String {
        let place = path(source.codingPath)
        return "The '\(plan.model.className)'" + (place.isEmpty ? "" : " at \(place)")
    }

    /// The message of a decoder, with the path.
    static func text(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            return describe(context)
        case .dataCorrupted(let context):
            let cause = context.underlyingError.map { " \($0)" } ?? ""
            return describe(context) + cause
        @unknown default: return "\(error)"
        }
    }

    /// A primary key in a message.
    static func text(_ value: StoredValue) -> String {
        switch value {
        case .int(let value): "\(value)"
        case .string(let value): value
        case .uuid(let value): "\(value)"
        case .objectID(let value): "\(ObjectId(bits: value))"
        case .null: "nil"
        default: "\(value)"
        }
    }

    private static func text(value: Any) -> String {
        guard let value = unwrapped(value) else { return "null" }
        return "\(type(of: value)): " + String(String(describing: value).prefix(80))
    }

    private static func describe(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty
            ? context.debugDescription
            : "At \(path(context.codingPath)): \(context.debugDescription)"
    }

    private static func codingPath(_ error: any Error) -> [any CodingKey]? {
        guard let error = error as? DecodingError else { return nil }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            return context.codingPath
        @unknown default: return nil
        }
    }

    /// A path as programs write it: `[3].dogs[1].age`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var text = ""
        for key in keys {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }
}
