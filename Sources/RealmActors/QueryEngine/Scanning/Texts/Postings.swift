import Storage

/// The entries that a term of a search has in the full-text indexes of some properties.
struct Postings {
    private let columns: [ColumnID]
    let ranges: [IndexRange]
    private let keys: ClosedRange<UInt64>
    /// Whether they name only rows with the term, and none with another term of the same key.
    let isExact: Bool
    /// The number of entries: at least that of the rows.
    let count: Int

    init(of term: TextSearch.Term, in columns: [ColumnID], _ rows: ClassView) {
        keys = term.keys
        isExact = term.key.isExact
        self.columns = columns
        var ranges: [IndexRange] = []
        for column in columns { ranges.append(rows.range(column, keys: keys)) }
        self.ranges = ranges
        count = ranges.reduce(0) { $0 + $1.count }
    }

    private var isOfOneTerm: Bool { keys.lowerBound == keys.upperBound }

    /// Whether each row is named once.
    var isDistinct: Bool { columns.count == 1 && isOfOneTerm }

    /// The number of rows that are named.
    func rowCount(_ rows: ClassView) -> Int {
        isDistinct ? count : FoundRows(self, rows).count
    }

    /// From this many entries for each row on, looking rows up beats iterating over the entries.
    private static let lookUpMin = 64

    /// Whether few rows are better looked up one by one.
    func isLookedUp(_ count: Int) -> Bool { isOfOneTerm && self.count / Self.lookUpMin > count }

    /// Whether a row is named. O(log n) for terms that are not prefixes.
    func contains(_ key: RowKey, _ rows: ClassView) -> Bool {
        columns.contains { rows.contains($0, term: keys.lowerBound, key) }
    }
}

/// The rows of a search: a bit set where they are many, else an ascending list of keys.
enum FoundRows {
    case list([RowKey])
    case set(RowKeySet)

    /// The rows that postings name.
    init(_ postings: Postings, _ rows: ClassView) {
        guard Self.isDense(postings.count, rows) else {
            var keys: [RowKey] = []
            keys.reserveCapacity(postings.count)
            for range in postings.ranges {
                range.forEachBatch { for row in $0 { keys.append(RowKey(row)) } }
            }
            self = .list(postings.isDistinct ? keys : Set(keys).sorted())
            return
        }
        var set = RowKeySet(roomFor: rows)
        for range in postings.ranges { set.insert(range) }
        self = .set(set)
    }

    /// A set has a bit for each row that ever existed; it is smaller than a list if one row in this
    /// many is found.
    private static let rowsPerKey = 128

    private static func isDense(_ count: Int, _ rows: ClassView) -> Bool {
        count > RowKeySet.span(of: rows) / rowsPerKey
    }

    var count: Int {
        switch self {
        case .list(let keys): keys.count
        case .set(let set): set.count
        }
    }

    /// The rows, ascending.
    var keys: [RowKey] {
        switch self {
        case .list(let keys): keys
        case .set(let set): set.keys
        }
    }

    private var isEmpty: Bool { if case .list(let keys) = self { keys.isEmpty } else { false } }

    /// Keeps those rows that postings name, or those that they do not name.
    mutating func keep(_ isKept: Bool, _ postings: Postings, _ rows: ClassView) {
        if isEmpty { return }
        switch self {
        case .list(var keys):
            self = .list([])
            if postings.isLookedUp(keys.count) {
                keys.removeAll { postings.contains($0, rows) != isKept }
            } else {
                FoundRows(postings, rows).filter(&keys, isKept)
            }
            self = .list(keys)
        case .set(var set):
            self = .list([])
            var other = RowKeySet(roomFor: rows)
            for range in postings.ranges { other.insert(range) }
            if isKept { set.formIntersection(other) } else { set.subtract(other) }
            self = .set(set)
        }
    }

    /// Keeps of ascending keys those that are among these rows, or those that are not.
    private func filter(_ keys: inout [RowKey], _ isKept: Bool) {
        switch self {
        case .set(let set): keys.removeAll { set.contains($0) != isKept }
        case .list(let others):
            var next = 0
            keys.removeAll { key in
                while next < others.count, others[next] < key { next += 1 }
                return (next < others.count && others[next] == key) != isKept
            }
        }
    }

    /// The rows that are among one or more of several.
    static func union(_ parts: [FoundRows], _ rows: ClassView) -> FoundRows {
        guard isDense(parts.reduce(0) { $0 + $1.count }, rows) else {
            return .list(Set(parts.flatMap(\.keys)).sorted())
        }
        var union = RowKeySet(roomFor: rows)
        for part in parts {
            switch part {
            case .list(let keys): union.insert(keys)
            case .set(let set): union.formUnion(set)
            }
        }
        return .set(union)
    }
}
