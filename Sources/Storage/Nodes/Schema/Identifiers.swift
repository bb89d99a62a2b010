/// The key of a row within its class: ascending in the order of creation, never reused.
@frozen @usableFromInline
package struct RowKey: Hashable, Comparable, Sendable {
    @usableFromInline package var rawValue: Int64

    @inlinable
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    @inlinable
    package init(rawValue: Int64) { self.rawValue = rawValue }

    @inlinable
    package static func < (a: RowKey, b: RowKey) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a class in its store: the index in ``StoreSchema/classes``. Append-only.
@frozen @usableFromInline
package struct ClassID: Hashable, Comparable, Sendable {
    @usableFromInline package var rawValue: Int

    @inlinable
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    package init(rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    package static func < (a: ClassID, b: ClassID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a column in its class: the index in ``ClassSchema/columns``. Append-only.
@frozen @usableFromInline
package struct ColumnID: Hashable, Comparable, Sendable {
    @usableFromInline package var rawValue: Int

    @inlinable
    package init(_ rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    package init(rawValue: Int) { self.rawValue = rawValue }

    @inlinable
    package static func < (a: ColumnID, b: ColumnID) -> Bool { a.rawValue < b.rawValue }
}
