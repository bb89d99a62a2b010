import RealmActors

/// Classes as a program would declare them.
struct SwiftModels {
    private let types: [ObjectSchema]
    private let version: UInt64
    /// The classes that a program can have.
    private let usable: Set<String>

    init(_ types: [ObjectSchema], of stored: StoredSchema) {
        self.types = types
        version = stored.version
        usable = Self.usable(stored.schema)
    }

    /// Those with a name of Swift and a property, which is no link to another class.
    private static func usable(_ schema: Schema) -> Set<String> {
        var types = schema.objectSchema.filter { SwiftName.ofClass($0.className) != nil }
        while true {
            let names = Set(types.map(\.className))
            let rest = types.filter { type in
                type.properties.contains { property in
                    property.objectClassName.map { names.contains($0) } ?? true
                }
            }
            if rest.count == types.count { return names }
            types = rest
        }
    }

    var text: String {
        let head = [
            "// Models of a store whose schema version is \(version).", "import Foundation",
            "import RealmActors", "",
        ]
        return head.joined(separator: "\n") + "\n"
            + types.map { declaration($0) }.joined(separator: "\n")
    }

    private func declaration(_ type: ObjectSchema) -> String {
        guard let className = SwiftName.ofClass(type.className) else {
            return omission(of: type, "its name is not a valid Swift class name")
        }
        guard usable.contains(type.className) else {
            return omission(of: type, "no property can be declared in Swift")
        }
        let kept = type.properties.filter { isUsable($0) }.map(\.name)
        let names = SwiftName.ofProperties(kept)
        let indexes = type.indexes.filter { $0.parts.allSatisfy { names[$0.name] != nil } }
        let base = known(type.isEmbedded ? "EmbeddedObject" : "Object")
        var lines = [
            indexes.isEmpty
                ? "class \(className): \(base) {"
                : "final class \(className): \(base), \(known("IndexedModel")) {"
        ]
        lines += type.properties.map { "    " + declaration($0, names[$0.name]) }
        let renamed = kept.filter { names[$0] != $0 }
        if !renamed.isEmpty {
            let pairs = renamed.map { "\"\(names[$0] ?? $0)\": \(SwiftName.literal($0))" }
            let text = known("String", of: "Swift")
            lines.append("")
            lines.append("    override class func propertiesMapping() -> [\(text): \(text)] {")
            lines.append("        [\(pairs.joined(separator: ", "))]")
            lines.append("    }")
        }
        lines += declarations(of: indexes, className, names)
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private func omission(of type: ObjectSchema, _ reason: String) -> String {
        "// The class \(SwiftName.literal(type.className)) is left out: \(reason).\n"
    }

    /// - Parameter name: its name in the class; nil of one that is left out.
    private func declaration(_ property: Property, _ name: String?) -> String {
        guard let name else {
            let target = SwiftName.literal(property.objectClassName ?? "")
            return "// \(SwiftName.literal(property.name)) is left out: it links to \(target)."
        }
        let option =
            property.isPrimaryKey
            ? "(primaryKey: true)"
            : property.isIndexed
                ? "(indexed: true)" : property.isFullText ? "(indexed: .fullText)" : ""
        return "@\(known("Persisted"))\(option) var \(SwiftName.escaped(name)): "
            + swiftType(property)
    }

    private func declarations(
        of indexes: [ObjectIndex], _ className: String, _ names: [String: String]
    ) -> [String] {
        if indexes.isEmpty { return [] }
        let type = known("Index")
        let declared = indexes.map { index in
            if index.isOfPlaces { return "            .places," }
            let parts = index.parts.map { part in
                let collation = part.collation == nil ? "" : ", collation: .people"
                return ".\(part.ascending ? "ascending" : "descending")"
                    + "(\\.\(SwiftName.escaped(names[part.name] ?? part.name))\(collation))"
            }
            let label = index.isUnique ? "unique: " : ""
            return "            \(type)(\(label)\(parts.joined(separator: ", "))),"
        }
        return ["", "    static var indexes: [\(type)<\(className)>] {", "        ["]
            + declared + ["        ]", "    }"]
    }

    private func isUsable(_ property: Property) -> Bool {
        property.objectClassName.map { usable.contains($0) } ?? true
    }

    /// A type of a module, also where a class of the store has its name.
    private func known(_ name: String, of module: String = "RealmActors") -> String {
        usable.contains(name) ? "\(module).\(name)" : name
    }

    private func swiftType(_ property: Property) -> String {
        var name = property.objectClassName.flatMap { SwiftName.ofClass($0) } ?? scalar(property)
        // A map of links has optional ones, and a value of any type is nil by itself.
        if property.isOptional, property.type != .any { name += "?" }
        if property.isArray { return "\(known("List"))<\(name)>" }
        if property.isSet { return "\(known("MutableSet"))<\(name)>" }
        guard property.isMap else { return name }
        return "\(known("Map"))<\(known("String", of: "Swift")), \(name)>"
    }

    private func scalar(_ property: Property) -> String {
        switch property.type {
        case .int: integer(property.integerBounds)
        case .bool: known("Bool", of: "Swift")
        case .float: known("Float", of: "Swift")
        case .double: known("Double", of: "Swift")
        case .string: known("String", of: "Swift")
        case .data: known("Data", of: "Foundation")
        case .date: known("Date", of: "Foundation")
        case .uuid: known("UUID", of: "Foundation")
        case .objectId: known("ObjectId")
        case .decimal128: known("Decimal128")
        case .any: known("AnyRealmValue")
        case .object, .linkingObjects: known("Object")
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
        return known(found.map { "\($0)" } ?? "Int", of: "Swift")
    }
}
