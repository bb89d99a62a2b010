/// Positions that ascend, kept as runs of neighbours.
///
/// Looking one up takes O(log runs), and a change O(runs behind it). That is never more than for
/// positions that are kept one by one, and constant where one run grows or shrinks at its ends, as
/// in a list that is used as a stack or a queue.
struct PositionRuns: Sendable, Hashable {
    private struct Run: Sendable, Hashable {
        var start: Int
        var count: Int
        /// How many positions stand in the runs before this one.
        var before: Int

        // Unchecked, for a damaged record may have any positions.
        var end: Int { start &+ count }
    }

    private var runs: [Run] = []

    init() {}

    /// The positions, in their order.
    init(_ positions: some Sequence<Int>) {
        for position in positions {
            if let last = runs.last, last.end == position {
                runs[runs.count - 1].count += 1
            } else {
                runs.append(Run(start: position, count: 1, before: count))
            }
        }
    }

    var count: Int { runs.last.map { $0.before + $0.count } ?? 0 }

    var isEmpty: Bool { runs.isEmpty }

    /// Every position. O(count).
    var positions: [Int] {
        var positions: [Int] = []
        positions.reserveCapacity(count)
        for run in runs {
            for offset in 0..<run.count { positions.append(run.start &+ offset) }
        }
        return positions
    }

    func contains(_ position: Int) -> Bool {
        let next = firstRun { $0.start > position }
        return next > 0 && position < runs[next - 1].end
    }

    /// How many are below `position`.
    func count(below position: Int) -> Int {
        let next = firstRun { $0.start >= position }
        guard next > 0 else { return 0 }
        let run = runs[next - 1]
        return run.before + min(position - run.start, run.count)
    }

    /// The position that is number `index` among those that are not in here.
    func position(ofAbsent index: Int) -> Int {
        // As many are absent below a run as its start exceeds the number of those before it.
        let next = firstRun { $0.start - $0.before > index }
        return index + (next < runs.count ? runs[next].before : count)
    }

    /// Adds a position, unless it is in here; the others stay.
    mutating func add(_ position: Int) {
        let next = firstRun { $0.start > position }
        if next > 0, position < runs[next - 1].end { return }
        addRun(position, at: next)
        join(next + 1)
        join(next)
    }

    /// Adds a position; those from there on move up by one.
    mutating func insert(_ position: Int) {
        let next = firstRun { $0.start > position }
        if next > 0, position <= runs[next - 1].end {
            runs[next - 1].count += 1
            for later in next..<runs.count {
                runs[later].start += 1
                runs[later].before += 1
            }
        } else {
            addRun(position, at: next)
            for later in (next + 1)..<runs.count { runs[later].start += 1 }
        }
    }

    /// Moves the positions from `position` on up by one.
    mutating func openGap(at position: Int) {
        let next = firstRun { $0.start >= position }
        if next > 0, position < runs[next - 1].end {
            let run = runs[next - 1]
            let front = position - run.start
            runs[next - 1].count = front
            runs.insert(
                Run(start: position, count: run.count - front, before: run.before + front),
                at: next)
        }
        for later in next..<runs.count { runs[later].start += 1 }
    }

    /// Removes a position if it is in here, and moves those behind it down by one.
    mutating func closeGap(at position: Int) {
        let next = firstRun { $0.start > position }
        guard next > 0, position < runs[next - 1].end else {
            for later in next..<runs.count { runs[later].start -= 1 }
            return join(next)
        }
        runs[next - 1].count -= 1
        for later in next..<runs.count {
            runs[later].start -= 1
            runs[later].before -= 1
        }
        if runs[next - 1].count == 0 { runs.remove(at: next - 1) }
    }

    /// The first run for which `holds`, which holds for all behind it; else their number.
    private func firstRun(_ holds: (Run) -> Bool) -> Int {
        (0..<runs.count).partitioningIndex { holds(runs[$0]) }
    }

    /// Adds a run of one position, which is in none.
    private mutating func addRun(_ position: Int, at index: Int) {
        let before = index > 0 ? runs[index - 1].before + runs[index - 1].count : 0
        for later in index..<runs.count { runs[later].before += 1 }
        runs.insert(Run(start: position, count: 1, before: before), at: index)
    }

    /// Makes one run of that at `index` and the one before it, when they have become neighbours.
    private mutating func join(_ index: Int) {
        guard index > 0, index < runs.count, runs[index - 1].end == runs[index].start else {
            return
        }
        runs[index - 1].count += runs[index].count
        runs.remove(at: index)
    }
}
