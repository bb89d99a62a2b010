package import Storage

/// A value in the form in which the engine stores it. Opaque outside the library.
public struct StorableValue: Sendable, Hashable {
    package let value: StoredValue

    package init(_ value: StoredValue) { self.value = value }
}

/// A new row that is being filled. Opaque outside the library.
public struct RowTarget {
    package let graph: ObjectGraph
    package let writer: RowWriter
}

/// The graph of objects that is being added. Opaque outside the library.
public struct GraphTarget {
    package let graph: ObjectGraph
    package let column: Int
    package let changes: ChangePolicy
}

@available(*, unavailable)
extension RowTarget: Sendable {}
@available(*, unavailable)
extension GraphTarget: Sendable {}
