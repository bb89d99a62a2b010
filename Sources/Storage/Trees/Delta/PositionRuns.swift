/// Ascending positions, stored as runs of neighbours.
///
/// A lookup takes O(log runs). A change moves the runs after it, which are in blocks that are moved
/// as a whole: it takes O(runs of a block + blocks), and constant time with few runs, such as for a
/// list that is used as a stack or a queue.
struct PositionRuns: Sendable {
    private struct Run: Sendable, Hashable {
        var start: Int
        var count: Int
        /// The number of positions in earlier runs.
        var before: Int

        // Unchecked, since a damaged record may have any positions.
        var end: Int { start &+ count }

        func moved(by start: Int, before: Int) -> Run {
            Run(start: self.start &+ start, count: count, before: self.before + before)
        }
    }

    /// Neighbouring runs, at least one, with a common offset.
    private struct Block: Sendable {
        var runs: [Run]
        var start = 0
        var before = 0

        subscript(_ index: Int) -> Run { runs[index].moved(by: start, before: before) }
    }

    /// The location of a run; after the last run, the start of a block that does not exist.
    private struct Place {
        let block: Int
        let index: Int
    }

    private static let blockMax = 256

    private var blocks: [Block] = []

    init() {}

    /// Creates the runs of ascending positions.
    init(_ positions: some Sequence<Int>) {
        var runs: [Run] = []
        var count = 0
        for position in positions {
            if let last = runs.last, last.end == position {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(Run(start: position, count: 1, before: count))
            }
            count += 1
        }
        for start in stride(from: 0, to: runs.count, by: Self.blockMax / 2) {
            let end = min(start + Self.blockMax / 2, runs.count)
            blocks.append(Block(runs: Array(runs[start..<end])))
        }
    }

    var count: Int {
        guard let block = blocks.last else { return 0 }
        let last = block[block.runs.count - 1]
        return last.before + last.count
    }

    var isEmpty: Bool { blocks.isEmpty }

    private var runs: some Sequence<Run> {
        blocks.lazy.flatMap { block in block.runs.indices.lazy.map { block[$0] } }
    }

    /// All positions. O(count).
    var positions: [Int] {
        var positions: [Int] = []
        positions.reserveCapacity(count)
        for run in runs {
            for offset in 0..<run.count { positions.append(run.start &+ offset) }
        }
        return positions
    }

    func contains(_ position: Int) -> Bool {
        guard let last = place(before: first { $0.start > position }) else { return false }
        return position < self[last].end
    }

    /// The number of positions below `position`.
    func count(below position: Int) -> Int {
        guard let last = place(before: first { $0.start >= position }) else { return 0 }
        let run = self[last]
        return run.before + min(position - run.start, run.count)
    }

    /// The position with number `index` among those that are not contained.
    func position(ofAbsent index: Int) -> Int {
        // The number of absent positions below a run is its start minus the number of those before
        // it.
        let next = first { $0.start - $0.before > index }
        return index + (isRun(next) ? self[next].before : count)
    }

    /// Adds a position, unless it is contained; the others are not moved.
    mutating func add(_ position: Int) {
        let next = first { $0.start > position }
        let last = place(before: next)
        let end = last.map { self[$0].end }
        if let end, position < end { return }
        move(from: next, start: 0, before: 1)
        let touchesNext = isRun(next) && self[next].start == position &+ 1
        if let last, end == position {
            blocks[last.block].runs[last.index].count += 1
            if touchesNext { join(last, next) }
        } else if touchesNext {
            blocks[next.block].runs[next.index].start -= 1
            blocks[next.block].runs[next.index].count += 1
            blocks[next.block].runs[next.index].before -= 1
        } else {
            insert(Run(start: position, count: 1, before: count(through: last)), at: next)
        }
    }

    /// Adds a position; later ones move up by one.
    mutating func insert(_ position: Int) {
        let next = first { $0.start > position }
        let last = place(before: next)
        move(from: next, start: 1, before: 1)
        if let last, position <= self[last].end {
            blocks[last.block].runs[last.index].count += 1
        } else {
            insert(Run(start: position, count: 1, before: count(through: last)), at: next)
        }
    }

