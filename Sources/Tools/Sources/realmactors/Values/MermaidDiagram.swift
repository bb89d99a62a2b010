import RealmActors

/// The classes and their links as https://mermaid.js.org draws them.
struct MermaidDiagram {
    private let types: [ObjectSchema]

    init(_ types: [ObjectSchema]) { self.types = types }

    var text: String {
        var lines = ["classDiagram"]
        for type in types {
            lines.append("    class \(name(type.className)) {")
            if type.isEmbedded { lines.append("        <<embedded>>") }
            for property in type.properties where property.objectClassName == nil {
                lines.append("        \(described(property))")
            }
            lines.append("    }")
        }
        for type in types {
            for property in type.properties {
                guard let target = property.objectClassName else { continue }
                let isEmbedded = types.first { $0.className == target }?.isEmbedded ?? false
                let arrow = isEmbedded ? "*--" : "-->"
                let count = property.isCollection ? "*" : "0..1"
                lines.append(
                    "    \(name(type.className)) \(arrow) \"\(count)\" \(name(target)) : "
                        + property.name)
            }
        }
        return lines.map { Cell.visible($0) }.joined(separator: "\n")
    }

    private func described(_ property: Property) -> String {
        let type = property.diagramType(
            of: property.type.rawValue, opening: "~", closing: "~")
        let mark = property.diagramMark.map { " \($0)" } ?? ""
        return "\(type) \(property.name)\(mark)"
    }

    /// A name that the diagram takes.
    private func name(_ text: String) -> String {
        text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
            ? text : "`\(text.replacing("`", with: "'"))`"
    }
}
