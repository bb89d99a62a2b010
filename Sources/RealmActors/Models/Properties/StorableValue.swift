public import Storage

/// A value in the form in which the engine stores it. Opaque outside the library.
@_documentation(visibility: internal)
public struct StorableValue: Sendable, Hashable {
    package let value: StoredValue

    package init(_ value: StoredValue) { self.value = value }
}

/// A row that is being written. Opaque outside the library.
@_documentation(visibility: internal)
public struct RowTarget {
    // Unowned: a row is written immediately, while its context is in use.
    let context: Unmanaged<LiveContext>
    @usableFromInline package let writer: RowWriter

    // Unsafe: the writer of a row retains its context meanwhile.
    /// The graph that adds the objects which the row links to.
    var graph: ObjectGraph { context._withUnsafeGuaranteedRef { $0.graph } }
}

/// The graph of objects that is being added. Opaque outside the library.
@_documentation(visibility: internal)
public struct GraphTarget {
    package let graph: ObjectGraph
    /// The object whose property is written.
    package let owner: ObjectBase
    package let column: Int
    package let changes: ChangePolicy
}

extension GraphTarget {
    /// The row of an object to link to; adds it when it is unmanaged.
    ///
    /// - Throws: ``RealmError/invalidObject(_:)`` for an object of another class than `type`, also
    ///   of a subclass: each class has its own rows.
    func link(to object: ObjectBase, as type: ObjectBase.Type) throws(RealmError) -> RowKey {
        guard Swift.type(of: object) == type else {
            throw mismatch(object, expected: DiscoveredModel.of(type).name)
        }
        let key = try graph.link(to: object)
        // Dynamic objects of all classes have the same Swift type.
        if type == DynamicObject.self, let model = owner._target(type, column, graph.models),
            model.classID != object._classID
        {
            throw mismatch(object, expected: model.className)
        }
        return key
    }

    private func mismatch(_ object: ObjectBase, expected: String) -> RealmError {
        let name = owner.__model?.property(ColumnID(column))?.name ?? "\(column)"
        return .invalidObject(
            "Property '\(owner._discovered.name).\(name)' takes objects of class '\(expected)', "
                + "and was given a '\(object._discovered.name)'. An object of a subclass cannot be "
                + "stored as one of its superclass.")
    }
}

@available(*, unavailable)
extension RowTarget: Sendable {}
@available(*, unavailable)
extension GraphTarget: Sendable {}
