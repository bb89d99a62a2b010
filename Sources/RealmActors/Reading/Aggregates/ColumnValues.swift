public import Storage

extension QueryableResults {
    /// The values of a property in the order of the objects, read directly from its column. The
    /// values of a computed property are read from each object.
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

    /// The values of a property in the order of the objects, read directly from its column.
    @inlinable
    public func map<Value: PersistedValue & Sendable>(
        _ keyPath: KeyPath<Model, Value>
    ) -> [Value] {
        values(of: keyPath)
    }
}

extension ResultsPlan {
    /// The column whose stored values a key path returns; negative if it leads beyond the row, or
    /// computes its value.
    @usableFromInline
    package func column<Root: ObjectBase, Value: PersistedValue>(
        of keyPath: KeyPath<Root, Value>
    ) -> Int {
        // A read-only path, or one whose type differs from that of the property that it reads, is
        // computed. It is not traced with a marked value, which its code may not accept.
        guard keyPath is ReferenceWritableKeyPath<Root, Value> else { return -1 }
        let known = TracedNames.of(keyPath)
        let names = known ?? Tracer.path(of: keyPath).map(\.name)
        precondition(!names.isEmpty, Tracer.refusal(of: keyPath, []))
        guard names.count == 1, let property = model.property(named: names[0]),
            property.type == Value.self, property.origin == nil,
            known != nil || Tracer.isStored(keyPath)
        else { return -1 }
        if known == nil { TracedNames.remember(names, of: keyPath) }
        return property.column.rawValue
    }

    /// An accessor that can be moved to other rows, at the first of `rows`.
    @usableFromInline
    package func makeReader(_ rows: WalkedRows) -> ObjectBase {
        let slot = rows.base &+ rows.bits.trailingZeroBitCount
        let reader = makeReader(rows.cluster.key(slot))
        reader._point(at: rows.cluster, slot, isTransient: rows.isTransient)
        return reader
    }
}

extension EvaluatedRows {
    /// The number of rows if it is known without evaluation.
    @usableFromInline
    package var _countHint: Int { knownCount ?? 0 }
}
