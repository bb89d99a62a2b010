import RealmActors

/// Classes as a program would declare them.
struct SwiftModels {
    private let types: [ObjectSchema]
    private let version: UInt64

    init(_ types: [ObjectSchema], version: UInt64) {
        self.types = types
        self.version = version
    }

    var text: String {
        let head = [
            "// Models of a store whose schema version is \(version).", "import Foundation",
            "import RealmActors", "",
        ]
        return head.joined(separator: "\n") + "\n"
            + types.map(declaration).joined(separator: "\n")
    }

    private func declaration(_ type: ObjectSchema) -> String {
        let base = type.isEmbedded ? "EmbeddedObject" : "Object"
        var lines = [
            type.indexes.isEmpty
                ? "class \(type.className): \(base) {"
                : "final class \(type.className): \(base), IndexedModel {"
        ]
        for property in type.properties {
            let option =
                property.isPrimaryKey
                ? "(primaryKey: true)"
                : property.isIndexed
                    ? "(indexed: true)" : property.isFullText ? "(indexed: .fullText)" : ""
            lines.append(
                "    @Persisted\(option) var \(identifier(property.name)): \(swiftType(property))")
        }
        let renamed = type.properties.map(\.name).filter { !Self.isName($0) }
        if !renamed.isEmpty {
            let pairs = renamed.map { name in
                "\"\(Self.made(of: name))\": \(name.debugDescription)"
            }
            lines.append("")
            lines.append("    override class func propertiesMapping() -> [String: String] {")
            lines.append("        [\(pairs.joined(separator: ", "))]")
            lines.append("    }")
        }
        lines += indexes(of: type)
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private func indexes(of type: ObjectSchema) -> [String] {
        if type.indexes.isEmpty { return [] }
        let declared = type.indexes.map { index in
            if index.isOfPlaces { return "            .places," }
            let parts = index.parts.map { part in
                let collation = part.collation == nil ? "" : ", collation: .people"
                return ".\(part.ascending ? "ascending" : "descending")"
                    + "(\\.\(identifier(part.name))\(collation))"
            }
            let label = index.isUnique ? "unique: " : ""
            return "            Index(\(label)\(parts.joined(separator: ", "))),"
        }
        return ["", "    static var indexes: [Index<\(type.className)>] {", "        ["]
            + declared + ["        ]", "    }"]
    }

    private func swiftType(_ property: Property) -> String {
        var name = property.objectClassName ?? scalar(property)
        // A map of links has optional ones, and a value of any type is nil by itself.
        if property.isOptional, property.type != .any { name += "?" }
        if property.isArray { return "List<\(name)>" }
        if property.isSet { return "MutableSet<\(name)>" }
        return property.isMap ? "Map<String, \(name)>" : name
    }

    private func scalar(_ property: Property) -> String {
        switch property.type {
        case .int: integer(property.integerBounds)
        case .bool: "Bool"
        case .float: "Float"
        case .double: "Double"
        case .string: "String"
        case .data: "Data"
        case .date: "Date"
        case .uuid: "UUID"
        case .objectId: "ObjectId"
        case .decimal128: "Decimal128"
        case .any: "AnyRealmValue"
        case .object, .linkingObjects: "Object"
        }
    }

    private func integer(_ bounds: ClosedRange<Int64>?) -> String {
        let types: [any FixedWidthInteger.Type] = [
            Int8.self, Int16.self, Int32.self, UInt8.self, UInt16.self, UInt32.self,
        ]
        let found = types.first { type in
            bounds.map { Int64(type.min) == $0.lowerBound && Int64(type.max) == $0.upperBound }
                ?? false
        }
        return found.map { "\($0)" } ?? "Int"
    }

    private static let keywords: Set<String> = [
        "as", "break", "case", "catch", "class", "continue", "default", "defer", "do", "else",
        "enum", "extension", "false", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "true",
        "try", "typealias", "var", "where", "while",
    ]

    private func identifier(_ name: String) -> String {
        let name = Self.isName(name) ? name : Self.made(of: name)
        return Self.keywords.contains(name) ? "`\(name)`" : name
    }

    /// Whether a property of a Swift class can have the name.
    private static func isName(_ name: String) -> Bool {
        name.first?.isNumber == false
            && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || $0 == "_" }
    }

    private static func made(of name: String) -> String {
        let parts = name.unicodeScalars.map { $0.properties.isXIDContinue ? String($0) : "_" }
        let joined = parts.joined()
        return joined.first?.isNumber == false ? joined : "_" + joined
    }
}
