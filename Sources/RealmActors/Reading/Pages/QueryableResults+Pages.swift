import Storage

/// Some of the objects that match a query, in their order, and the cursor of the next page.
public struct ResultsPage<Objects: QueryableResults> {
    /// The objects of the page: results of the same version if those of the query are frozen.
    public let objects: Objects
    /// The cursor for the next page; nil if this is the last one.
    public let next: PageCursor?
}

extension ResultsPage: Sendable where Objects: Sendable {}

extension QueryableResults {
    /// The objects after a cursor, at most `limit` of them.
    ///
    ///     let dogs = realm.objects(Dog.self).sorted(by: \.name)
    ///     let first = try dogs.page(limit: 50)
    ///     let second = try dogs.page(after: first.next, limit: 50)
    ///
    /// Pages are delimited by values of the objects, not by positions: insertions and deletions
    /// between two requests move no other object from one page to another, even if the last object
    /// of the previous page was deleted. An object whose sorted property changes moves, and may be
    /// delivered twice or not at all.
    ///
    /// For an order by relevance, a cursor has the score of the last object. Pages of one version
    /// have each object once. In a later version the next page continues after that score, but
    /// every string written meanwhile may change the scores of other objects slightly: objects
    /// that crossed the cursor's score are delivered twice or not at all.
    ///
    /// O(log n + limit) if the order is that of creation, of an indexed property, or of an index of
    /// several properties after those that the condition fixes; otherwise one pass over the
    /// objects, and only the page is sorted. For an order by relevance, the strings of all
    /// matching objects are read for each page, twice for each page after the first.
    ///
    /// - Parameters:
    ///   - cursor: ``ResultsPage/next`` of the previous page; nil for the first page.
    ///   - limit: how many objects a page has; at least one.
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a cursor of other results, for
    ///   a limit below one, and for the elements of a list or inverse links; the error of a
    ///   condition of the results that was refused; the error when a node could not be read, such
    ///   as ``RealmError/corrupted(segment:offset:reason:)``.
    public func page(
        after cursor: PageCursor? = nil, limit: Int
    ) throws(RealmError) -> ResultsPage<Self> {
        try Self.check(limit)
        // Refused results have no order for a cursor.
        if let absence = _plan.context.absence { throw absence }
        let order = try PageOrder(_plan.query)
        let position = try cursor.map { cursor throws(RealmError) in try order.position(cursor) }
        let page = _plan.page(order, behind: position, limit, Self.init)
        try _plan.context.requireReadable()
        return page
    }

    /// The objects from a position on, at most `limit` of them: for pages with numbers.
    ///
    /// Insertions and deletions between two requests move other objects from page to page;
    /// ``page(after:limit:)`` avoids this.
    ///
    /// - Complexity: O(offset) on top of a page by cursor, if an index has the order; otherwise two
    ///   passes over the objects.
    ///
    /// - Parameters:
    ///   - offset: how many objects are before the page.
    ///   - limit: how many objects the page has at most.
    /// - Throws: ``RealmError/invalidQuery(message:position:)`` for a negative offset, and as
    ///   ``page(after:limit:)``.
    public func page(offset: Int, limit: Int) throws(RealmError) -> ResultsPage<Self> {
        guard offset >= 0 else {
            throw .invalidQuery(
                message: "A page begins at position 0 or later; \(offset) was given.",
                position: nil)
        }
        guard offset > 0 else { return try page(limit: limit) }
        try Self.check(limit)
        let order = try PageOrder(_plan.query)
        let view = _plan.context.view
        let query = _plan.query.adding(.limit(offset))
        let before = _plan.context.absence == nil ? query.evaluate(in: view) : []
        try _plan.context.requireReadable()
        guard before.count == offset, let last = before.last,
            let row = view.classView(query.classID).locate(last)
        else {
            let none = try _plan.tryAdding { _ throws(RealmError) in .limit(0) }
            return ResultsPage(objects: Self(_plan: none), next: nil)
        }
        return try page(after: order.cursor(row.location, view), limit: limit)
    }

    private static func check(_ limit: Int) throws(RealmError) {
        guard limit > 0 else {
            throw .invalidQuery(
                message: "A page has at least one object; a limit of \(limit) was given.",
                position: nil)
        }
    }
}

extension ResultsPlan {
    /// The first objects of the plan, with the cursor of those after them.
    fileprivate func page<Objects>(
        _ order: PageOrder, behind position: PagePosition?, _ limit: Int,
        _ make: (ResultsPlan) -> Objects
    ) -> ResultsPage<Objects> {
        let view = context.view
        // One object more than the page shows whether there is a next page.
        let count = limit == .max ? limit : limit + 1
        var rows = query.page(behind: position, limit: count).evaluate(in: view)
        var next: PageCursor?
        if rows.count > limit {
            rows.removeLast()
            if let last = view.classView(query.classID).locate(rows[limit - 1]) {
                next = order.cursor(last.location, view)
            }
        }
        let page = ResultsPlan(
            context: context, model: model, query: query.page(behind: position, limit: limit))
        if context is FrozenContext { page.adopt(EvaluatedRows(page.query, view, keys: rows)) }
        return ResultsPage(objects: make(page), next: next)
    }
}
