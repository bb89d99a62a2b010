public import Storage

extension QueryableResults {
    /// The values of a property in the order of the objects, read straight from its column; those
    /// of a property that is computed, from each object.
    ///
    /// A computed property that can be set, and has the type of the one stored property that it
    /// reads, cannot be told from that: the values are those that are stored. Use
    /// `map { $0.property }` for it.
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
        var next: WalkedRows? = first
        while var rows = next {
            let cluster = rows.cluster
            reader._point(at: cluster, rows.base, isTransient: rows.isTransient)
            while rows.bits != 0 {
                let slot = rows.takeSlot()
                reader.__slot = slot
                if column >= 0 {
                    values.append(Value._read(reader, column))
                } else {
                    reader.__key = cluster.key(slot)
                    values.append(reader[keyPath: keyPath])
                }
            }
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
    /// The column whose values a key path gives as they are stored; negative when it goes further
    /// than the row itself, or computes something of what is stored.
    @usableFromInline
    package func column<Root: ObjectBase, Value: PersistedValue>(
        of keyPath: KeyPath<Root, Value>
    ) -> Int {
        let names = Tracer.names(of: keyPath)
        // What is computed of one property goes through that property only, as the property does;
        // but it has another type, or cannot be set. What has the same type and can be set is not
        // found out.
        guard names.count == 1, keyPath is ReferenceWritableKeyPath<Root, Value>,
            let property = model.property(named: names[0]), property.type == Value.self,
            property.origin == nil
        else { return -1 }
        return property.column.rawValue
    }

    /// An accessor that reads whatever row it is pointed at, beginning with the first of `rows`.
    @usableFromInline
    package func makeReader(_ rows: WalkedRows) -> ObjectBase {
        let slot = rows.base &+ rows.bits.trailingZeroBitCount
        let reader = makeReader(rows.cluster.key(slot))
        reader._point(at: rows.cluster, slot, isTransient: rows.isTransient)
        return reader
    }
}

extension EvaluatedRows {
    /// How many rows there are where that is known without looking.
    @usableFromInline
    package var _countHint: Int { knownCount ?? 0 }
}
