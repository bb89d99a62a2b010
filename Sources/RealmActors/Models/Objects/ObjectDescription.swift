import Foundation
import Storage

/// Descriptions of objects and values, in bounded length and without following cycles: an object
/// with all its properties, and linked objects by their primary keys.
enum ObjectDescription {
    static let maximumDepth = 3
    static let maximumElements = 10
    static let maximumText = 1_000
    /// The maximum length of a value within a line.
    static let maximumBrief = 80

    /// An object with one property on each line.
    static func text(of object: ObjectBase) -> String {
        if object.isInvalidObject { return "[invalid object]" }
        let model = object._discovered
        let lines = model.properties.filter { $0.shape.role == .stored }.map { property in
            let value = property.type._anyValue(object, at: property.place)
            return "\t\(property.name) = \(text(value, depth: 0));"
        }
        return "\(model.name) {\n\(lines.joined(separator: "\n"))\n}"
    }

    /// A value of a property in a description.
    static func text(ofValue any: Any) -> String { text(any, depth: 0) }

    /// One value by itself: an element of a collection.
    static func text(ofElement value: Any) -> String {
        guard let object = unwrapped(value).flatMap(ValueConversion.source) else {
            return text(value, depth: 0)
        }
        return text(of: object)
    }

    /// A value in one short line: an object by its primary key.
    static func brief(_ any: Any) -> String {
        guard let value = unwrapped(any) else { return "nil" }
        if let object = ValueConversion.source(value) { return name(of: object) }
        if let text = value as? String { return quoted(text, maximumBrief) }
        let text = text(value, depth: maximumDepth)
        return bounded(text.split(separator: "\n").joined(separator: " "), maximumBrief)
    }

    /// The name of an object: `Country(iso: "CH")`. Without a primary key, its first values.
    static func name(of object: ObjectBase) -> String {
        if object.isInvalidObject { return "[invalid object]" }
        let model = object._discovered
        let plain = model.properties.filter {
            $0.shape.role == .stored && $0.shape.target == nil && $0.shape.container == .none
        }
        let shown = model.primaryKey.map { [$0] } ?? Array(plain.prefix(3))
        let values = shown.map { property in
            let value = property.type._anyValue(object, at: property.place)
            return "\(property.name): \(brief(plain: value))"
        }
        let rest = model.primaryKey == nil && plain.count > shown.count ? ["..."] : []
        return "\(model.name)(\((values + rest).joined(separator: ", ")))"
    }

    private static func brief(plain any: Any) -> String {
        guard let value = unwrapped(any) else { return "nil" }
        if let text = value as? String { return quoted(text, maximumBrief / 2) }
        return bounded(text(value, depth: maximumDepth), maximumBrief / 2)
    }

    /// A value, within collections that nest `depth` deep.
    static func text(_ any: Any, depth: Int) -> String {
        guard let value = unwrapped(any) else { return "nil" }
        if let object = ValueConversion.source(value) {
            return object is EmbeddedObject
                ? embedded(object, depth: depth + 1) : name(of: object)
        }
        switch value {
        case let data as Data: return "\(data.count) total bytes"
        case let text as String: return bounded(text, maximumText)
        case let value as AnyRealmValue: return text(of: value, depth: depth)
        case let value as any BriefDescription: return value.text(depth: depth)
        case let elements as any DescribedElements:
            if depth >= maximumDepth { return "[\(elements.describedCount) elements]" }
            let shown = elements.described(maximumElements).map { text($0, depth: depth + 1) }
            return listed(shown, of: elements.describedCount)
        case let map as any EntryCollection:
            let entries = map.entries
            if depth >= maximumDepth { return "[\(entries.count) entries]" }
            let shown = entries.prefix(maximumElements).map {
                "\(bounded($0.key, maximumBrief)): \(text($0.value, depth: depth + 1))"
            }
            return listed(shown, of: entries.count)
        default: return bounded("\(value)", maximumText)
        }
    }

    /// An embedded object within its parent, in one line.
    private static func embedded(_ object: ObjectBase, depth: Int) -> String {
        if object.isInvalidObject { return "[invalid object]" }
        let model = object._discovered
        if depth > maximumDepth { return "\(model.name)(...)" }
        let stored = model.properties.filter { $0.shape.role == .stored }
        let values = stored.prefix(maximumElements).map { property in
            let value = property.type._anyValue(object, at: property.place)
            return "\(property.name): \(bounded(text(value, depth: depth), maximumBrief))"
        }
        let rest = stored.count > values.count ? ["..."] : []
        return "\(model.name)(\((values + rest).joined(separator: ", ")))"
    }

    static func listed(_ shown: [String], of count: Int) -> String {
        let rest = count > shown.count ? ["... \(count - shown.count) more"] : []
        return "[\((shown + rest).joined(separator: ", "))]"
    }

    private static func quoted(_ text: String, _ limit: Int) -> String {
        let shown = bounded(text, limit)
        return shown.utf8.count == text.utf8.count ? "\"\(text)\"" : "\"\(shown)"
    }

    /// A string, or its beginning and its length.
    static func bounded(_ text: String, _ limit: Int) -> String {
        let size = text.utf8.count
        // By scalars, because a `Character` may have any number of them.
        if size <= limit || text.unicodeScalars.count <= limit { return text }
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit)))
        return "\(shown)... (\(size) bytes in all)"
    }
}

extension ObjectBase {
    /// Whether the row was deleted.
    fileprivate final var isInvalidObject: Bool { (self as any ModelObject).isInvalidated }
}

/// A value that describes itself to a limited depth.
protocol BriefDescription {
    func text(depth: Int) -> String
}

/// A collection that is described by its first elements.
private protocol DescribedElements {
    var describedCount: Int { get }
    func described(_ limit: Int) -> [Any]
}

extension List: DescribedElements {
    var describedCount: Int { count }
    func described(_ limit: Int) -> [Any] { prefix(limit).map { $0 } }
}

extension MutableSet: DescribedElements {
    var describedCount: Int { count }
    func described(_ limit: Int) -> [Any] { prefix(limit).map { $0 } }
}
