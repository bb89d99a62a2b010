package import Storage
import Synchronization

/// The rows of a query in one version, found when first needed and then kept.
///
/// A class in the order of creation needs no list of rows: its tree counts them.
@_documentation(visibility: internal)
public final class EvaluatedRows: Sendable {
    let query: ResultsQuery
    // Nodes of a context that the owner of these rows holds; live results make new rows when their
    // tree changes.
    private let nodes: SharedNodes<TreeView>
    private var view: TreeView { nodes.reader }
    private let list = OnceReference<RowList>()
    private let counted = Atomic<Int>(-1)
    /// The first row; `unknown` before it is first needed, `none` if there is no row.
    private let firstRow = Atomic<Int64>(unknown)

    private static let unknown: Int64 = -1
    private static let none: Int64 = -2
    /// A key that no row has, for a row that was counted but cannot be read.
    private static let unreadable = RowKey(.min)

    private final class RowList: Sendable {
        let keys: [RowKey]
        init(_ keys: [RowKey]) { self.keys = keys }
    }

    /// The rows, if the caller knew them without evaluation.
    private let known: KeyRope?

    package init(_ query: ResultsQuery, _ view: TreeView, known: KeyRope? = nil) {
        self.query = query
        nodes = SharedNodes(view)
        self.known = known
    }

    /// Rows that were evaluated in a version that shows the same as the view.
    convenience init(_ query: ResultsQuery, _ view: TreeView, keys: [RowKey]) {
        self.init(query, view)
        _ = list.storeIfNil(RowList(keys))
    }

    /// Whether nothing is left to evaluate.
    var isEvaluated: Bool { query.isWholeClass || known != nil || list.load() != nil }

    /// Evaluates the query once, and keeps the rows if all of them could be read.
    func evaluate(unless failure: () -> RealmError?) throws {
        try Task.checkCancellation()
        if let failure = failure() { throw failure }
        if isEvaluated { return }
        let keys = query.evaluate(in: view, .cooperative)
        // If cancellation left rows out, the task is still cancelled, which is detected here.
        try Task.checkCancellation()
        if let failure = failure() { throw failure }
        _ = list.storeIfNil(RowList(keys))
    }

    /// Several tasks may evaluate at the same time; all of them get the list that was stored first.
    package var keys: [RowKey] {
        if let list = list.load() { return list.keys }
        return list.storeIfNil(RowList(known?.keys ?? query.evaluate(in: view))).keys
    }

    package var count: Int {
        if let knownCount { return knownCount }
        guard let count = query.countWithoutKeys(in: view) else { return keys.count }
        counted.store(count, ordering: .relaxed)
        return count
    }

    /// The count if it is known without evaluation.
    var knownCount: Int? {
        if query.isWholeClass { return view.classView(query.classID).count }
        if let known { return known.count }
        // Before the list, so that the count does not change when rows cannot be read.
        let known = counted.load(ordering: .relaxed)
        return known >= 0 ? known : list.load()?.keys.count
    }

    package var isEmpty: Bool {
        if let knownCount { return knownCount == 0 }
        return firstKey == nil
    }

    /// The first row. Finding it does not evaluate the rest, unless that costs little more.
    package var first: RowHold? {
        let isKnown =
            known != nil || firstRow.load(ordering: .relaxed) != Self.unknown || list.load() != nil
        if isKnown || query.isWholeClass {
            return isEmpty ? nil : locate(key(at: 0))
        }
        if query.sortsAllForSome(in: view) { return keys.first.flatMap(locate) }
        guard let first = query.first(in: view) else {
            firstRow.store(Self.none, ordering: .relaxed)
            return nil
        }
        firstRow.store(first.key.rawValue, ordering: .relaxed)
        return first
    }

    /// The key of the first row of a query.
    private var firstKey: RowKey? {
        let known = firstRow.load(ordering: .relaxed)
        if known >= 0 { return RowKey(known) }
        return known == Self.none ? nil : first?.key
    }

    /// The row at `position`; a key that no row has if it cannot be read. O(log n) for a class and
    /// for rows that were known, otherwise O(1) once evaluated.
    package func key(at position: Int) -> RowKey {
        if query.isWholeClass {
            let rows = view.classView(query.classID)
            guard position >= 0, position < rows.count else { isOutOfBounds(position) }
            let row = rows.row(at: position)
            return row.cluster.liveCount > 0 ? row.key : Self.unreadable
        }
        if let known, list.load() == nil, position >= 0, position < known.count {
            return known[position]
        }
        if position == 0, list.load() == nil, let firstKey { return firstKey }
        let keys = keys
        guard position >= 0, position < keys.count else {
            if position >= 0, position < count { return Self.unreadable }
            isOutOfBounds(position)
        }
        return keys[position]
    }

    private func isOutOfBounds(_ position: Int) -> Never {
        outOfBounds(
            position, of: "collection of '\(view.schema[query.classID].name)' objects", count: count
        )
    }

    /// The position of the last row, for which the rows are evaluated.
    var lastPosition: Int? {
        let count = query.isWholeClass || known != nil ? count : keys.count
        return count > 0 ? count - 1 : nil
    }

    package func position(of key: RowKey) -> Int? {
        if query.isWholeClass { return view.classView(query.classID).position(of: key) }
        return keys.firstIndex(of: key)
    }

    package func locate(_ key: RowKey) -> RowHold? {
        view.classView(query.classID).locate(key)
    }

    /// The rows one after another.
    @usableFromInline
    package func walk() -> RowWalk {
        if query.isWholeClass {
            return RowWalk(scanning: .constant(true), in: view, query.classID)
        }
        if known == nil, list.load() == nil, !query.isLookUp, let filter = query.soleFilter,
            filter.indexed(view, query.classID) == nil
        {
            return RowWalk(scanning: filter.scanned(view, query.classID), in: view, query.classID)
        }
        return RowWalk(keys: keys, in: view, query.classID)
    }
}
