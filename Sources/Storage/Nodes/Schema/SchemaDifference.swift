/// One difference between the models and the stored schema.
package struct SchemaDifference: Sendable, Hashable {
    package enum Kind: Sendable, Hashable, CaseIterable {
        case classAdded
        case classEmbedded
        case classTopLevel
        case propertyAdded
        case propertyRemoved
        case propertyChanged
        case rangeNarrowed
        case rangeWidened
        case primaryKeyChanged
        case indexAdded
        case indexRemoved
    }

    package let kind: Kind
    package let className: String
    /// The column; nil for a difference of the class itself.
    package let property: String?
    /// A readable description of the difference.
    package let text: String

    /// Whether data would be lost, or read differently than before, so that the program has to
    /// request a migration.
    package var needsMigration: Bool {
        switch kind {
        case .classAdded, .propertyAdded, .rangeWidened, .indexAdded, .indexRemoved: false
        case .classEmbedded, .classTopLevel, .propertyRemoved, .propertyChanged, .rangeNarrowed,
            .primaryKeyChanged:
            true
        }
    }
}

extension ColumnSchema {
    /// A readable description of the type.
    func words(_ classes: [ClassSchema]) -> String {
        var text = isNullable && kind != .link ? "optional " : ""
        if container != .none { text += "\(container) of " }
        text += "\(kind)"
        if let target, target.rawValue < classes.count {
            text += " to '\(classes[target.rawValue].name)'"
        }
        return text
    }
}
