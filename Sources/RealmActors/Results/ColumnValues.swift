public import Storage

extension QueryableResults {
    /// The values of a property in the order of the objects, read straight from its column.
    @inlinable
    public func values<Value: PersistedValue & Sendable>(
        of keyPath: KeyPath<Model, Value>
    ) -> [Value] {
        let rows = _rows
        var values: [Value] = []
        values.reserveCapacity(rows._countHint)
        var walk = rows.walk()
        guard let first = walk.next() else { return values }
        let plan = _plan
        // Unsafe: the plan's model is that of `Model`.
        let reader = unsafeDowncast(plan.makeReader(first), to: Model.self)
        let column = plan.column(of: keyPath)
        var next: WalkedRow? = first
        while let row = next {
            reader.__cluster = row.cluster
            reader.__slot = row.slot
            reader.__key = row.cluster.key(row.slot)
            values.append(column >= 0 ? Value._read(reader, column) : reader[keyPath: keyPath])
            next = walk.next()
        }
        return values
    }

    /// The values of a property in the order of the objects, read straight from its column.
    @inlinable
    public func map<Value: PersistedValue & Sendable>(
        _ keyPath: KeyPath<Model, Value>
    ) -> [Value] {
        values(of: keyPath)
    }
}

extension ResultsPlan {
    /// The column that a key path reads; negative when it goes further than the row itself.
    @usableFromInline
    package func column<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> Int {
        let names = Tracer.names(of: keyPath)
        guard names.count == 1, let property = model.property(named: names[0]),
            property.origin == nil
        else { return -1 }
        return property.column.rawValue
    }

    /// An accessor that reads whatever row it is pointed at.
    @usableFromInline
    package func makeReader(_ row: WalkedRow) -> ObjectBase {
        makeReader(row.cluster.key(row.slot), row.location)
    }
}

extension EvaluatedRows {
    /// How many rows there are where that is known without looking.
    @usableFromInline
    package var _countHint: Int { knownCount ?? 0 }
}
