import Foundation

/// Writes objects out for people: every property by name, links to a limited depth.
enum ObjectDescription {
    private static let maximumDepth = 5
    private static let maximumElements = 10

    static func text(of object: ObjectBase) -> String { text(of: object, depth: 0) }

    /// A value of a property of something that is described.
    static func text(ofValue any: Any) -> String { text(any, depth: 0) }

    /// One value by itself: an element of a collection.
    static func text(ofElement value: Any) -> String { text(value, depth: -1) }

    private static func text(of object: ObjectBase, depth: Int) -> String {
        if object.isGone { return "[invalid object]" }
        if depth >= maximumDepth { return "<Maximum depth exceeded>" }
        let model = object._discovered
        let indent = String(repeating: "\t", count: depth)
        let lines = model.properties.filter { $0.shape.role == .stored }.map { property in
            let value = property.type._anyValue(object, at: property.place)
            return "\(indent)\t\(property.name) = \(text(value, depth: depth));"
        }
        return "\(model.name) {\n\(lines.joined(separator: "\n"))\n\(indent)}"
    }

    private static func text(_ any: Any, depth: Int) -> String {
        guard let value = unwrapped(any) else { return "nil" }
        switch value {
        case let object as ObjectBase: return text(of: object, depth: depth + 1)
        case let data as Data: return "\(data.count) total bytes"
        case let text as String: return text
        case let elements as any DescribedElements:
            let shown = elements.described(maximumElements).map { text($0, depth: depth) }
            let rest = elements.describedCount - shown.count
            let more = rest > 0 ? ["... \(rest) more"] : []
            return "[\((shown + more).joined(separator: ", "))]"
        case let map as any EntryCollection:
            let entries = map.entries.sorted { $0.key < $1.key }
            let shown = entries.prefix(maximumElements).map {
                "\($0.key): \(text($0.value, depth: depth))"
            }
            let rest = entries.count - shown.count
            let more = rest > 0 ? ["... \(rest) more"] : []
            return "[\((shown + more).joined(separator: ", "))]"
        default: return "\(value)"
        }
    }
}

extension ObjectBase {
    /// Whether the row is gone.
    fileprivate final var isGone: Bool { (self as any ModelObject).isInvalidated }
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
