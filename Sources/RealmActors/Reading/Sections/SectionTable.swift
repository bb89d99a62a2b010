/// The division of ordered rows into sections.
///
/// Sections are in the order of their first rows, the rows of a section in their order. Stored as
/// runs of adjacent rows in one section; when the rows are sorted by the key, each section is one
/// run.
struct SectionTable<Key: Hashable & Sendable>: Sendable {
    /// Adjacent rows of one section.
    private struct Run {
        let section: Int
        let count: Int
        /// The position of its first row among all rows.
        let start: Int
        /// The position of its first row in the section.
        let item: Int
    }

    private(set) var keys: [Key] = []
    private(set) var counts: [Int] = []
    private(set) var rowCount = 0
    private var numbers: [Key: Int] = [:]
    /// The section of keys that do not equal themselves, such as NaN.
    private var numberOfUnequal: Int?
    private var runs: [Run] = []
    /// The runs, grouped by section, and the first one of each section.
    private var runsBySection: [Int] = []
    private var firstRuns: [Int] = [0]

    /// The table of no rows.
    init() {}

    /// The table of rows with these keys.
    init(_ keys: some Sequence<Key>) {
        var builder = SectionRunBuilder()
        for key in keys { builder.add(number(adding: key), 1) }
        finish(builder)
    }

    /// The section with a key; nil when there is none.
    func number(of key: Key) -> Int? { key == key ? numbers[key] : numberOfUnequal }

    /// The position of a row in the sections.
    func path(of position: Int) -> SectionPath {
        let run = runs[Self.last(runs.count) { runs[$0].start <= position }]
        return SectionPath(section: run.section, item: run.item + position - run.start)
    }

    /// The position among all rows of a position in a section.
    func position(of path: SectionPath) -> Int {
        let first = firstRuns[path.section]
        let own = firstRuns[path.section + 1] - first
        let index = Self.last(own) { runs[runsBySection[first + $0]].item <= path.item }
        let run = runs[runsBySection[first + index]]
        return run.start + path.item - run.item
    }

    /// The last of `count` indices for which `holds`, which holds for the first ones.
    private static func last(_ count: Int, _ holds: (Int) -> Bool) -> Int {
        max((0..<count).partition(holds) - 1, 0)
    }
}

extension SectionTable {
    /// The table after deletions, by positions in this table, and insertions, by positions in the
    /// new one. Also returns the new position of each present section, nil if it was removed.
    ///
    /// - Complexity: linear in the number of runs and changes, independent of the number of rows.
    func applying(
        _ deletions: [Int], _ insertions: [(position: Int, key: Key)]
    ) -> (table: SectionTable, places: [Int?]) {
        var numbering = SectionTable()
        numbering.keys = keys
        numbering.numbers = numbers
        numbering.numberOfUnequal = numberOfUnequal
        var builder = SectionRunBuilder()
        var nextInsertions = insertions[...]
        func insert() {
            while let first = nextInsertions.first, first.position == builder.count {
                builder.add(numbering.number(adding: first.key), 1)
                nextInsertions.removeFirst()
            }
        }
        var nextDeletions = deletions[...]
        for run in runs {
            var rest = run.count
            while let first = nextDeletions.first, first < run.start + run.count {
                nextDeletions.removeFirst()
                rest -= 1
            }
            while rest > 0 {
                insert()
                let taken = min(rest, (nextInsertions.first?.position ?? .max) - builder.count)
                builder.add(run.section, taken)
                rest -= taken
            }
        }
        insert()
        let places = numbering.finish(builder)
        return (numbering, Array(places.prefix(keys.count)))
    }

    /// The number of a key, assigned if needed. Numbers become sections in `finish`.
    private mutating func number(adding key: Key) -> Int {
        if let last = keys.last, last == key { return keys.count - 1 }
        if let number = number(of: key) { return number }
        if key == key { numbers[key] = keys.count } else { numberOfUnequal = keys.count }
        keys.append(key)
        return keys.count - 1
    }

    /// Takes the runs, orders the sections by their first rows and drops sections without rows.
    /// Returns the section of each number.
    @discardableResult
    private mutating func finish(_ builder: SectionRunBuilder) -> [Int?] {
        var places = [Int?](repeating: nil, count: keys.count)
        var ordered: [Key] = []
        counts = []
        runs = []
        runs.reserveCapacity(builder.runs.count)
        rowCount = 0
        var runCounts: [Int] = []
        for run in builder.runs {
            let section = places[run.number] ?? ordered.count
            if section == ordered.count {
                places[run.number] = section
                ordered.append(keys[run.number])
                counts.append(0)
                runCounts.append(0)
            }
            runs.append(
                Run(section: section, count: run.count, start: rowCount, item: counts[section]))
            counts[section] += run.count
            runCounts[section] += 1
            rowCount += run.count
        }
        if places.enumerated().contains(where: { $0.offset != $0.element }) {
            keys = ordered
            renumber(places)
        }
        firstRuns = [0]
        for count in runCounts { firstRuns.append(firstRuns[firstRuns.count - 1] + count) }
        runsBySection = [Int](repeating: 0, count: runs.count)
        var next = firstRuns
        for (index, run) in runs.enumerated() {
            runsBySection[next[run.section]] = index
            next[run.section] += 1
        }
        return places
    }

    private mutating func renumber(_ places: [Int?]) {
        numbers = numbers.compactMapValues { places[$0] }
        numberOfUnequal = numberOfUnequal.flatMap { places[$0] }
    }
}

/// Collects runs of rows with one number each; adjacent ones with the same number are joined.
private struct SectionRunBuilder {
    private(set) var runs: [(number: Int, count: Int)] = []
    private(set) var count = 0

    mutating func add(_ number: Int, _ rows: Int) {
        count += rows
        if let last = runs.last, last.number == number {
            runs[runs.count - 1].count += rows
        } else {
            runs.append((number, rows))
        }
    }
}
