import RealmActors

/// What both kinds of diagrams say of a property.
extension Property {
    /// The type of a property that holds `element`; the notation has its own brackets.
    func diagramType(of element: String, opening: String, closing: String) -> String {
        var type = element
        if isOptional { type += "?" }
        if isArray { type = "List\(opening)\(type)\(closing)" }
        if isSet { type = "Set\(opening)\(type)\(closing)" }
        if isMap { type = "Map\(opening)\(type)\(closing)" }
        return type
    }

    /// How it finds objects; nil where it does not.
    var diagramMark: String? { isPrimaryKey ? "key" : isIndexed ? "indexed" : nil }
}
