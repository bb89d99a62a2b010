/// One thing in which the models differ from the stored schema.
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
    /// What differs, for people.
    package let text: String

    /// Whether something would be lost, or reads as another than before, so that the program has to
    /// say that it wants that.
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
    /// The type, for people.
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
