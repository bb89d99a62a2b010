public import Storage

/// A value in the form in which the engine stores it. Opaque outside the library.
public struct StorableValue: Sendable, Hashable {
    package let value: StoredValue

    package init(_ value: StoredValue) { self.value = value }
}

/// A row that is being written. Opaque outside the library.
public struct RowTarget {
    // Unowned: a row is written at once, while its context is at hand.
    let context: Unmanaged<LiveContext>
    @usableFromInline package let writer: RowWriter

    // Unsafe: whoever writes a row keeps its context meanwhile.
    /// What adds the objects that the row refers to.
    var graph: ObjectGraph { context._withUnsafeGuaranteedRef { $0.graph } }
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
