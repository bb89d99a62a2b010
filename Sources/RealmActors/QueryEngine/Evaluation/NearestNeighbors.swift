import Storage

/// Rows in the order of the distance of their places from a point, by an index of places: the
/// nearest cells are visited first, so that few of the others are.
struct NearestNeighbors {
    /// The property that has the objects.
    let link: ColumnID
    private let origin: GeoOrigin
    private let columns: GeoColumns
    private let places: ClassView
    private let index: ColumnID
    private let classID: ClassID
    private let view: TreeView

    /// Cells with no more entries than that are not divided.
    private static let entriesMin = 16

    /// Nil when the order is another, or there is no such index.
    init?(_ keys: [SortKey], _ view: TreeView, _ classID: ClassID) {
        guard keys.count == 1, let key = keys.first, key.ascending, key.path.steps.isEmpty,
            case .distance(let origin, let columns) = key.measure,
            case .value(let column, let schema) = key.path.end, let target = schema.target
        else { return nil }
        let places = view.classView(target)
        guard let index = places.classSchema.placeIndex(columns.columns) else { return nil }
        link = ColumnID(column)
        self.origin = origin
        self.columns = columns
        self.places = places
        self.index = index
        self.classID = classID
        self.view = view
    }

    /// A candidate for the next row: a row, or a cell with rows.
    private struct Candidate {
        enum Part {
            case cell(PlaceCell, IndexRange)
            /// An object with a place, whose cell is not farther away.
            case near(RowKey)
            /// A row whose place is just so far away.
            case at(RowKey)
        }

        let angle: Double
        let part: Part

        var row: RowKey? { if case .at(let row) = part { row } else { nil } }
    }

    /// The minimum number of places of other objects to skip before giving up.
    private static let unownedMin = 64

    /// Calls `body` with the rows, nearest first, until it returns false. Rows that are equally far
    /// come in the order of their creation; those without a place are not among them.
    ///
    /// Ends early after as many places of other objects as there are rows: examining all rows is
    /// faster then.
    func forEach(_ body: (RowKey) -> Bool) {
        var unownedLeft = max(Self.unownedMin, view.classView(classID).count)
        // At equal distances rows come last, so that all of them are queued before one is taken.
        var queue = PriorityQueue<Candidate> { a, b in
            a.angle == b.angle ? a.row == nil && b.row != nil : a.angle < b.angle
        }
        var cursor = RowCursor(places)
        let all = places.range(index, keys: PlaceCell.whole.keys)
        queue.insert(Candidate(angle: 0, part: .cell(.whole, all)))
        while let next = queue.popFirst() {
            switch next.part {
            case .cell(let cell, let entries): open(cell, entries, &queue)
            case .near(let row):
                let owners = owners(of: row)
                if owners.isEmpty {
                    if unownedLeft == 0 { return }
                    unownedLeft -= 1
                    continue
                }
                guard let place = cursor.locate(row), let point = columns.point(place) else {
                    continue
                }
                let angle = origin.angle(to: point)
                for owner in owners { queue.insert(Candidate(angle: angle, part: .at(owner))) }
            case .at(let row):
                var rows = [row]
                while let other = queue.first, other.angle == next.angle, let row = other.row {
                    queue.popFirst()
                    rows.append(row)
                }
                rows.sort()
                for row in rows where !body(row) { return }
            }
        }
    }

    private func open(
        _ cell: PlaceCell, _ entries: IndexRange, _ queue: inout PriorityQueue<Candidate>
    ) {
        if entries.count <= Self.entriesMin || cell.level == PlaceCell.levelMax {
            entries.forEachEntry { key, row in
                guard let cell = PlaceCell(key: key) else { return }
                queue.insert(Candidate(angle: origin.leastAngle(to: cell), part: .near(row)))
            }
            return
        }
        entries.forEachQuarter(of: cell) { quarter, entries in
            if entries.count == 0 { return }
            let angle = origin.leastAngle(to: quarter)
            queue.insert(Candidate(angle: angle, part: .cell(quarter, entries)))
        }
    }

    private func owners(of row: RowKey) -> [RowKey] {
        var owners: [RowKey] = []
        view.backlinks(to: row, origin: classID, column: link).forEach { owners.append($0) }
        return owners
    }
}

/// A binary heap, whose first element precedes all others.
private struct PriorityQueue<Element> {
    private var elements: [Element] = []
    private let precedes: (Element, Element) -> Bool

    init(_ precedes: @escaping (Element, Element) -> Bool) { self.precedes = precedes }

    var first: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var place = elements.count - 1
        while place > 0, precedes(elements[place], elements[(place - 1) / 2]) {
            elements.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < elements.count && precedes(elements[child], elements[least]) {
                least = child
            }
            if least == place { return first }
            elements.swapAt(place, least)
            place = least
        }
    }
}
