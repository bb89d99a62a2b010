/// What looking something up in the index of a column takes to know of the column.
///
/// Worked out once and then copied about: it holds no counts, as a ``ColumnSchema`` does.
package struct IndexedColumn: Sendable {
    /// What two different values with one key differ in.
    enum Tie: Sendable {
        /// In nothing: there are none.
        case none
        /// In being null, where the key is zero.
        case null
        case bytes
        case low
        case mixed
        /// In the bytes that the values of several columns make.
        case composite
    }

    /// Which column of its class it is.
    package let number: Int
    let kind: ValueKind
    let hasNulls: Bool
    let tie: Tie
    /// The columns whose values make the keys, where they are several.
    package let parts: IndexParts

    /// Keys and rows alone, as backlinks have them.
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
        // The key of a term says all there is, as far as the index goes.
        if schema.isFullText {
            self.init(number: number, kind: schema.kind, hasNulls: false, tie: .none)
            return
        }
        if schema.isComposite {
            // The key of a place says all there is, too.
            self.init(
                number: number, kind: schema.kind, hasNulls: false,
                tie: schema.parts.isOfPlaces ? .none : .composite, parts: schema.parts)
            return
        }
        // Of links there are entries only where they are not null.
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

    /// How the keys are likely to be spread.
    var spread: KeySpread {
        switch tie {
        case .composite: .grouped
        case .bytes where kind == .string: .text
        case .none, .null, .bytes, .low, .mixed: .even
        }
    }

    /// What the values of rows whose keys are equal differ in, where they do so in the last bytes.
    func lowBits(_ cluster: Cluster, _ slot: Int) -> UInt64 {
        cluster.fixed(number, slot, kind).orderedKey.low
    }

    /// What a column of values is by itself, without its name.
    package var schema: ColumnSchema {
        ColumnSchema(name: "", kind: kind, isNullable: hasNulls, isIndexed: true)
    }

    /// Whether the column can have `value`: keys of different kinds are not to be compared.
    func canHold(_ value: StoredValue) -> Bool {
        guard let kind = value.kind else { return hasNulls || self.kind == .mixed }
        return canHold(kind)
    }

    /// As ``canHold(_:)``, for a value that is not null.
    package func canHold(_ kind: ValueKind) -> Bool { self.kind == .mixed || self.kind == kind }
}
