import Storage

/// The order of the pages of a query.
struct PageOrder {
    private let criteria: [PageCriterion]
    private let classID: ClassID

    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for elements of a collection, whose
    ///   order does not depend on their properties.
    init(_ query: ResultsQuery) throws(RealmError) {
        guard case .all = query.source else {
            throw .invalidQuery(
                message: "Elements of a collection and inverse links cannot be read by pages. Take "
                    + "a range of their positions, or query the objects of their class.",
                position: nil)
        }
        var criteria: [PageCriterion] = []
        // In reverse: objects that are equal in a later order keep the earlier one.
        for stage in query.stages.reversed() {
            switch stage {
            case .sort(let keys): criteria += keys.map { PageCriterion.key($0) }
            case .rank(let relevance): criteria.append(.relevance(relevance))
            case .filter, .distinct, .limit: break
            }
        }
        self.criteria = criteria
        classID = query.classID
    }

    /// A hash of the order (FNV-1a). Parts of variable length are preceded by their length, so that
    /// no two orders hash the same bytes.
    private var fingerprint: UInt32 {
        var hash: UInt32 = 2_166_136_261
        func mix(_ number: Int) {
            for byte in 0..<8 {
                hash =
                    (hash ^ UInt32(UInt8(truncatingIfNeeded: number >> (8 * byte)))) &* 16_777_619
            }
        }
        func mix(_ path: ValuePath) {
            mix(path.steps.count)
            for step in path.steps {
                if case .link(let hop) = step { mix(hop.column) }
            }
            if case .value(let column, _) = path.end { mix(column) }
        }
        func mix(_ key: SortKey) {
            mix(key.ascending ? 1 : 2)
            mix(key.path)
            switch key.measure {
            case .value: mix(1)
            case .distance(let origin, _):
                mix(2)
                mix(Int(bitPattern: UInt(origin.point.latitude.bitPattern)))
                mix(Int(bitPattern: UInt(origin.point.longitude.bitPattern)))
            case .collated:
                mix(3)
                mix(Int(CollationKey.version))
            }
        }
        mix(classID.rawValue)
        mix(criteria.count)
        for criterion in criteria {
            switch criterion {
            case .key(let key): mix(key)
            case .relevance(let relevance):
                mix(3)
                mix(relevance.paths.count)
                for path in relevance.paths { mix(path) }
                mix(relevance.text.utf8.count)
                for byte in relevance.text.utf8 { mix(Int(byte)) }
            }
        }
        return hash
    }

    /// The cursor of a row.
    func cursor(_ row: RowLocation, _ view: TreeView) -> PageCursor {
        let position = PagePosition(of: row, by: criteria, in: view)
        return PageCursor(
            order: fingerprint, row: position.row.rawValue,
            values: position.values.map { $0?.mixedBytes })
    }

    /// The position of a cursor.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a cursor of another order.
    func position(_ cursor: PageCursor) throws(RealmError) -> PagePosition {
        let foreign = RealmError.invalidQuery(
            message: "The cursor is of other results, or of another order. Use it with the results "
                + "that it came from, or begin with the first page.",
            position: nil)
        guard cursor.order == fingerprint, cursor.values.count == criteria.count, cursor.row >= 0,
            cursor.row < .max
        else { throw foreign }
        var values: [StoredValue?] = []
        for (criterion, bytes) in zip(criteria, cursor.values) {
            let value = bytes.flatMap { StoredValue(mixedBytes: $0) }
            guard criterion.takes(value), value != nil || bytes == nil else { throw foreign }
            values.append(value)
        }
        return PagePosition(criteria: criteria, values: values, row: RowKey(cursor.row))
    }
}

extension PageCriterion {
    /// Whether objects may have such a value; nil represents a link on the path that is nil.
    fileprivate func takes(_ value: StoredValue?) -> Bool {
        switch self {
        case .key(let key): value.map { key.takes($0) } ?? true
        case .relevance: if case .double(let score)? = value { score >= 0 } else { false }
        }
    }
}

extension SortKey {
    /// Whether the property may have such a value.
    fileprivate func takes(_ value: StoredValue) -> Bool {
        guard case .value(_, let schema) = path.end else { return false }
        switch measure {
        case .value: break
        case .distance: return value.kind == .double
        case .collated: return value.isNull || value.kind == .data
        }
        return value.isNull || schema.kind == .mixed || value.kind == schema.kind
    }
}
