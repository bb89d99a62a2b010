/// The properties of a column that a lookup in its index needs.
///
/// Computed once and then copied: like a ``ColumnSchema``, it retains nothing.
package struct IndexedColumn: Sendable {
    /// How different values with an equal key differ.
    enum Tie: Sendable {
        /// Different values never have an equal key.
        case none
        /// One of them is null, if the key is zero.
        case null
        case bytes
        case low
        case mixed
        /// By the encoded bytes of the values of several columns.
        case composite
    }

    /// The number of the column in its class.
    package let number: Int
    let kind: ValueKind
    let hasNulls: Bool
    let tie: Tie
    /// The columns whose values form the keys, if there are several.
    package let parts: IndexParts

    /// Only keys and rows, as in backlinks.
    static var exact: IndexedColumn {
        IndexedColumn(number: 0, kind: .link, hasNulls: false, tie: .none)
    }

    private init(
        number: Int, kind: ValueKind, hasNulls: Bool, tie: Tie,
        parts: IndexParts = IndexParts()
    ) {
        self.parts = parts
        self.number = number
        self.kind = kind
        self.hasNulls = hasNulls
        self.tie = tie
    }

    package init(_ number: Int, _ schema: ColumnSchema) {
        // The key of a term is complete, for the purposes of the index.
        if schema.isFullText {
            self.init(number: number, kind: schema.kind, hasNulls: false, tie: .none)
            return
        }
        if schema.isComposite {
            // The key of a place is complete, too.
            self.init(
                number: number, kind: schema.kind, hasNulls: false,
                tie: schema.parts.isOfPlaces ? .none : .composite, parts: schema.parts)
            return
        }
        // Links have entries only if they are not null.
        let hasNulls = schema.hasNullBits && schema.kind != .link
        let tie: Tie =
            switch schema.kind.sortDigits {
            case .many: .bytes
            case .two: .low
            case .one: hasNulls ? .null : .none
            case .none: schema.kind == .mixed ? .mixed : hasNulls ? .null : .none
            }
        self.init(number: number, kind: schema.kind, hasNulls: hasNulls, tie: tie)
    }

    /// The expected distribution of the keys.
    var spread: KeySpread {
        switch tie {
        case .composite: .grouped
        case .bytes where kind == .string: .text
        case .none, .null, .bytes, .low, .mixed: .even
        }
    }

    /// The low bits by which values with equal keys differ, if they differ in the last bytes.
    func lowBits(_ cluster: Cluster, _ slot: Int) -> UInt64 {
        cluster.fixed(number, slot, kind).orderedKey.low
    }

    /// The schema of the column, without its name.
    package var schema: ColumnSchema {
        ColumnSchema(name: "", kind: kind, isNullable: hasNulls, isIndexed: true)
    }

    /// Whether the column can contain `value`: keys of different kinds cannot be compared.
    func canHold(_ value: StoredValue) -> Bool {
        guard let kind = value.kind else { return hasNulls || self.kind == .mixed }
        return canHold(kind)
    }

    /// As ``canHold(_:)``, for a value that is not null.
    package func canHold(_ kind: ValueKind) -> Bool { self.kind == .mixed || self.kind == kind }
}
