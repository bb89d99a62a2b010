import Storage

/// The order that pages of a query go by.
struct PageOrder {
    let keys: [SortKey]
    private let classID: ClassID

    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for elements of a collection, which
    ///   have an order that is no property of theirs, and for an order of relevance.
    init(_ query: ResultsQuery) throws(RealmError) {
        guard case .all = query.source else {
            throw .invalidQuery(
                message: "Elements of a collection and inverse links have no pages. Take a range "
                    + "of their positions, or ask for the objects of the class that are in it.",
                position: nil)
        }
        var keys: [SortKey] = []
        // A later sort leaves objects that are equal in it in the order of the one before.
        for stage in query.stages.reversed() {
            switch stage {
            case .sort(let more): keys += more
            case .rank:
                throw .invalidQuery(
                    message: "An order of relevance has no pages: every text that is written may "
                        + "move all others. Take the first with limit(_:), or a range of the "
                        + "positions of frozen results, which stay as they are.",
                    position: nil)
            case .filter, .distinct, .limit: break
            }
        }
        self.keys = keys
        classID = query.classID
    }

    /// A number that hardly another order has (FNV-1a).
    private var fingerprint: UInt32 {
        var hash: UInt32 = 2_166_136_261
        func mix(_ number: Int) {
            for byte in 0..<8 {
                hash =
                    (hash ^ UInt32(UInt8(truncatingIfNeeded: number >> (8 * byte)))) &* 16_777_619
            }
        }
        mix(classID.rawValue)
        for key in keys {
            mix(key.ascending ? 1 : 2)
            for step in key.path.steps {
                if case .link(let hop) = step { mix(hop.column) }
            }
            if case .value(let column, _) = key.path.end { mix(column) }
            switch key.measure {
            case .value: break
            case .distance(let origin, _):
                mix(Int(bitPattern: UInt(origin.point.latitude.bitPattern)))
                mix(Int(bitPattern: UInt(origin.point.longitude.bitPattern)))
            case .collated: mix(Int(CollationKey.version))
            }
        }
        return hash
    }

    /// The cursor of a row.
    func cursor(_ row: RowLocation, _ view: TreeView) -> PageCursor {
        let position = PagePosition(of: row, by: keys, in: view)
        return PageCursor(
            order: fingerprint, row: position.row.rawValue,
            values: position.values.map { $0?.mixedBytes })
    }

    /// The place that a cursor says.
    ///
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a cursor of another order.
    func position(_ cursor: PageCursor) throws(RealmError) -> PagePosition {
        let foreign = RealmError.invalidQuery(
            message: "The cursor is of other results, or of another order. Use it with the "
                + "results that gave it, or begin with the first page.",
            position: nil)
        guard cursor.order == fingerprint, cursor.values.count == keys.count, cursor.row >= 0,
            cursor.row < .max
        else { throw foreign }
        var values: [StoredValue?] = []
        for (key, bytes) in zip(keys, cursor.values) {
            guard let bytes else {
                values.append(nil)
                continue
            }
            guard let value = StoredValue(mixedBytes: bytes), key.takes(value) else {
                throw foreign
            }
            values.append(value)
        }
        return PagePosition(keys: keys, values: values, row: RowKey(cursor.row))
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
