import Storage

/// A search in an index of places, for those in an area.
struct PlaceSeek: Sendable {
    private let columns: GeoColumns
    private let area: GeoArea
    private let region: GeoRegion

    /// Cells with no more entries than that are not divided: their entries are examined.
    private static let entriesMin = 16

    /// Nil for a shape for which an index cannot be searched.
    init?(_ columns: GeoColumns, _ area: GeoArea) {
        guard let region = GeoRegion(area.shape) else { return nil }
        self.columns = columns
        self.area = area
        self.region = region
    }

    /// The search for a condition on the place of the rows themselves; nil when there is none.
    init?(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        guard case .geoWithin(let path, let area) = expression, path.steps.isEmpty,
            path.elements.isEmpty, path.quantifier != .none,
            let columns = try? GeoColumns(schema.store[classID]),
            schema.store[classID].placeIndex(columns.columns) != nil
        else { return nil }
        self.init(columns, area)
    }

    /// Whether a version has the index.
    func isServed(_ view: ClassView) -> Bool { view.classSchema.placeIndex(columns.columns) != nil }

    /// The rows whose place lies in the area, and no others; nil without an index.
    func runs(_ view: ClassView) -> IndexRuns? {
        guard let index = view.classSchema.placeIndex(columns.columns) else { return nil }
        var found = Found(cursor: RowCursor(view))
        let all = view.range(index, keys: PlaceCell.whole.keys)
        collect(.whole, all, &found)
        var runs = IndexRuns(index, found: found.rows)
        runs.isExact = true
        return runs
    }

    private struct Found {
        var rows: [RowKey] = []
        var cursor: RowCursor
    }

    private func collect(_ cell: PlaceCell, _ entries: IndexRange, _ found: inout Found) {
        if entries.count == 0 { return }
        switch region.relation(to: cell) {
        case .outside: return
        case .inside: entries.forEach { found.rows.append($0) }
        case .crossing:
            if entries.count <= Self.entriesMin || cell.level == PlaceCell.levelMax {
                entries.forEachEntry { key, row in
                    if contains(key, row, &found.cursor) { found.rows.append(row) }
                }
                return
            }
            entries.forEachQuarter(of: cell) { collect($0, $1, &found) }
        }
    }

    /// Whether the place of an entry lies in the area. Its key decides that, except at the border.
    private func contains(_ key: UInt64, _ row: RowKey, _ cursor: inout RowCursor) -> Bool {
        switch PlaceCell(key: key).map({ region.relation(to: $0) }) {
        case .outside?, nil: return false
        case .inside?: return true
        case .crossing?:
            guard let location = cursor.locate(row), let point = columns.point(location) else {
                return false
            }
            return area.shape.contains(point)
        }
    }
}

extension IndexRange {
    /// Calls `body` with the quarters of a cell, whose entries these are, and the entries of each.
    func forEachQuarter(of cell: PlaceCell, _ body: (PlaceCell, IndexRange) -> Void) {
        let quarters = cell.quarters
        var start = ranks.lowerBound
        for (number, quarter) in quarters.enumerated() {
            let end =
                number + 1 < quarters.count
                ? rank(ofKey: quarters[number + 1].first) : ranks.upperBound
            body(quarter, with(ranks: start..<max(start, end)))
            start = max(start, end)
        }
    }
}
