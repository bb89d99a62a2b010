import Storage

/// A condition that a full-text index or an index of places evaluates by its own search; of
/// several, one has to hold.
struct IndexSearch: Sendable {
    private enum Alternative: Sendable {
        case text(TextSeek)
        case place(PlaceSeek)
    }

    private let alternatives: [Alternative]

    init(anyOf searches: [IndexSearch]) { alternatives = searches.flatMap(\.alternatives) }

    init(_ place: PlaceSeek) { alternatives = [.place(place)] }

    /// The search for a condition on the rows themselves; nil when no such index evaluates it.
    init?(_ expression: QueryExpression, schema: any QuerySchema, classID: ClassID) {
        if let seek = TextSeek(expression, schema: schema, classID: classID) {
            alternatives = [.text(seek)]
        } else if let seek = PlaceSeek(expression, schema: schema, classID: classID) {
            alternatives = [.place(seek)]
        } else {
            return nil
        }
    }

    /// The rows that meet it, among others where it is not exact; nil without the index.
    func runs(_ view: ClassView) -> IndexRuns? {
        var found: [IndexRuns] = []
        for alternative in alternatives {
            let served =
                switch alternative {
                case .text(let seek): seek.runs(view)
                case .place(let seek): seek.runs(view)
                }
            guard let runs = served else { return nil }
            found.append(runs)
        }
        if found.count < 2 { return found.first }
        var all = IndexRuns(
            found[0].column, found: .union(found.map { $0.found ?? .list($0.keys()) }, view))
        all.isExact = found.allSatisfy(\.isExact)
        return all
    }
}