    /// Moves the positions from `position` on up by one.
    mutating func openGap(at position: Int) {
        let next = first { $0.start >= position }
        move(from: next, start: 1, before: 0)
        guard let last = place(before: next), position < self[last].end else { return }
        let run = self[last]
        let front = position - run.start
        blocks[last.block].runs[last.index].count = front
        insert(
            Run(start: position + 1, count: run.count - front, before: run.before + front),
            at: next)
    }

    /// Removes a position if it is contained, and moves later ones down by one.
    mutating func closeGap(at position: Int) {
        let next = first { $0.start > position }
        let former = place(before: next)
        guard let last = former, position < self[last].end else {
            move(from: next, start: -1, before: 0)
            if let former, isRun(next), self[former].end == self[next].start {
                join(former, next)
            }
            return
        }
        move(from: next, start: -1, before: -1)
        blocks[last.block].runs[last.index].count -= 1
        if self[last].count == 0 { remove(last) }
    }
}

extension PositionRuns: Hashable {
    static func == (a: PositionRuns, b: PositionRuns) -> Bool { a.runs.elementsEqual(b.runs) }

    func hash(into hasher: inout Hasher) {
        for run in runs { hasher.combine(run) }
    }
}

// MARK: Runs

extension PositionRuns {
    private subscript(_ place: Place) -> Run { blocks[place.block][place.index] }

    private func isRun(_ place: Place) -> Bool { place.block < blocks.count }

    /// The first run for which `holds` is true, as it is for all later ones; otherwise the place
    /// after the last.
    private func first(_ holds: (Run) -> Bool) -> Place {
        let next = (0..<blocks.count).partitioningIndex { holds(blocks[$0][0]) }
        if next == 0 { return Place(block: 0, index: 0) }
        let block = blocks[next - 1]
        let index = (0..<block.runs.count).partitioningIndex { holds(block[$0]) }
        return index < block.runs.count
            ? Place(block: next - 1, index: index) : Place(block: next, index: 0)
    }

    private func place(before place: Place) -> Place? {
        if place.index > 0 { return Place(block: place.block, index: place.index - 1) }
        if place.block == 0 { return nil }
        return Place(block: place.block - 1, index: blocks[place.block - 1].runs.count - 1)
    }

    /// The number of positions up to the end of a run; 0 before the first.
    private func count(through place: Place?) -> Int {
        place.map { self[$0].before + self[$0].count } ?? 0
    }

    /// Moves all runs from a place on.
    private mutating func move(from place: Place, start: Int, before: Int) {
        guard isRun(place) else { return }
        for index in place.index..<blocks[place.block].runs.count {
            blocks[place.block].runs[index].start &+= start
            blocks[place.block].runs[index].before += before
        }
        for block in place.block + 1..<blocks.count {
            blocks[block].start &+= start
            blocks[block].before += before
        }
    }

    /// Inserts a run between its neighbours, which are not changed.
    private mutating func insert(_ run: Run, at place: Place) {
        // At the start of a block, it is appended to the previous block.
        let isBehind = place.index == 0 && place.block > 0
        let block = isBehind ? place.block - 1 : place.block
        if block == blocks.count { return blocks.append(Block(runs: [run])) }
        let index = isBehind ? blocks[block].runs.count : place.index
        blocks[block].runs.insert(
            run.moved(by: -blocks[block].start, before: -blocks[block].before), at: index)
        guard blocks[block].runs.count > Self.blockMax else { return }
        var upper = blocks[block]
        upper.runs.removeFirst(Self.blockMax / 2)
        blocks[block].runs.removeSubrange((Self.blockMax / 2)...)
        blocks.insert(upper, at: block + 1)
    }

    private mutating func remove(_ place: Place) {
        blocks[place.block].runs.remove(at: place.index)
        if blocks[place.block].runs.isEmpty { blocks.remove(at: place.block) }
    }

    /// Joins two runs that have become neighbours.
    private mutating func join(_ last: Place, _ next: Place) {
        blocks[last.block].runs[last.index].count += self[next].count
        remove(next)
    }
}
