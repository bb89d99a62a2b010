import Storage

// Aggregates of a property by its name, which may lead across to-one links: `"owner.age"`.
// Aggregates by key path are checked by the compiler.
extension QueryableResults {
    /// The minimum of the property with this name; `.none` if there are no values. Nil and NaN do
    /// not count. Values of a property of any type compare in the order of all types.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a property that is not a number, a date or
    ///   of any type, and for a path through a collection; the error when a node could not be read.
    public func min(ofProperty name: String) throws(RealmError) -> FrozenValue {
        try extreme(.minimum, name)
    }

    /// The maximum of the property with this name; `.none` if there are no values. Nil and NaN do
    /// not count. Values of a property of any type compare in the order of all types.
    ///
    /// - Throws: as ``min(ofProperty:)``.
    public func max(ofProperty name: String) throws(RealmError) -> FrozenValue {
        try extreme(.maximum, name)
    }

    /// The sum of the property with this name, as a number of its kind; zero if there is none. Nil
    /// and NaN do not count; a sum of integers is clamped to the range of `Int`. For a property of
    /// any type, the sum of its numbers.
    ///
    /// - Throws: ``RealmError/invalidKeyPath(_:)`` for a property that is not a number or of any
    ///   type, and for a path through a collection; the error when a node could not be read.
    public func sum(ofProperty name: String) throws(RealmError) -> FrozenValue {
        let (total, column) = try total(name)
        return total.number(as: column.kind)
    }

    /// The average of the property with this name; nil if there is none. Nil and NaN do not count.
    ///
    /// - Throws: as ``sum(ofProperty:)``.
    public func average(ofProperty name: String) throws(RealmError) -> Double? {
        try total(name).0.average
    }

    private func total(_ name: String) throws(RealmError) -> (AggregateTotal, ColumnSchema) {
        let (aggregation, column) = try aggregation(name, takesDates: false)
        let total = aggregation.total()
        try _plan.context.requireReadable()
        return (total, column)
    }

    private func extreme(
        _ aggregate: CollectionAggregate, _ name: String
    ) throws(RealmError) -> FrozenValue {
        let (aggregation, column) = try aggregation(name, takesDates: true)
        var found: FrozenValue?
        if let row = aggregation.extreme(aggregate),
            case .value(let index, _) = aggregation.path.end
        {
            let stored = row.value(index, column)
            found = FrozenValue(scalar: stored) ?? FrozenValue(stored, target: nil, presentContext)
        }
        try _plan.context.requireReadable()
        return found ?? FrozenValue.none
    }

    /// The context for objects within a value, as they are at this moment.
    private var presentContext: FrozenContext {
        if let live = _plan.context as? LiveContext { return live.captured() }
        return _plan.frozenContext
    }

    private func aggregation(
        _ name: String, takesDates: Bool
    ) throws(RealmError) -> (ColumnAggregation, ColumnSchema) {
        if let absence = _plan.context.absence { throw absence }
        let steps = SortDescriptor(keyPath: name).steps
        let path = try _plan.schema.bindSingle(steps, in: _plan.query.classID)
        guard case .value(_, let column) = path.end,
            NamedValues.canAggregate(column.kind, takesDates: takesDates)
        else {
            throw NamedValues.refusal(name, of: _plan.model.className, takesDates: takesDates)
        }
        return (
            ColumnAggregation(query: _rows.query, path: path, view: _plan.context.view), column
        )
    }
}

extension ObjectCollection {
    /// The minimum of the property with this name; links and collections within values of any type
    /// count in a live collection only.
    ///
    /// - Throws: as ``QueryableResults/min(ofProperty:)``.
    public func min(ofProperty name: String) throws(RealmError) -> FrozenValue {
        if _isQueryable { return try _results.min(ofProperty: name) }
        return try NamedValues(name, of: self, takesDates: true).extreme { $0 < $1 }
    }

    /// The maximum of the property with this name; links and collections within values of any type
    /// count in a live collection only.
    ///
    /// - Throws: as ``QueryableResults/min(ofProperty:)``.
    public func max(ofProperty name: String) throws(RealmError) -> FrozenValue {
        if _isQueryable { return try _results.max(ofProperty: name) }
        return try NamedValues(name, of: self, takesDates: true).extreme { $1 < $0 }
    }

    /// The sum of the property with this name.
    ///
    /// - Throws: as ``QueryableResults/sum(ofProperty:)``.
    public func sum(ofProperty name: String) throws(RealmError) -> FrozenValue {
        if _isQueryable { return try _results.sum(ofProperty: name) }
        let values = try NamedValues(name, of: self, takesDates: false)
        return values.total.number(as: values.kind)
    }

    /// The average of the property with this name.
    ///
    /// - Throws: as ``QueryableResults/sum(ofProperty:)``.
    public func average(ofProperty name: String) throws(RealmError) -> Double? {
        if _isQueryable { return try _results.average(ofProperty: name) }
        return try NamedValues(name, of: self, takesDates: false).total.average
    }
}

extension FrozenObjectCollection {
    /// The minimum of the property with this name, as ``QueryableResults`` has it.
    ///
    /// - Throws: as ``QueryableResults/min(ofProperty:)``.
    public func min(ofProperty name: String) throws(RealmError) -> FrozenValue {
        try _results.min(ofProperty: name)
    }

    /// The maximum of the property with this name, as ``QueryableResults`` has it.
    ///
    /// - Throws: as ``QueryableResults/min(ofProperty:)``.
    public func max(ofProperty name: String) throws(RealmError) -> FrozenValue {
        try _results.max(ofProperty: name)
    }

    /// The sum of the property with this name, as ``QueryableResults`` has it.
    ///
    /// - Throws: as ``QueryableResults/sum(ofProperty:)``.
    public func sum(ofProperty name: String) throws(RealmError) -> FrozenValue {
        try _results.sum(ofProperty: name)
    }

    /// The average of the property with this name, as ``QueryableResults`` has it.
    ///
    /// - Throws: as ``QueryableResults/sum(ofProperty:)``.
    public func average(ofProperty name: String) throws(RealmError) -> Double? {
        try _results.average(ofProperty: name)
    }
}

extension AggregateTotal {
    /// The sum of a column, as a number of its kind.
    fileprivate func number(as kind: ValueKind) -> FrozenValue {
        switch kind.number {
        case .int?: .int(clamped)
        case .float?: .float(Float(reals))
        case .double?: .double(reals)
        case .decimal?: .decimal128(decimals)
        case nil: FrozenValue(scalar: sum) ?? .int(0)
        }
    }
}
